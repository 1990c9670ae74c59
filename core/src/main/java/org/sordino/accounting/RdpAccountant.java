package org.sordino.accounting;

import java.util.List;
import java.util.function.DoubleUnaryOperator;
import org.sordino.Neighboring;
import org.sordino.PrivacyEvent;
import org.sordino.accounting.LossQuadrature.Approximate;
import org.sordino.accounting.LossQuadrature.Cutoff;

/**
 * Renyi differential privacy (Mironov 2017, arXiv:1702.07476). The Renyi divergence of order alpha
 * is RDP = K(alpha - 1) / (alpha - 1), with the log moment K of the privacy loss. It adds up over
 * steps, and any order gives a valid guarantee (Canonne, Kamath and Steinke 2020, arXiv:2004.00010,
 * proposition 12)
 *
 * <pre>
 *   eps = RDP + log(1 - 1/alpha) - (ln delta + ln alpha) / (alpha - 1)
 * </pre>
 *
 * <p>alpha is optimized over the real numbers above 1, not chosen from a list. Every order is
 * valid, so the search cannot invalidate the bound. The result includes the error bound of K and
 * the rounding of the formula. Removing a record has a larger divergence than adding one at every
 * order (Mironov, Talwar and Zhang 2019, arXiv:1908.10530, theorem 5), so only removal is computed.
 */
public final class RdpAccountant extends StepAccountant {

  /** Range of the search for log(alpha - 1), in steps of log 3. */
  private static final double LEAST_LOG_TILT = Math.log(1e-4);

  private static final double LARGEST_LOG_TILT = Math.log(1e12);
  private static final double LOG_TILT_SPACING = Math.log(3);

  /** Up to this order a binomial sum replaces a quadrature that would be too large. */
  private static final int LARGEST_WHOLE_ORDER = 256;

  private final Direction direction;

  private RdpAccountant(Neighboring neighboring) {
    super(neighboring);
    this.direction = Direction.of(neighboring).get(0);
  }

  /** Creates an accountant for this relation. */
  public static RdpAccountant of(Neighboring neighboring) {
    return new RdpAccountant(neighboring);
  }

  @Override
  public String name() {
    return "rdp";
  }

  @Override
  public Evidence evidence() {
    return Evidence.BOUND;
  }

  /**
   * Returns the Renyi divergence of all these events together, to about 14 digits. Where the
   * quadrature is not feasible (noise multipliers of a few hundredths, or orders beyond 100,000
   * times the noise multiplier), the result is an upper bound.
   *
   * @param order alpha, above 1 and finite
   */
  public double rdp(PrivacyEvent event, double order) {
    if (!(order > 1 && order < Double.POSITIVE_INFINITY)) {
      throw new IllegalArgumentException("order must be above 1 and finite, got " + order);
    }
    double sum = 0;
    for (Step step : supportedSteps(event)) {
      sum += step.count() * (logMoment(step, order - 1).value() / (order - 1));
    }
    return sum;
  }

  /**
   * Returns the guarantee at one given order instead of the best, rounded up. A filter needs this:
   * when later events are chosen after seeing earlier results, only an order that was fixed in
   * advance is valid (Feldman and Zrnic 2021, arXiv:2008.11193; Lecuyer 2021, arXiv:2103.01379).
   *
   * @param delta above 0 and below 1
   * @param order alpha, above 1 and finite
   */
  public double epsilonAtOrder(PrivacyEvent event, double delta, double order) {
    if (!(delta > 0 && delta < 1)) {
      throw new IllegalArgumentException("delta must be above 0 and below 1, got " + delta);
    }
    if (!(order > 1 && order < Double.POSITIVE_INFINITY)) {
      throw new IllegalArgumentException("order must be above 1 and finite, got " + order);
    }
    List<Step> steps = supportedSteps(event);
    if (steps.isEmpty()) {
      return 0;
    }
    return isNoiseless(steps)
        ? Double.POSITIVE_INFINITY
        : Math.max(0, epsilonAtTilt(steps, Math.log(delta), order - 1) * (1 + 4 * Bracket.U));
  }

