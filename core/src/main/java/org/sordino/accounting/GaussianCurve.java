package org.sordino.accounting;

import static org.sordino.accounting.Bracket.U;

import java.util.List;

/**
 * delta as a function of epsilon in closed form: for any number of plain Gaussians, and for one
 * Poisson-sampled Gaussian. Brackets are as wide as rounding requires.
 *
 * <p>Every formula is evaluated twice, at both ends of the intervals that contain its rounded
 * arguments, in the direction in which it is known to be monotone. {@link MillsRatio#allowance}
 * covers the evaluation itself. An upper end may exceed the true value by the smallest normal
 * double, so that underflow never yields 0.
 */
final class GaussianCurve {

  /**
   * From this mu on, rounding destroys all digits of e^(mu^2), and the REPLACE bracket is trivial.
   */
  private static final double LARGEST_MU = 1e6;

  /** Below this delta, the allowance for underflow matters, and a tail bound is used instead. */
  private static final double LEAST_DELTA = 1e-300;

  private GaussianCurve() {}

  /**
   * Returns the curve of a mu-GDP mechanism: delta = Phi(mu/2 - eps/mu) - e^eps Phi(-mu/2 - eps/mu)
   * (Balle and Wang 2018, arXiv:1805.06530, theorem 8; Dong, Roth and Su 2019, arXiv:1905.02383,
   * corollary 2.13).
   *
   * @param mu at least 0, taken as exact; may be infinite
   */
  static DeltaCurve gaussian(double mu) {
    return epsilon -> bracket(lower(epsilon, mu), upper(epsilon, mu), 1);
  }

  /**
   * Returns the curve of a composition of plain Gaussians, with mu^2 = sum count / sigma^2. When a
   * record is replaced, mu is twice as large, because the sum then moves by up to twice the bound.
   *
   * @param steps all with sampling rate 1
   */
  static DeltaCurve gaussian(List<Step> steps, Direction direction) {
    double mu = mu(steps) * (direction == Direction.REPLACE ? 2 : 1);
    double error = (8 + steps.size()) * U;
    return epsilon ->
        bracket(lower(epsilon, mu * (1 - error)), upper(epsilon, mu * (1 + error)), 1);
  }

  /**
   * Returns sqrt(sum count / sigma^2), within 4 + steps.size() ulps; scaled so that no square
   * overflows.
   */
  static double mu(List<Step> steps) {
    double largest = 0;
    for (Step step : steps) {
      largest = Math.max(largest, Math.sqrt((double) step.count()) / step.noiseMultiplier());
    }
    if (largest == 0 || largest == Double.POSITIVE_INFINITY) {
      return largest;
    }
    double sum = 0;
    for (Step step : steps) {
      double share = Math.sqrt((double) step.count()) / step.noiseMultiplier() / largest;
      sum += share * share;
    }
    return largest * Math.sqrt(sum);
  }

  /** Returns the curve of one step with this rate and noise; the count is ignored. */
  static DeltaCurve singleStep(Step step, Direction direction) {
    double q = step.samplingRate();
    double sigma = step.noiseMultiplier();
    if (q == 1) {
      return gaussian(List.of(new Step(1, sigma, 1)), direction);
    }
    return switch (direction) {
      case REMOVE -> epsilon -> remove(q, sigma, epsilon);
      case ADD -> epsilon -> add(q, sigma, epsilon);
      case REPLACE -> epsilon -> replace(q, sigma, epsilon);
    };
  }

  /**
   * Returns the smallest epsilon at which the upper end of the curve is at most delta, rounded up.
   */
  static double epsilon(DeltaCurve curve, double delta) {
    double log = Math.log(delta);
    return Monotone.leastRoot(epsilon -> Math.log(curve.delta(epsilon).upper()) - log);
  }

  /** Returns the epsilon of a mu-GDP mechanism at delta, rounded up. */
  static double epsilon(double mu, double delta) {
    double log = Math.log(delta);
    // delta <= Phi(-x) <= e^(-x^2/2) at x = eps/mu - mu/2, so this epsilon always suffices.
    double enough = mu * (mu / 2 + Math.sqrt(-2 * log)) * (1 + 8 * U);
    if (delta < LEAST_DELTA) {
      return enough;
    }
    return Monotone.leastRoot(
        epsilon -> Math.log(upper(epsilon, mu) + Double.MIN_NORMAL) - log, enough);
  }

