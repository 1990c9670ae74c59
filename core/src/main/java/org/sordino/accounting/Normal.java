package org.sordino.accounting;

import org.apache.commons.numbers.gamma.Erfc;
import org.apache.commons.numbers.gamma.Erfcx;

/**
 * The standard normal distribution far out in its tails.
 *
 * <p>Accuracy: commons-numbers states 2.4 ulp for erfc and 1.8 ulp for erfcx as the largest errors
 * it has seen; with the few operations around them every result here is good to 8 ulp, of which the
 * callers allow at least twice as much.
 */
final class Normal {

  private static final double SQRT_HALF = Math.sqrt(0.5);
  private static final double SQRT_HALF_PI = Math.sqrt(Math.PI / 2);
  private static final double LOG_SQRT_TWO_PI = 0.5 * Math.log(2 * Math.PI);

  private Normal() {}

  /** log of the density at x. */
  static double logDensity(double x) {
    return -0.5 * x * x - LOG_SQRT_TWO_PI;
  }

  /** P(X &gt; x) / density(x), for x above about -37; beyond that it overflows to infinity. */
  static double mills(double x) {
    return SQRT_HALF_PI * Erfcx.value(x * SQRT_HALF);
  }

  /** P(X &gt; x). */
  static double tail(double x) {
    return 0.5 * Erfc.value(x * SQRT_HALF);
  }

  /** log P(X &gt; x), for any x. */
  static double logTail(double x) {
    return x > 0 ? Math.log(mills(x)) + logDensity(x) : Math.log1p(-tail(-x));
  }
}
