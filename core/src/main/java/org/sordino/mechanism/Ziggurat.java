package org.sordino.mechanism;

import org.sordino.random.RandomStream;

/**
 * Standard normal values by the ziggurat method (Marsaglia &amp; Tsang 2000,
 * doi:10.18637/jss.v005.i08; with independent bits for layer and value, as Doornik 2005
 * recommends). The area under f(x) = exp(-x^2 / 2) is covered by 1,024 layers of equal area: 1,023
 * rectangles, and a base whose tail beyond r is drawn by Marsaglia's method. The method chooses a
 * layer and a point in it. Of 1,000 points, 996 lie in the part where no function has to be
 * evaluated.
 *
 * <p>The distribution is exact up to the rounding of doubles: tables and tests have relative errors
 * of about 2^-46, and the tail is not truncated. All functions are those of StrictMath, so all
 * machines draw the same values.
 */
final class Ziggurat {

  static final int LAYERS = 1024;

  /** r, the end of the base: the value for which the topmost layer ends at f(0) = 1. */
  static final double R = 4.0388498461095045;

  /**
   * x_i, the width of layer i; x_0 is the width of a rectangle with the area of the base, x_1024 =
   * 0.
   */
  private static final double[] WIDTH = widths();

  /** f(x_i), from f(r) at the end of the base to 1. */
  private static final double[] HEIGHT = heights();

  /** x_i / 2^53, which converts 54 signed bits to a point of layer i. */
  private static final double[] SCALE = new double[LAYERS];

  /** Points below this multiple of SCALE lie under the curve at any height. */
  private static final long[] INSIDE = new long[LAYERS];

  static {
    for (int i = 0; i < LAYERS; i++) {
      SCALE[i] = WIDTH[i] * 0x1p-53;
      INSIDE[i] = (long) (WIDTH[i + 1] / WIDTH[i] * 0x1p53);
    }
  }

  private Ziggurat() {}

  /** Returns the next value, from one random number or, in four of 1,000 cases, several. */
  static double next(RandomStream stream) {
    long bits = stream.nextLong();
    int layer = (int) bits & (LAYERS - 1);
    long point = bits >> 10 | 1; // odd: symmetric about 0, and never 0
    double x = point * SCALE[layer];
    return Math.abs(point) < INSIDE[layer] ? x : outside(stream, layer, x);
  }

  /**
   * Values with one standard deviation, rounded to whole numbers. Most values are determined by
   * their first random number and need only integer arithmetic: a point of 54 bits is multiplied by
   * a width of 62 bits, and the upper half of the product, which is more than 2^9 times as fine as
   * a unit, is rounded.
   */
  static final class Whole {

    private final double deviation;
    private final long[] width = new long[LAYERS]; // at most 62 bits
    private final int shift;

    /**
     * Prepares values with a standard deviation.
     *
     * @param deviation standard deviation, above 0 and at most 2^48, so that points are closer
     *     together than units
     */
    Whole(double deviation) {
      this.deviation = deviation;
      // As many bits as fit. For very small standard deviations, the shift leaves only zeros.
      int bits = Math.min(64, 61 - Math.getExponent(deviation * WIDTH[0]));
      double scale = Math.scalb(1.0, bits);
      for (int i = 0; i < LAYERS; i++) {
        width[i] = (long) (deviation * WIDTH[i] * scale);
      }
      shift = bits - 2; // 53 bits of a point and nine zeros, less the lower 64 of 128 bits
    }

    double deviation() {
      return deviation;
    }

    /**
     * Adds the next values to sums.
     *
     * @throws ArithmeticException if a sum exceeds 64 bits
     */
    void add(RandomStream stream, long[] sums, int from, int to) {
      int done = from;
      while (done < to) {
        int ready = Math.min(stream.ready(), to - done);
        int inside = addInside(stream, sums, done, ready);
        stream.skip(inside);
        done += inside;
        if (inside < ready) {
          sums[done] = Math.addExact(sums[done], (long) Math.rint(deviation * next(stream)));
          done++;
        }
      }
    }

    /**
     * Adds values up to the first one that its first random number does not determine. Returns the
     * number of values added.
     */
    private int addInside(RandomStream stream, long[] sums, int from, int count) {
      long half = 1L << shift - 1;
      for (int i = 0; i < count; i++) {
        long bits = stream.ahead(i);
        int layer = (int) bits & (LAYERS - 1);
        long point = bits >> 10 | 1;
        if (Math.abs(point) >= INSIDE[layer]) {
          return i;
        }
        long fine = Math.multiplyHigh(point << 9, width[layer]);
        sums[from + i] = Math.addExact(sums[from + i], fine + half >> shift);
      }
      return count;
    }
  }

  /**
   * Returns a value in the other cases: from the tail, or a point that is tested against the curve
   * and replaced by a new value if it lies above.
   */
  private static double outside(RandomStream stream, int layer, double x) {
    if (layer == 0) {
      return tail(stream, x);
    }
    double y = HEIGHT[layer] + stream.nextDouble() * (HEIGHT[layer + 1] - HEIGHT[layer]);
    return y < density(x) ? x : next(stream);
  }

  /** Returns a value beyond r, by Marsaglia's method, with the sign of x. */
  static double tail(RandomStream stream, double x) {
    double beyond;
    double y;
    do {
      beyond = exponential(stream) / R;
      y = exponential(stream);
    } while (2 * y <= beyond * beyond);
    return Math.copySign(R + beyond, x);
  }

  /**
   * Returns an exponential value. The uniform number has 53 significant bits however small it is,
   * so no value is missed.
   */
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

  /** Returns the area under f beyond r: f(r) / (r + 1 / (r + 2 / (r + 3 / ...))). */
  private static double tailArea() {
    double fraction = R;
    for (int k = 200; k >= 1; k--) {
      fraction = R + k / fraction;
    }
    return density(R) / fraction;
  }

  /** Returns x_i. */
  static double width(int layer) {
    return WIDTH[layer];
  }

  /** Returns the height at which the topmost layer ends; 1 if the tables are correct. */
  static double top() {
    double area = R * density(R) + tailArea();
    return HEIGHT[LAYERS - 1] + area / WIDTH[LAYERS - 1];
  }
}