  /**
   * Returns delta = q deltaGauss(eps') with e^eps' = 1 + (e^eps - 1)/q and mu = 1/sigma. The
   * sampled density exceeds e^eps times the plain one exactly where the Gaussian loss exceeds eps'
   * (Balle, Barthe and Gaboardi 2018, arXiv:1807.01647, theorem 2, which is tight here). The
   * formula falls in eps' and rises in mu.
   */
  private static Bracket remove(double q, double sigma, double epsilon) {
    double amplified = unamplify(q, epsilon);
    double mu = 1 / sigma;
    double error = 8 * U;
    double lower = q * lower(amplified * (1 + error), mu * (1 - error));
    double upper = q * upper(amplified * (1 - error), mu * (1 + error));
    return bracket(lower * (1 - error), upper * (1 + error), q);
  }

  /** Returns log(1 + (e^epsilon - 1)/q), within 8 ulps: all terms are positive. */
  private static double unamplify(double q, double epsilon) {
    double ratio = Math.expm1(epsilon) / q;
    if (ratio < Double.POSITIVE_INFINITY) {
      return Math.log1p(ratio);
    }
    double log =
        epsilon > 1 ? epsilon + Math.log1p(-Math.exp(-epsilon)) : Math.log(Math.expm1(epsilon));
    return log - Math.log(q);
  }

  /**
   * Returns delta = q e^eps g deltaGauss(-log g) with g = 1 - (1 - e^-eps)/q, and 0 if g is not
   * positive: the loss in this direction never exceeds -log(1-q). The factor g deltaGauss(-log g) =
   * sup_S (g P(S) - Q(S)) rises in g.
   */
  private static Bracket add(double q, double sigma, double epsilon) {
    double z = Math.expm1(-epsilon) / q; // g - 1, within 2 ulps
    double mu = 1 / sigma;
    double error = 4 * U;
    double lower = addAt(q, epsilon, z * (1 + error), false, mu * (1 - error));
    double upper = addAt(q, epsilon, z * (1 - error), true, mu * (1 + error));
    return epsilon > -Math.log1p(-q) * (1 + error) // 1-q is exact for the q where rounding matters
        ? new Bracket(0, 0, Bracket.Method.CLOSED_FORM)
        : bracket(lower, upper, q);
  }

  private static double addAt(double q, double epsilon, double z, boolean up, double mu) {
    if (z <= -1) {
      return 0;
    }
    double shifted = -Math.log1p(z); // -log g
    double error = 8 * U * (up ? 1 : -1);
    double gauss = up ? upper(shifted * (1 - 2 * U), mu) : lower(shifted * (1 + 2 * U), mu);
    return q * Math.exp(epsilon) * (1 + z) * gauss * (1 + error);
  }

  /**
   * Returns delta of P = (1-q) n_0 + q n_1 against R = (1-q) n_0 + q n_-1. The loss rises in x and
   * reaches eps at
   *
   * <pre>
   *   x / sigma^2 = eps/2 + theta,   sinh(theta) = (1-q)/q e^(mu^2/2) sinh(eps/2),   mu = 1/sigma
   * </pre>
   *
   * (a quadratic in e^(x/sigma^2)). There (1-q)(1 - e^eps) = q (e^(eps+v) - e^w), where w and v are
   * the exponents of n_1/n_0 and n_-1/n_0. This turns P(X &gt; x) - e^eps R(X &gt; x) into a sum of
   * two positive terms, with t = x/sigma and H as in {@link MillsRatio}:
   *
   * <pre>
   *   delta = q [ H(t - mu, mu) + e^(eps/2 - theta - mu^2/2) H(t, mu) ]
   * </pre>
   *
   * Both terms fall in t, so for t below (above) the true crossing the result is at least (at most)
   * delta.
   */
  private static Bracket replace(double q, double sigma, double epsilon) {
    double mu = 1 / sigma;
    if (!(mu < LARGEST_MU)) {
      return new Bracket(0, q, Bracket.Method.CLOSED_FORM);
    }
    return bracket(replaceAt(q, mu, epsilon, false), replaceAt(q, mu, epsilon, true), q);
  }

