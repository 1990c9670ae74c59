package org.sordino.accounting;

import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.sordino.Neighboring;
import org.sordino.PrivacyEvent;

/**
 * The exact privacy cost of any composition of plain and Poisson-sampled Gaussians, enclosed in a
 * certified bracket. The upper end of the bracket is reported as the guarantee.
 *
 * <p>Plain Gaussians and a single sampled step have a closed form. For everything else, {@link
 * Contour} computes about twelve digits in milliseconds. Where it cannot certify its result (few
 * steps at a tiny sampling rate), {@link Lattice} computes fewer digits in up to a second. Where
 * neither applies, the upper end is that of RDP and the lower end is 0. {@link
 * #epsilonBracket(PrivacyEvent, double)} also computes RDP: if it is below the lower end, one of
 * the two is wrong and an exception is thrown.
 */
public final class TightAccountant extends StepAccountant {

  /**
   * Contour brackets wider than both of these limits, absolute and relative, are refined with the
   * lattice.
   */
  private static final double WIDE = 1e-9;

  private static final double WIDE_RELATIVE = 1e-6;

  /**
   * If epsilon differs from the contour's estimate by more than this fraction, a new contour is
   * prepared.
   */
  private static final double FAR = 1e-3;

  /** Below this delta, intermediate doubles underflow; the upper end is then RDP. */
  private static final double LEAST_CONTOUR_DELTA = 1e-280;

  /**
   * Beyond these limits the lattice takes too long; the upper end is then RDP and the lower end 0.
   */
  private static final double LEAST_LATTICE_NOISE = 0.1;

  private static final double LARGEST_LATTICE_NOISE = 1e6;
  static final double LEAST_LATTICE_RATE = 1e-12;
  private static final double LEAST_LATTICE_DELTA = 1e-50;

  private TightAccountant(Neighboring neighboring) {
    super(neighboring);
  }

  /** Creates an accountant for this relation. */
  public static TightAccountant of(Neighboring neighboring) {
    return new TightAccountant(neighboring);
  }

  @Override
  public String name() {
    return "tight";
  }

  @Override
  public Evidence evidence() {
    return Evidence.BOUND;
  }

  /**
   * Returns a bracket of epsilon(delta), the largest over all directions.
   *
   * @throws ArithmeticException if the RDP epsilon is below the lower end, which indicates a defect
   */
  public Bracket epsilonBracket(PrivacyEvent event, double delta) {
    requireDelta(delta); // throws here rather than in another thread
    supportedSteps(event);
    Bracket bracket = worst(direction -> epsilonBracket(event, delta, direction));
    double rdp = RdpAccountant.of(neighboring()).epsilon(event, delta);
    if (bracket.lower() > rdp) {
      throw new ArithmeticException(
          "accountants disagree: the tight bracket "
              + bracket
              + " is above the RDP epsilon "
              + rdp);
    }
    return bracket;
  }

  /** Returns a bracket of delta(epsilon), the largest over all directions. */
  public Bracket deltaBracket(PrivacyEvent event, double epsilon) {
    requireEpsilon(epsilon);
    supportedSteps(event);
    return worst(direction -> deltaBracket(event, epsilon, direction));
  }

  /** Returns a bracket of epsilon(delta) in one direction of {@link #neighboring}. */
  public Bracket epsilonBracket(PrivacyEvent event, double delta, Direction direction) {
    requireDelta(delta);
    List<Step> steps = supportedSteps(event);
    if (steps.isEmpty() || delta == 1) {
      return new Bracket(0, 0, Bracket.Method.CLOSED_FORM);
    }
    if (delta == 0 || isNoiseless(steps)) {
      return new Bracket(0, Double.POSITIVE_INFINITY, Bracket.Method.CLOSED_FORM);
    }
    return epsilon(steps, delta, direction);
  }

  /** Returns a bracket of delta(epsilon) in one direction of {@link #neighboring}. */
  public Bracket deltaBracket(PrivacyEvent event, double epsilon, Direction direction) {
    requireEpsilon(epsilon);
    List<Step> steps = supportedSteps(event);
    if (steps.isEmpty()) {
      return new Bracket(0, 0, Bracket.Method.CLOSED_FORM);
    }
    if (isNoiseless(steps)) {
      return new Bracket(0, 1, Bracket.Method.CLOSED_FORM);
    }
    return epsilon == Double.POSITIVE_INFINITY
        ? new Bracket(0, 0, Bracket.Method.CLOSED_FORM)
        : delta(steps, epsilon, direction);
  }

  @Override
  double epsilon(List<Step> steps, double delta) {
    return worst(direction -> epsilon(steps, delta, direction)).upper();
  }

  @Override
  double delta(List<Step> steps, double epsilon) {
    return worst(direction -> delta(steps, epsilon, direction)).upper();
  }

