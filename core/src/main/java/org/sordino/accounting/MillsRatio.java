package org.sordino.accounting;

/**
 * Computes differences of normal tails without cancellation. Every closed form of a Gaussian
 * mechanism uses them.
 *
 * <p>With the normal density phi, the distribution function Phi and the Mills ratio R(x) = Phi(-x)
 * / phi(x) = sqrt(pi/2) erfcx(x / sqrt 2), the tail excess is
 *
 * <pre>
 *   H(x, mu) = Phi(-x) - e^(mu x + mu^2 / 2) Phi(-x - mu) = phi(x) (R(x) - R(x + mu))
 * </pre>
 *
 * because the exponential is phi(x) / phi(x + mu). H falls in x and rises in mu.
 */
final class MillsRatio {

  private static final double U = Bracket.U;

  /** Beyond this x the tail Phi(-x) is below the smallest double, so H(x, mu) is 0. */
  static final double UNDERFLOW_FROM = 40;

  private static final double SQRT_TWO_PI = Math.sqrt(2 * Math.PI);

  /** Positive nodes and weights of the 16-point Gauss-Legendre rule on [-1, 1]. */
  private static final double[] NODES = {
    0.095012509837637440185, 0.28160355077925891323, 0.45801677765722738634, 0.61787624440264374845,
    0.75540440835500303390, 0.86563120238783174388, 0.94457502307323257608, 0.98940093499164993260
  };

  private static final double[] WEIGHTS = {
    0.18945061045506849629,
    0.18260341504492358887,
    0.16915651939500253819,
    0.14959598881657673208,
    0.12462897125553387205,
    0.095158511682492784810,
    0.062253523938647892863,
    0.027152459411754094852
  };

  /**
   * Smallest t for the continued fraction. There, 1 - t R(t) loses less than four bits, and the
   * continued fraction is still short.
   */
  private static final double CONTINUED_FRACTION_FROM = 2;

  private MillsRatio() {}

  /**
   * Returns H(x, mu) for mu &gt; 0 and x + mu &gt;= 0, with a relative error of at most {@link
   * #allowance(double)} even if x itself has a relative error of three ulps.
   */
  static double excess(double x, double mu) {
    double near = Normal.mills(x);
    double far = Normal.mills(x + mu);
    if (far > near / 2) {
      return density(x) * fall(x, mu);
    }
    // The difference is at least half of the larger term: at most one bit is lost.
    return x < 0 ? Normal.tail(x) - density(x) * far : density(x) * (near - far);
  }

  /**
   * Returns a bound on the relative error of {@link #excess}.
   *
   * <p>erfc and erfcx of commons-numbers have a largest observed error of 2.4 ulps, exp and the
   * arithmetic add about as much, and the subtraction triples the sum: 24 ulps. 1 - t R(t) below 2
   * costs a factor of 1/0.157, which is 32 ulps more. An error of three ulps in x, and the rounding
   * of x^2, change the density by 4 x^2 ulps. 64 + 8 x^2 is close to twice the sum; the test
   * compares it with 60-digit arithmetic.
   */
  static double allowance(double x) {
    double t = Math.max(0, Math.min(x, UNDERFLOW_FROM));
    return (64 + 8 * t * t) * U;
  }

  /** Returns phi(x). */
  private static double density(double x) {
    return Math.exp(-0.5 * x * x) / SQRT_TWO_PI;
  }

  /**
   * Returns R(x) - R(x + mu) as the integral of -R'(t) = 1 - t R(t), for R(x + mu) above half of
   * R(x).
   *
   * <p>-R'(t) is the Laplace transform of s e^(-s^2/2), so all its derivatives of even order are
   * positive and fall. Therefore the 16-point rule errs downward, and its classical error term,
   * with mu at most about x, is below 6e-18 of the result, far below the allowance.
   */
  private static double fall(double x, double mu) {
    double half = mu / 2;
    double center = x + half;
    double sum = 0;
    for (int i = 0; i < NODES.length; i++) {
      double offset = half * NODES[i];
      sum += WEIGHTS[i] * (slope(center - offset) + slope(center + offset));
    }
    return half * sum;
  }

  /**
   * Returns -R'(t) = 1 - t R(t). For large t this cancels. Laplace's continued fraction R = 1/(t +
   * c), c = 1/(t + 2/(t + 3/(t + ...))) gives it as c/(t + c), a quotient of positive terms.
   */
  private static double slope(double t) {
    if (t < CONTINUED_FRACTION_FROM) {
      return 1 - t * Normal.mills(t);
    }
    int depth = 12 + (int) (480 / (t * t)); // truncation error below 5e-18 of the result
    double c = t;
    for (int k = depth; k >= 2; k--) {
      c = t + k / c;
    }
    return 1 / (c * t + 1);
  }
}
