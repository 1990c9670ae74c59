package org.sordino.accounting;

import java.util.function.DoubleUnaryOperator;

/**
 * The smallest value found for a function, and its argument. Only values at which the function was
 * evaluated are reported, so for a family of upper bounds the result is one of these bounds even if
 * it is not the best.
 *
 * @param at the argument
 * @param value the function at that argument
 */
record Minimum(double at, double value) {

  private static final double GOLDEN = (Math.sqrt(5) - 1) / 2;

  /** A function is quadratic near its minimum: 1e-6 in the argument is 1e-12 in the value. */
  private static final double TOLERANCE = 1e-6;

  /**
   * Scans evenly spaced points, then refines the best one by golden-section search.
   *
   * @param points number of points in the scan, at least 2
   */
  static Minimum of(DoubleUnaryOperator f, double low, double high, int points) {
    double spacing = (high - low) / (points - 1);
    Minimum best = new Minimum(low, f.applyAsDouble(low));
    for (int i = 1; i < points; i++) {
      best = best.orAt(f, low + i * spacing);
    }
    return best.orWithin(
        f,
        Math.max(low, best.at - spacing),
        Math.min(high, best.at + spacing),
        TOLERANCE * spacing);
  }

  /**
   * As {@link #of}, for a function that falls and then rises: the scan ends when the function has
   * risen twice. Useful if the function is more expensive to evaluate for larger arguments.
   */
  static Minimum ofValley(DoubleUnaryOperator f, double low, double high, double spacing) {
    return ofValley(f, low, high, spacing, TOLERANCE);
  }

  /** As above, with the argument refined to {@code tolerance} times the spacing. */
  static Minimum ofValley(
      DoubleUnaryOperator f, double low, double high, double spacing, double tolerance) {
    Minimum best = new Minimum(low, f.applyAsDouble(low));
    int rises = 0;
    for (double x = low + spacing; x <= high && rises < 2; x += spacing) {
      Minimum next = at(f, x);
      boolean rose = best.value < Double.POSITIVE_INFINITY && next.value >= best.value;
      rises = rose ? rises + 1 : 0;
      best = best.or(next);
    }
    return best.orWithin(
        f,
        Math.max(low, best.at - spacing),
        Math.min(high, best.at + spacing),
        tolerance * spacing);
  }

  private Minimum orWithin(DoubleUnaryOperator f, double low, double high, double width) {
    double a = low;
    double b = high;
    Minimum left = at(f, b - GOLDEN * (b - a));
    Minimum right = at(f, a + GOLDEN * (b - a));
    Minimum best = this;
    while (b - a > width) {
      best = best.or(left).or(right);
      if (left.value <= right.value) {
        b = right.at;
        right = left;
        left = at(f, b - GOLDEN * (b - a));
      } else {
        a = left.at;
        left = right;
        right = at(f, a + GOLDEN * (b - a));
      }
    }
    return best.or(left).or(right);
  }

  private static Minimum at(DoubleUnaryOperator f, double x) {
    return new Minimum(x, f.applyAsDouble(x));
  }

  private Minimum orAt(DoubleUnaryOperator f, double x) {
    return or(at(f, x));
  }

  private Minimum or(Minimum other) {
    return other.value < value ? other : this;
  }
}
