package org.sordino.accounting;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.sordino.Neighboring;

/**
 * The moments accountant as published (Abadi et al. 2016, arXiv:1607.00133). It combines, for every
 * integer lambda from 1 to 32, the log moment alpha of the privacy loss, which adds up over steps
 * (theorem 2.1), with the tail bound (theorem 2.2)
 *
 * <pre>
 *   eps = min_lambda (sum alpha + ln(1/delta)) / lambda,   delta = min_lambda e^(sum alpha - lambda eps)
 * </pre>
 *
 * alpha(lambda) is the larger of log E_Q[(P/Q)^(lambda+1)] and log E_Q[(P/Q)^-lambda]. For this
 * mechanism the first is never the smaller one (Mironov, Talwar and Zhang 2019, arXiv:1908.10530,
 * theorem 5), so only the first is computed. {@link RdpAccountant} implements the same idea without
 * restricting lambda to integers and with a better tail bound.
 */
public final class MomentsAccountant extends StepAccountant {

  private static final int LARGEST_LAMBDA = 32;

  /** Beyond this exponent, e^x is represented by its logarithm. */
  private static final double LARGEST_EXPONENT = 700;

  private MomentsAccountant(Neighboring neighboring) {
    super(neighboring);
  }

  /** Creates an accountant for this relation; under REPLACE_ONE it supports no event. */
  public static MomentsAccountant of(Neighboring neighboring) {
    return new MomentsAccountant(neighboring);
  }

  @Override
  public String name() {
    return "moments";
  }

  @Override
  public Evidence evidence() {
    return Evidence.BOUND;
  }

  @Override
  @Nullable String refusal(List<Step> steps) {
    return refusalOfReplacement(steps, "tight or rdp");
  }

  @Override
  double epsilon(List<Step> steps, double delta) {
    double best = Double.POSITIVE_INFINITY;
    for (int lambda = 1; lambda <= LARGEST_LAMBDA; lambda++) {
      best = Math.min(best, (logMoment(steps, lambda) - Math.log(delta)) / lambda);
    }
    return best * (1 + 4 * Bracket.U);
  }

  @Override
  double delta(List<Step> steps, double epsilon) {
    double best = 0;
    for (int lambda = 1; lambda <= LARGEST_LAMBDA; lambda++) {
      double moment = logMoment(steps, lambda);
      double rounding = 4 * Bracket.U * (moment + lambda * epsilon);
      if (moment < Double.POSITIVE_INFINITY) {
        best = Math.min(best, moment - lambda * epsilon + rounding);
      }
    }
    return Math.exp(best) + Double.MIN_NORMAL;
  }

  /** Returns the sum of alpha(lambda) over all steps, rounded up. */
  private static double logMoment(List<Step> steps, int lambda) {
    double sum = 0;
    for (Step step : steps) {
      sum += step.count() * logMoment(step.samplingRate(), step.noiseMultiplier(), lambda + 1);
    }
    return sum * (1 + (4 + steps.size()) * Bracket.U);
  }

  /**
   * Returns log E_Q[(P/Q)^order] of one step, rounded up by at most 1e-11 of itself for exponents
   * below 1e4.
   *
   * <p>The binomial sum minus 1 is itself a binomial sum: terms 0 and 1 are zero and all others are
   * positive, sum_{i&gt;=2} C(order, i) q^i (1-q)^(order-i) (e^((i^2-i)/(2 sigma^2)) - 1) (Mironov,
   * Talwar and Zhang 2019, section 3.3). Nothing cancels, even for tiny q.
   */
  static double logMoment(double q, double sigma, int order) {
    double scale = 0.5 / sigma / sigma;
    if (q == 1) {
      return order * (order - 1.0) * scale * (1 + 8 * Bracket.U);
    }
    double[] logs = new double[order + 1];
    double largest = Double.NEGATIVE_INFINITY;
    double magnitude = 1;
    double logBinomial = Math.log(order);
    for (int i = 2; i <= order; i++) {
      logBinomial += Math.log((order - i + 1.0) / i);
      double exponent = Math.max(i * (i - 1.0) * scale, Double.MIN_NORMAL);
      double logExpm1 = exponent > LARGEST_EXPONENT ? exponent : Math.log(Math.expm1(exponent));
      double in = i * Math.log(q);
      double out = (order - i) * Math.log1p(-q);
      logs[i] = logBinomial + in + out + logExpm1;
      largest = Math.max(largest, logs[i]);
      magnitude = Math.max(magnitude, order + Math.abs(logExpm1) - in - out);
    }
    if (largest == Double.POSITIVE_INFINITY) {
      return largest;
    }
    double sum = 0;
    for (int i = 2; i <= order; i++) {
      sum += Math.exp(logs[i] - largest);
    }
    double logExcess = largest + Math.log(sum) + 8 * Bracket.U * (magnitude + order);
    return logExcess > LARGEST_EXPONENT
        ? logExcess * (1 + 4 * Bracket.U)
        : Math.log1p(Math.exp(logExcess)) * (1 + 4 * Bracket.U);
  }
}
