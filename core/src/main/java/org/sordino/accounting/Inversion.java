package org.sordino.accounting;

import java.util.function.DoubleUnaryOperator;

/**
 * epsilon(delta) from delta(epsilon). Any epsilon at which the upper end is at most delta is an
 * upper bound, and any at which the lower end is at least delta a lower one, so nothing here can
 * spoil a certificate: a poor search only widens the bracket.
 */
final class Inversion {

  private static final double RESOLUTION = 1e-14;
  private static final int MAX_EVALUATIONS = 200;

  /** How many times the guess is looked at before the search gives up. */
  private static final double FARTHEST = 1e6;

  private Inversion() {}

  /**
   * Encloses the epsilon at which {@code curve} falls to {@code delta}.
   *
   * @param guess where to start the search
   */
  static Bracket epsilon(DeltaCurve curve, double delta, double guess) {
    Bracket atZero = curve.delta(0);
    if (atZero.upper() <= delta) {
      return new Bracket(0, 0, atZero.method());
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
    if (excess.applyAsDouble(guess) <= 0) {
      while (low > 0 && excess.applyAsDouble(low) <= 0) { // come down until it is too little
        high = low;
        low = Math.max(0, low - stride);
        stride *= 4;
      }
      return refine(excess, low, high);
    }
    while (excess.applyAsDouble(high) > 0) { // go up until it is enough
      low = high;
      high += stride;
      stride *= 4;
      if (high > FARTHEST * guess) {
        return Double.POSITIVE_INFINITY;
      }
    }
    return refine(excess, low, high);
  }

  /** From {@code start} down, in growing strides, until the curve's lower end vouches for it. */
  private static double lower(DeltaCurve curve, double delta, double start) {
    DoubleUnaryOperator missing = e -> Math.log(delta / curve.delta(e).lower());
    double good = start;
    double bad = start;
    double stride = RESOLUTION * start;
    while (missing.applyAsDouble(good) > 0) {
      bad = good;
      good = Math.max(0, good - stride);
      stride *= 4;
      if (good == 0) {
        return 0;
      }
    }
    return bad == good ? good : refine(missing, bad, good);
  }

  /** Shrinks the interval between a point where f is positive and one where not; gives the latter. */
  private static double refine(DoubleUnaryOperator f, double positive, double other) {
    double fp = f.applyAsDouble(positive);
    double fo = f.applyAsDouble(other);
    for (int i = 0; i < MAX_EVALUATIONS && fo != 0; i++) {
      if (Math.abs(other - positive) <= RESOLUTION * Math.max(other, positive)) {
        break;
      }
      double fraction = fp / (fp - fo); // Illinois: false position that halves a stuck end
      double x = positive + (fraction > 0 && fraction < 1 ? fraction : 0.5) * (other - positive);
      if (x == positive || x == other) {
        x = 0.5 * (positive + other);
      }
      double fx = f.applyAsDouble(x);
      if (fx > 0) {
        positive = x;
        fp = fx;
        fo *= 0.5;
      } else {
        other = x;
        fo = fx;
        fp *= 0.5;
      }
    }
    return other;
  }
}
