package org.sordino.mechanism;

import org.sordino.random.RandomStream;

/**
 * Standard normal values by the ziggurat method (Marsaglia &amp; Tsang 2000,
 * doi:10.18637/jss.v005.i08; with independent bits for layer and value as Doornik 2005 asks for).
 * The area under f(x) = exp(-x^2 / 2) is covered by 256 layers of equal area: 255 rectangles, and a
 * base whose tail beyond r is drawn by Marsaglia's method. A layer is chosen and a point in it; 99
 * of 100 lie in the part where no function need be evaluated.
 *
 * <p>The distribution is exact up to the rounding of doubles: tables and tests have relative errors
 * of about 2^-50, and no value beyond some limit is missing. Functions are those of StrictMath, so
 * that all machines draw the same.
 */
final class Ziggurat {

  private static final int LAYERS = 256;

  /** r, where the base ends: the root of the equation that the topmost layer ends at f(0) = 1. */
  static final double R = 3.6541528853610088;

  /** x_i: the width of layer i; x_0 is what the base would have as a rectangle, x_256 = 0. */
  private static final double[] WIDTH = widths();

  /** f(x_i), from f(r) for the base to 1. */
  private static final double[] HEIGHT = heights();

  /** x_i / 2^53 turns 54 signed bits into a point of layer i. */
  private static final double[] SCALE = new double[LAYERS];

  /** Points below this many SCALE lie under the curve whatever their height. */
  private static final long[] INSIDE = new long[LAYERS];

  static {
    for (int i = 0; i < LAYERS; i++) {
      SCALE[i] = WIDTH[i] * 0x1p-53;
      INSIDE[i] = (long) (WIDTH[i + 1] / WIDTH[i] * 0x1p53);
    }
  }

  private Ziggurat() {}

  /** The next value, from one random number or, one time in a hundred, several. */
  static double next(RandomStream stream) {
    long bits = stream.nextLong();
    int layer = (int) bits & (LAYERS - 1);
    long point = bits >> 10 | 1; // odd: symmetric about 0, which it cannot be
    double x = point * SCALE[layer];
    return Math.abs(point) < INSIDE[layer] ? x : outside(stream, layer, x);
  }

  /** The rest: the tail, or a point that must be tested, and if it is above the curve a new one. */
  private static double outside(RandomStream stream, int layer, double x) {
    if (layer == 0) {
      return tail(stream, x);
    }
    double y = HEIGHT[layer] + stream.nextDouble() * (HEIGHT[layer + 1] - HEIGHT[layer]);
    return y < density(x) ? x : next(stream);
  }

  /** A value beyond r, by Marsaglia's method, with the sign of x. */
  static double tail(RandomStream stream, double x) {
    double beyond;
    double y;
    do {
      beyond = exponential(stream) / R;
      y = exponential(stream);
    } while (2 * y <= beyond * beyond);
    return Math.copySign(R + beyond, x);
  }

  /** From a uniform number with 53 significant bits however small it is, so no value is missed. */
  private static double exponential(RandomStream stream) {
    int zeros = Long.numberOfLeadingZeros(stream.nextLong());
    double fraction = 1 + (stream.nextLong() >>> 12) * 0x1p-52;
    return -StrictMath.log(Math.scalb(fraction, -1 - zeros));
  }

  private static double density(double x) {
    return StrictMath.exp(-x * x / 2);
  }

  private static double[] widths() {
    double[] width = new double[LAYERS + 1];
    double area = R * density(R) + tailArea();
    width[0] = area / density(R);
    width[1] = R;
    for (int i = 1; i < LAYERS - 1; i++) {
      double height = density(width[i]) + area / width[i];
      width[i + 1] = Math.sqrt(-2 * StrictMath.log(height));
    }
    return width;
  }

  private static double[] heights() {
    double[] height = new double[LAYERS + 1];
    for (int i = 1; i <= LAYERS; i++) {
      height[i] = density(WIDTH[i]);
    }
    return height;
  }

  /** The area under f beyond r: f(r) / (r + 1 / (r + 2 / (r + 3 / ...))). */
  private static double tailArea() {
    double fraction = R;
    for (int k = 200; k >= 1; k--) {
      fraction = R + k / fraction;
    }
    return density(R) / fraction;
  }

  /** x_i. */
  static double width(int layer) {
    return WIDTH[layer];
  }

  /** Where the topmost layer ends; 1 if the tables are right. */
  static double top() {
    double area = R * density(R) + tailArea();
    return HEIGHT[LAYERS - 1] + area / WIDTH[LAYERS - 1];
  }
}