  private static double replaceAt(double q, double mu, double epsilon, boolean up) {
    double sign = up ? 1 : -1;
    double theta = theta(q, mu, epsilon, -sign);
    double spread = mu * (1 + sign * 2 * U);
    double t = (epsilon / 2 + theta) / mu * (1 - sign * 8 * U);
    if (t == Double.POSITIVE_INFINITY) {
      return 0;
    }
    double left = t - spread;
    left -= sign * U * (t + spread);
    if (left > MillsRatio.UNDERFLOW_FROM) {
      return 0;
    }
    double exponent = epsilon / 2 - theta - mu * mu / 2;
    double exponentError = 16 * U * (epsilon + theta + mu * mu);
    double near = MillsRatio.excess(left, spread) * (1 + sign * MillsRatio.allowance(left));
    double far = MillsRatio.excess(t, spread) * (1 + sign * MillsRatio.allowance(t));
    return q * (near + Math.exp(exponent + sign * exponentError) * far) * (1 + sign * 8 * U);
  }

  /**
   * Returns asinh((1-q)/q e^(mu^2/2) sinh(eps/2)), rounded up or down as {@code sign} is positive
   * or negative; computed in logarithms throughout.
   */
  private static double theta(double q, double mu, double epsilon, double sign) {
    double half = epsilon / 2;
    if (half == 0) {
      return 0;
    }
    double logSinh =
        half > 1 ? half - Math.log(2) + Math.log1p(-Math.exp(-epsilon)) : Math.log(Math.sinh(half));
    double odds = Math.log1p(-q) - Math.log(q);
    double square = mu * mu / 2;
    double error = 8 * U * (Math.abs(odds) + square + Math.abs(logSinh) + 2);
    double log = odds + square + logSinh + sign * error;
    if (log > 20) {
      return log + Math.log(2); // asinh z = log 2z + 1/(4 z^2) - ..., and the rest is below 1e-18
    }
    double z = Math.exp(log);
    return Math.log1p(z + z * z / (1 + Math.sqrt(1 + z * z))) * (1 + sign * 8 * U);
  }

  /**
   * Returns at least the delta of a mu-GDP mechanism for these exact arguments, up to underflow.
   */
  private static double upper(double epsilon, double mu) {
    if (mu == 0) {
      return 0;
    }
    if (mu == Double.POSITIVE_INFINITY) {
      return 1;
    }
    double x = crossing(epsilon, mu);
    return MillsRatio.excess(x, mu) * (1 + MillsRatio.allowance(x));
  }

  /** Returns at most the delta of a mu-GDP mechanism for these exact arguments, up to underflow. */
  private static double lower(double epsilon, double mu) {
    if (!(mu > 0 && mu < Double.POSITIVE_INFINITY)) {
      return 0;
    }
    double x = crossing(epsilon, mu);
    return MillsRatio.excess(x, mu) * (1 - MillsRatio.allowance(x));
  }

  /**
   * Returns eps/mu - mu/2 within three ulps: the remainder of the division undoes the cancellation.
   */
  private static double crossing(double epsilon, double mu) {
    double quotient = epsilon / mu;
    if (quotient == Double.POSITIVE_INFINITY) {
      return quotient;
    }
    double remainder = Math.fma(-quotient, mu, epsilon) / mu;
    return (quotient - mu / 2) + remainder;
  }

  /**
   * Widens the interval for underflow and caps it at {@code limit}, the largest possible delta: a
   * record that is not drawn costs nothing.
   */
  private static Bracket bracket(double lower, double upper, double limit) {
    return new Bracket(
        Math.max(0, lower - Double.MIN_NORMAL),
        Math.min(limit, upper + Double.MIN_NORMAL),
        Bracket.Method.CLOSED_FORM);
  }
}
