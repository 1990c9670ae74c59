package org.sordino.accounting;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.sordino.Neighboring;

/**
 * Certified upper bounds of delta at many epsilons. {@link TightAccountant} prepares a new lattice
 * for each epsilon where {@link Contour} does not apply; here, a few lattices are reused for all
 * epsilons, at the cost of some accuracy. Not thread-safe.
 */
final class UpperCurve {

  /** A bracket of at most this relative width is accepted. */
  private static final double NARROW = 3e-3;

  private static final int MAX_LATTICES = 5;

  private final List<Step> steps;
  private final Direction direction;
  private final TightAccountant accountant;
  private final List<Lattice> lattices = new ArrayList<>();

  /**
   * Creates the curve of these steps in one direction.
   *
   * @param steps at least one, all with noise
   */
  UpperCurve(List<Step> steps, Neighboring neighboring, Direction direction) {
    this.steps = steps;
    this.direction = direction;
    this.accountant = TightAccountant.of(neighboring);
  }

  /** Returns an epsilon where delta(epsilon) is at most {@code delta}. */
  double epsilon(double delta) {
    return accountant.epsilon(steps, delta, direction).upper();
  }

  /** Returns at least delta(epsilon). */
  double delta(double epsilon) {
    Bracket quick = TightAccountant.quickDelta(steps, epsilon, direction);
    if (quick != null && isNarrow(quick)) {
      return quick.upper();
    }
    double known = quick == null ? 1 : quick.upper();
    return TightAccountant.latticeAnswers(steps)
        ? Math.min(known, latticeDelta(epsilon))
        : Math.min(known, accountant.rdpDelta(steps, epsilon).upper());
  }

  private double latticeDelta(double epsilon) {
    @Nullable Bracket best = null;
    for (Lattice lattice : lattices) {
      Bracket bracket = lattice.delta(epsilon);
      best = best == null || bracket.upper() < best.upper() ? bracket : best;
    }
    if (best != null && (isNarrow(best) || lattices.size() == MAX_LATTICES)) {
      return best.upper();
    }
    Lattice nearer = Lattice.forEpsilon(steps, direction, epsilon);
    lattices.add(nearer);
    double upper = nearer.delta(epsilon).upper();
    return best == null ? upper : Math.min(best.upper(), upper);
  }

  private static boolean isNarrow(Bracket bracket) {
    return bracket.width() <= NARROW * bracket.upper();
  }
}