  @Override
  double epsilon(List<Step> steps, double delta) {
    double logDelta = Math.log(delta);
    if (logDelta >= logDeltaAtZero(steps)) {
      return 0;
    }
    return best(log -> epsilonAtTilt(steps, logDelta, Math.exp(log))) * (1 + 4 * Bracket.U);
  }

  /** Evaluates the formula at alpha = 1 + c, rounded up. */
  private double epsilonAtTilt(List<Step> steps, double logDelta, double c) {
    double log = Math.log(c);
    double order = Math.log1p(c);
    double tail = (logDelta + order) / c;
    double rounding = 8 * Bracket.U * (Math.abs(log) + order - logDelta / c + 1);
    return logMoment(steps, c) / c + (log - order) - tail + rounding;
  }

  /** Solves the formula for delta, at the best order. */
  @Override
  double delta(List<Step> steps, double epsilon) {
    DoubleUnaryOperator atLogTilt =
        log -> {
          double c = Math.exp(log);
          double order = Math.log1p(c);
          double moment = logMoment(steps, c);
          double rounding =
              8 * Bracket.U * (moment + c * (epsilon + Math.abs(log) + order) + order);
          return moment - c * epsilon + c * (Math.log(c) - order) - order + rounding;
        };
    return Math.exp(Math.min(best(atLogTilt), logDeltaAtZero(steps))) + Double.MIN_NORMAL;
  }

  private static double best(DoubleUnaryOperator atLogTilt) {
    return Minimum.ofValley(atLogTilt, LEAST_LOG_TILT, LARGEST_LOG_TILT, LOG_TILT_SPACING).value();
  }

  /**
   * Returns the logarithm of sqrt(1 - e^-RDP), which bounds delta at epsilon 0: the total variation
   * (Bretagnolle and Huber 1979; the divergence of order 1 is at most that of any larger order).
   */
  private double logDeltaAtZero(List<Step> steps) {
    double c = 0.01; // a smaller c would be tighter if K had no absolute error
    double divergence = logMoment(steps, c) / c * (1 + 16 * Bracket.U);
    return 0.5 * Math.log(-Math.expm1(-divergence)) + 8 * Bracket.U;
  }

  /** Returns K(c) of all steps, rounded up. */
  private double logMoment(List<Step> steps, double c) {
    double sum = 0;
    for (Step step : steps) {
      Approximate one = logMoment(step, c);
      sum += step.count() * (one.value() + one.error());
    }
    return sum * (1 + (4 + steps.size()) * Bracket.U);
  }

  /**
   * Returns K(c) of one step: alpha (alpha - 1) mu^2 / 2 for a plain Gaussian, else by quadrature.
   */
  private Approximate logMoment(Step step, double c) {
    double unsampled = unsampledLogMoment(step, c);
    if (step.samplingRate() == 1) {
      return new Approximate(unsampled, 8 * Bracket.U * unsampled);
    }
    LossQuadrature quadrature = LossQuadrature.of(step, direction, Cutoff.NONE, c, 0);
    if (quadrature != null) {
      return quadrature.logMoment(c);
    }
    double bound = Math.min(unsampled, wholeOrderLogMoment(step, c));
    return new Approximate(bound, 8 * Bracket.U * bound);
  }

  /**
   * Returns the log moment of the step if every record were drawn; never less than with sampling.
   */
  private double unsampledLogMoment(Step step, double c) {
    double mu = (direction == Direction.REPLACE ? 2 : 1) / step.noiseMultiplier();
    return (1 + c) * c * mu * mu / 2;
  }

  /**
   * Returns a bound from the next integer order, a binomial sum: the divergence rises with its
   * order.
   */
  private double wholeOrderLogMoment(Step step, double c) {
    double order = Math.ceil(1 + c);
    if (direction == Direction.REPLACE || !(order <= LARGEST_WHOLE_ORDER)) {
      return Double.POSITIVE_INFINITY;
    }
    double moment =
        MomentsAccountant.logMoment(step.samplingRate(), step.noiseMultiplier(), (int) order);
    return c * (moment / (order - 1));
  }
}
