package org.sordino.accounting;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.sordino.Neighboring;

/**
 * Certified upper bounds of delta at many epsilons. {@link TightAccountant} prepares a new contour
 * or lattice for each epsilon; here, the ones that were prepared for other epsilons are reused
 * where their brackets are still narrow. A wide bracket only loosens the bound. Not thread-safe.
 */
final class UpperCurve {

  /** A bracket of at most this relative width is accepted. */
  private static final double NARROW = 3e-3;

  /** Where the contour applies, it is much narrower; its brackets widen quickly farther away. */
  private static final double NARROW_CONTOUR = 1e-6;

  private static final int MAX_LATTICES = 5;

  /** Number of epsilons without a contour after which no more are tried. */
  private static final int MAX_FAILURES = 5;

  private final List<Step> steps;
  private final Direction direction;
  private final TightAccountant accountant;
  private final List<DeltaCurve> prepared = new ArrayList<>();
  private int failures;
  private int lattices;

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
    Bracket closed = TightAccountant.closedDelta(steps, epsilon, direction);
    if (closed != null) {
      return closed.upper();
    }
    Bracket best = new Bracket(0, 1, Bracket.Method.RDP);
    for (DeltaCurve curve : prepared) {
      best = narrower(best, curve.delta(epsilon));
    }
    if (!isNarrow(best)) {
      best = narrower(best, another(epsilon));
    }
    return best.upper();
  }

  /** Prepares a curve near this epsilon and returns its bracket. */
  private Bracket another(double epsilon) {
    if (failures < MAX_FAILURES) {
      @Nullable Contour contour = Contour.forEpsilon(steps, direction, epsilon);
      Bracket bracket = contour == null ? null : contour.delta(epsilon);
      if (contour != null && bracket != null && isNarrow(bracket)) {
        prepared.add(contour);
        return bracket;
      }
      failures++;
    }
    if (!TightAccountant.latticeAnswers(steps)) {
      return accountant.rdpDelta(steps, epsilon);
    }
    if (lattices == MAX_LATTICES) {
      return new Bracket(0, 1, Bracket.Method.LATTICE);
    }
    lattices++;
    Lattice lattice = Lattice.forEpsilon(steps, direction, epsilon);
    prepared.add(lattice);
    return lattice.delta(epsilon);
  }

  private static Bracket narrower(Bracket a, Bracket b) {
    return b.upper() < a.upper() ? b : a;
  }

  private static boolean isNarrow(Bracket bracket) {
    double limit = bracket.method() == Bracket.Method.CONTOUR ? NARROW_CONTOUR : NARROW;
    return bracket.width() <= limit * bracket.upper();
  }
}
