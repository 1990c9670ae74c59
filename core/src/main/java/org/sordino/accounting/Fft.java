package org.sordino.accounting;

/**
 * The in-place discrete Fourier transform of complex numbers, for sizes that are powers of two: X_k
 * = sum_j x_j e^(-2 pi i j k / n).
 *
 * <p>Decimation in frequency. Two radix-2 stages are fused into one pass, and each block that fits
 * into the cache is finished before the next one starts.
 */
final class Fft {

  private static final int CACHED = 1 << 12;

  /** Number of high and of low bits in a tile of 32 by 32 numbers. */
  private static final int TILE = 5;

  private final int size;

  /**
   * For each fused pass of length n: cos and sin of m j 2 pi / n for m = 1, 2, 3 and j below n/4.
   */
  private final double[][] twiddles;

  private Fft(int size, double[][] twiddles) {
    this.size = size;
    this.twiddles = twiddles;
  }

  /**
   * Creates a transform of the given size.
   *
   * @param size a power of two
   */
  static Fft of(int size) {
    if (Integer.bitCount(size) != 1) {
      throw new IllegalArgumentException("size must be a power of two, got " + size);
    }
    double[][] twiddles = new double[Integer.numberOfTrailingZeros(size) + 1][];
    double[] sines = firstQuarter(size);
    for (int n = size; n >= 4; n >>= 2) {
      twiddles[Integer.numberOfTrailingZeros(n)] = pass(sines, size, n);
    }
    return new Fft(size, twiddles);
  }

  /**
   * Returns a bound on the error of any output, as a multiple of the sum of the absolute inputs.
   *
   * <p>Exactly one path of butterflies leads from each input to each output, so the rounding errors
   * on that path bound the contribution of the input to the error (the componentwise form of
   * Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., theorem 24.2). With u = 2^-53,
   * a radix-2 stage costs at most 2 u for the additions of real and imaginary part, sqrt(5) u for
   * the complex product, and 3 u for the twiddle factor (angle and sine, each rounded, below pi/4).
   * 8 u covers these, and a fused pass has one product where two stages have two.
   */
  double relativeError() {
    return 8 * Bracket.U * (Integer.numberOfTrailingZeros(size) + 1);
  }

  /** Replaces the numbers with their transform. */
  void transform(double[] re, double[] im) {
    block(re, im, 0, size);
    reverse(re, im);
  }

  private void block(double[] re, double[] im, int offset, int n) {
    if (n > CACHED) {
      pass(re, im, offset, n);
      for (int i = 0; i < 4; i++) {
        block(re, im, offset + i * (n / 4), n / 4);
      }
      return;
    }
    int length = n;
    for (; length >= 4; length >>= 2) {
      for (int o = offset; o < offset + n; o += length) {
        pass(re, im, o, length);
      }
    }
    if (length == 2) {
      for (int o = offset; o < offset + n; o += 2) {
        butterfly(re, o);
        butterfly(im, o);
      }
    }
  }

  private static void butterfly(double[] x, int i) {
    double difference = x[i] - x[i + 1];
    x[i] += x[i + 1];
    x[i + 1] = difference;
  }

  /** Performs two stages at once; the quarters end up in bit-reversed order. */
  private void pass(double[] re, double[] im, int offset, int n) {
    double[] w = twiddles[Integer.numberOfTrailingZeros(n)];
    int quarter = n / 4;
    for (int j = 0; j < quarter; j++) {
      int i0 = offset + j;
      int i1 = i0 + quarter;
      int i2 = i1 + quarter;
      int i3 = i2 + quarter;
      double sumRe02 = re[i0] + re[i2];
      double sumIm02 = im[i0] + im[i2];
      double sumRe13 = re[i1] + re[i3];
      double sumIm13 = im[i1] + im[i3];
      double difRe02 = re[i0] - re[i2];
      double difIm02 = im[i0] - im[i2];
      double difRe13 = re[i1] - re[i3];
      double difIm13 = im[i1] - im[i3];
      re[i0] = sumRe02 + sumRe13;
      im[i0] = sumIm02 + sumIm13;
      rotate(re, im, i1, sumRe02 - sumRe13, sumIm02 - sumIm13, w, 6 * j + 2);
      rotate(re, im, i2, difRe02 + difIm13, difIm02 - difRe13, w, 6 * j);
      rotate(re, im, i3, difRe02 - difIm13, difIm02 + difRe13, w, 6 * j + 4);
    }
  }

  /** Stores x e^(-i angle). */
  private static void rotate(
      double[] re, double[] im, int i, double xRe, double xIm, double[] w, int k) {
    re[i] = xRe * w[k] + xIm * w[k + 1];
    im[i] = xIm * w[k] - xRe * w[k + 1];
  }

  /**
   * Moves each number to the position given by the reversed bits of its index. An index has high,
   * middle and low bits. Numbers with the same middle bits are moved together, which makes the most
   * use of every cache line.
   */
  private void reverse(double[] re, double[] im) {
    int bits = Integer.numberOfTrailingZeros(size);
    int outer = Math.min(TILE, bits / 2);
    int inner = bits - 2 * outer;
    for (int middle = 0; middle < 1 << inner; middle++) {
      int middleBack = backwards(middle, inner);
      for (int high = 0; middle <= middleBack && high < 1 << outer; high++) {
        int i = high << (bits - outer) | middle << outer;
        int target = middleBack << outer | backwards(high, outer);
        for (int low = 0; low < 1 << outer; low++) {
          int j = target | backwards(low, outer) << (bits - outer);
          if (middle < middleBack || i + low < j) {
            swap(re, i + low, j);
            swap(im, i + low, j);
          }
        }
      }
    }
  }

  private static int backwards(int i, int bits) {
    return bits == 0 ? 0 : Integer.reverse(i) >>> (Integer.SIZE - bits);
  }

  private static void swap(double[] x, int i, int j) {
    double kept = x[i];
    x[i] = x[j];
    x[j] = kept;
  }

  /** Returns sin(2 pi k / size) for k up to size / 4, from angles of at most pi / 4. */
  private static double[] firstQuarter(int size) {
    double[] sines = new double[size / 4 + 1];
    for (int k = 0; k < sines.length; k++) {
      double angle = Math.PI * 2 / size * Math.min(k, size / 4 - k);
      sines[k] = 2 * k <= size / 4 ? Math.sin(angle) : Math.cos(angle);
    }
    return sines;
  }

  private static double[] pass(double[] sines, int size, int n) {
    double[] w = new double[6 * (n / 4)];
    int stride = size / n;
    for (int j = 0; j < n / 4; j++) {
      for (int m = 1; m <= 3; m++) {
        int k = m * j * stride;
        w[6 * j + 2 * m - 2] = sine(sines, size, k + size / 4);
        w[6 * j + 2 * m - 1] = sine(sines, size, k);
      }
    }
    return w;
  }

  private static double sine(double[] sines, int size, int k) {
    int half = k & (size / 2 - 1);
    double magnitude = sines[Math.min(half, size / 2 - half)];
    return (k & (size / 2)) == 0 ? magnitude : -magnitude;
  }
}
