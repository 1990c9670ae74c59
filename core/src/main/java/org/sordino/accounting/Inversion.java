package org.sordino.accounting;

import java.util.function.DoubleUnaryOperator;

/**
 * Computes epsilon(delta) from delta(epsilon). Any epsilon at which the upper end is at most delta
 * is an upper bound, and any epsilon at which the lower end is at least delta is a lower bound. The
 * search therefore cannot invalidate a certificate: a poor search only widens the bracket.
 */
final class Inversion {

  /** Precision of the search for the ends, relative to epsilon. */
  private static final double RESOLUTION = 1e-14;

  /** The search gives up at this multiple of the guess. */
  private static final double FARTHEST = 1e6;

  private Inversion() {}

  /**
   * Returns a bracket of the epsilon at which {@code curve} falls to {@code delta}.
   *
   * @param guess where to start the search
   */
  static Bracket epsilon(DeltaCurve curve, double delta, double guess) {
    Bracket atZero = curve.delta(0);
    if (atZero.upper() <= delta) {
      return new Bracket(0, 0, atZero.method());
    }
    if (!(guess < Double.POSITIVE_INFINITY)) {
      return new Bracket(0, Double.POSITIVE_INFINITY, atZero.method());
    }
    double start = Math.max(guess, 1e-12);
    double upper = upper(curve, delta, start);
    double lower = lower(curve, delta, Math.min(upper, 2 * start));
    return new Bracket(lower, upper, atZero.method());
  }

  private static double upper(DeltaCurve curve, double delta, double guess) {
    DoubleUnaryOperator excess = e -> Math.log(curve.delta(e).upper() / delta);
    double low = guess;
    double high = guess;
    double stride = 1e-3 * guess;
    while (low > 0 && excess.applyAsDouble(low) <= 0) { // move down until it is too small
      high = low;
      low = Math.max(0, low - stride);
      stride *= 4;
    }
    while (excess.applyAsDouble(high) > 0) { // or move up until it suffices
      low = high;
      high += stride;
      stride *= 4;
      if (high > FARTHEST * guess) {
        return Double.POSITIVE_INFINITY;
      }
    }
    return Monotone.leastRoot(excess, low, high, RESOLUTION * high);
  }

  /**
   * Searches downward from {@code start}, in growing strides, until the curve's lower end is at
   * least delta.
   */
  private static double lower(DeltaCurve curve, double delta, double start) {
    DoubleUnaryOperator missing = down -> Math.log(delta / curve.delta(start - down).lower());
    double bad = 0;
    double good = 0;
    double stride = RESOLUTION * start;
    while (missing.applyAsDouble(good) > 0) {
      bad = good;
      good += stride;
      stride *= 4;
      if (good >= start) {
        return 0;
      }
    }
    double resolution = Math.max(RESOLUTION * start, 1e-3 * good);
    return start - Monotone.leastRoot(missing, bad, good, resolution);
  }
}