  /**
   * Returns the largest bracket over all directions, which are independent and evaluated in
   * parallel.
   */
  private Bracket worst(Function<Direction, Bracket> bracket) {
    return Direction.of(neighboring()).parallelStream()
        .map(bracket)
        .reduce(Bracket::max)
        .orElseThrow();
  }

  /** As the public method, for steps with noise and a delta strictly between 0 and 1. */
  Bracket epsilon(List<Step> steps, double delta, Direction direction) {
    DeltaCurve closed = closedForm(steps, direction);
    if (closed != null) {
      return Inversion.epsilon(closed, delta, GaussianCurve.epsilon(closed, delta));
    }
    Bracket contour = contourEpsilon(steps, delta, direction);
    if (contour != null && !isWide(contour, WIDE)) {
      return contour;
    }
    double rdp = Math.max(0, RdpAccountant.of(neighboring()).epsilon(steps, delta));
    Bracket known = contour == null ? atMost(rdp) : contour;
    if (!latticeAnswers(steps) || delta < LEAST_LATTICE_DELTA) {
      return known;
    }
    return known.intersect(
        Inversion.epsilon(Lattice.forDelta(steps, direction, delta), delta, rdp));
  }

  private static @Nullable Bracket contourEpsilon(
      List<Step> steps, double delta, Direction direction) {
    Contour contour =
        delta < LEAST_CONTOUR_DELTA ? null : Contour.forDelta(steps, direction, delta);
    if (contour == null) {
      return null;
    }
    Bracket bracket = Inversion.epsilon(contour, delta, contour.estimate());
    double upper = bracket.upper();
    if (Math.abs(upper - contour.estimate()) <= FAR * upper || upper == Double.POSITIVE_INFINITY) {
      return bracket;
    }
    Contour nearer = Contour.forEpsilon(steps, direction, upper, delta);
    return nearer == null ? bracket : bracket.intersect(Inversion.epsilon(nearer, delta, upper));
  }

  private Bracket delta(List<Step> steps, double epsilon, Direction direction) {
    Bracket closed = closedDelta(steps, epsilon, direction);
    if (closed != null) {
      return closed;
    }
    Contour contour = Contour.forEpsilon(steps, direction, epsilon);
    Bracket bracket = contour == null ? null : contour.delta(epsilon);
    if (bracket != null && !isWide(bracket, 0)) {
      return bracket;
    }
    Bracket known = bracket == null ? rdpDelta(steps, epsilon) : bracket;
    if (!latticeAnswers(steps) || known.upper() < LEAST_LATTICE_DELTA) {
      return known;
    }
    return known.intersect(Lattice.forEpsilon(steps, direction, epsilon).delta(epsilon));
  }

  /** Returns the bracket of delta(epsilon) that RDP gives; its lower end is 0. */
  Bracket rdpDelta(List<Step> steps, double epsilon) {
    return atMost(Math.min(1, RdpAccountant.of(neighboring()).delta(steps, epsilon)));
  }

  /** Returns the bracket of delta(epsilon) that a closed form gives; null if there is none. */
  static @Nullable Bracket closedDelta(List<Step> steps, double epsilon, Direction direction) {
    if (direction == Direction.ADD && epsilon >= largestAddedLoss(steps)) {
      return new Bracket(0, 0, Bracket.Method.CLOSED_FORM);
    }
    DeltaCurve closed = closedForm(steps, direction);
    return closed == null ? null : closed.delta(epsilon);
  }

  /** Returns whether the lattice answers at reasonable cost. */
  static boolean latticeAnswers(List<Step> steps) {
    return steps.stream()
        .allMatch(
            step ->
                step.noiseMultiplier() >= LEAST_LATTICE_NOISE
                    && step.noiseMultiplier() <= LARGEST_LATTICE_NOISE
                    && step.samplingRate() >= LEAST_LATTICE_RATE);
  }

  private static Bracket atMost(double upper) {
    return new Bracket(0, upper, Bracket.Method.RDP);
  }

  /**
   * Returns the largest loss of an added record, rounded up: -log b is at most -log(1-q) in each
   * step.
   */
  private static double largestAddedLoss(List<Step> steps) {
    double sum = 0;
    for (Step step : steps) {
      sum -= step.count() * Math.log1p(-step.samplingRate());
    }
    return sum * (1 + 1e-14);
  }

  private static boolean isWide(Bracket bracket, double absolute) {
    return bracket.width() > Math.max(absolute, WIDE_RELATIVE * bracket.upper());
  }

  private static @Nullable DeltaCurve closedForm(List<Step> steps, Direction direction) {
    if (steps.stream().allMatch(step -> step.samplingRate() == 1)) {
      return GaussianCurve.gaussian(steps, direction);
    }
    boolean single = steps.size() == 1 && steps.get(0).count() == 1;
    return single ? GaussianCurve.singleStep(steps.get(0), direction) : null;
  }
}
