package org.sordino.accounting;

import org.apache.commons.numbers.gamma.Erfc;
import org.apache.commons.numbers.gamma.Erfcx;

/**
 * The standard normal distribution, accurate far into its tails.
 *
 * <p>Accuracy: commons-numbers documents largest observed errors of 2.4 ulp for erfc and 1.8 ulp
 * for erfcx. With the few operations around them every result here is accurate to 8 ulp; callers
 * allow for at least twice as much.
 */
final class Normal {

  private static final double SQRT_HALF = Math.sqrt(0.5);
  private static final double SQRT_HALF_PI = Math.sqrt(Math.PI / 2);
  private static final double LOG_SQRT_TWO_PI = 0.5 * Math.log(2 * Math.PI);

  private Normal() {}

  /** Returns the logarithm of the density at x. */
  static double logDensity(double x) {
    return -0.5 * x * x - LOG_SQRT_TWO_PI;
  }

  /**
   * Returns P(X &gt; x) / density(x) for x above about -37; below that it overflows to infinity.
   */
  static double mills(double x) {
    return SQRT_HALF_PI * Erfcx.value(x * SQRT_HALF);
  }

  /** Returns P(X &gt; x). */
  static double tail(double x) {
    return 0.5 * Erfc.value(x * SQRT_HALF);
  }

  /** Returns log P(X &gt; x), for any x. */
  static double logTail(double x) {
    return x > 0 ? Math.log(mills(x)) + logDensity(x) : Math.log1p(-tail(-x));
  }
}
