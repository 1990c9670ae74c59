package org.sordino.accounting;

import java.util.function.DoubleUnaryOperator;

/**
 * Inverts decreasing functions. The result is always a point at which the condition was verified,
 * so inverting an upper bound errs upward.
 */
final class Monotone {

  private static final double LARGEST = 0x1p1000;
  private static final double SMALLEST = 0x1p-1000;

  private Monotone() {}

  /** As {@link #leastRoot(DoubleUnaryOperator, double)}, starting at 1. */
  static double leastRoot(DoubleUnaryOperator f) {
    return leastRoot(f, 1);
  }

  /**
   * Returns the smallest x &gt;= 0 with f(x) &lt;= 0, up to a few ulps, for decreasing f; infinity
   * if there is none up to 1e301.
   *
   * @param guess where to start
   */
  static double leastRoot(DoubleUnaryOperator f, double guess) {
    if (f.applyAsDouble(0) <= 0) {
      return 0;
    }
    double high = Math.min(Math.max(guess, SMALLEST), LARGEST);
    double low = high;
    while (f.applyAsDouble(high) > 0) {
      low = high;
      high *= 4;
      if (high > LARGEST) {
        return Double.POSITIVE_INFINITY;
      }
    }
    while (low == high || f.applyAsDouble(low) <= 0) {
      high = low;
      low /= 4;
      if (low < SMALLEST) {
        return high;
      }
    }
    return leastRoot(f, low, high);
  }

  /**
   * Returns the smallest x in (low, high] with f(x) &lt;= 0, up to a few ulps of the larger end,
   * for decreasing f with f(low) &gt; 0 &gt;= f(high). Either value may be infinite.
   */
  static double leastRoot(DoubleUnaryOperator f, double low, double high) {
    return leastRoot(f, low, high, 8 * Math.ulp(Math.max(Math.abs(low), Math.abs(high))));
  }

  /** As above, to within {@code tolerance}. */
  static double leastRoot(DoubleUnaryOperator f, double low, double high, double tolerance) {
    double a = low;
    double b = high;
    double fa = f.applyAsDouble(a);
    double fb = f.applyAsDouble(b);
    int side = 0; // the end that moved last
    // The Illinois method, with a bisection every fourth time so that neither end stays far away.
    for (int i = 1; b - a > tolerance && i < 300; i++) {
      double x = i % 4 == 0 ? a + (b - a) / 2 : b - fb * ((b - a) / (fb - fa));
      if (!(x > a && x < b)) {
        x = a + (b - a) / 2;
      }
      // Near an end, step inward: once one end has converged, this moves the other one close.
      x = Math.min(Math.max(x, a + tolerance / 2), b - tolerance / 2);
      double fx = f.applyAsDouble(x);
      if (fx == 0) {
        return x;
      }
      if (fx > 0) {
        a = x;
        fa = fx;
        fb = side > 0 ? fb / 2 : fb;
        side = 1;
      } else {
        b = x;
        fb = fx;
        fa = side < 0 ? fa / 2 : fa;
        side = -1;
      }
    }
    return b;
  }
}
