package org.sordino.mechanism;

import java.util.stream.IntStream;
import org.sordino.random.RandomKey;
import org.sordino.random.RandomStream;

/**
 * Gaussian noise for exact sums. The sums are whole numbers, the noise is rounded to one: what
 * comes out is the rounding of a sum with continuous Gaussian noise, and rounding costs no privacy.
 *
 * <p><b>Streams.</b> A vector is noised in chunks of 16,384 numbers, counted from its beginning.
 * Each has the stream of its step and of the place in the flat array where it begins, so disjoint
 * vectors never share a stream, and the result does not depend on threads.
 *
 * <p><b>Resolution.</b> A normal value is a multiple of 2^-52 times at most 3.9. Up to a deviation
 * of 2^48 units that is finer than one unit, and no whole number is left out. Beyond, a second
 * noise with a deviation of 2^40 is added, far wider than the gaps and far too small to change the
 * whole: it raises the deviation by a relative 2^-17 at most.
 */
public final class GaussianNoise {

  private static final int CHUNK = 16_384;

  /** Below, starting threads costs more than they save. */
  private static final int SMALLEST_PARALLEL = 65_536;

  private static final double LARGEST_GAPLESS = 0x1p48;
  private static final double FINE = 0x1p40;

  /** So many values are drawn at a time. */
  private static final int PIECE = 512;

  private static final long ROUND = Double.doubleToRawLongBits(0x1.8p52);

  private final RandomKey key;

  private GaussianNoise(RandomKey key) {
    this.key = key;
  }

  /**
   * Noise under a key.
   *
   * @param key used as it is: the caller derives it for noise, and uses it for nothing else
   */
  public static GaussianNoise of(RandomKey key) {
    return new GaussianNoise(key);
  }

  /**
   * Adds rounded Gaussian noise to the sums of one vector. Vectors of the same step must not
   * overlap, and none is noised twice in a step: it would get the same noise again.
   *
   * @param step of which step, in [0, 2^48)
   * @param sums the flat array
   * @param from where the vector begins
   * @param to where it ends
   * @param deviation in units of the sums, finite and at least 0
   * @throws ArithmeticException if a sum with its noise needs more than 64 bits
   */
  public void add(long step, long[] sums, int from, int to, double deviation) {
    if (!(0 <= from && from <= to && to <= sums.length)) {
      throw new IllegalArgumentException(
          "from and to must be 0 <= from <= to <= " + sums.length + ", got " + from + ", " + to);
    }
    if (!(deviation >= 0 && deviation < Double.POSITIVE_INFINITY)) {
      throw new IllegalArgumentException(
          "deviation must be finite and at least 0, got " + deviation);
    }
    if (deviation == 0) {
      return;
    }
    IntStream chunks = IntStream.range(0, (int) (((long) to - from + CHUNK - 1) / CHUNK));
    (to - from > SMALLEST_PARALLEL ? chunks.parallel() : chunks)
        .map(chunk -> from + chunk * CHUNK)
        .forEach(
            start -> {
              int end = (int) Math.min(to, (long) start + CHUNK);
              addChunk(key.stream(step, start), sums, start, end, deviation);
            });
  }

  private static void addChunk(
      RandomStream stream, long[] sums, int from, int to, double deviation) {
    boolean gapless = deviation <= LARGEST_GAPLESS;
    double[] values = new double[gapless ? PIECE : 2];
    for (int i = from; i < to; i += PIECE) {
      int count = Math.min(PIECE, to - i);
      if (gapless) {
        Ziggurat.fill(stream, values, count);
        addPiece(values, sums, i, count, deviation);
      } else {
        for (int k = i; k < i + count; k++) {
          Ziggurat.fill(stream, values, 2);
          sums[k] = plus(plus(sums[k], deviation * values[0]), FINE * values[1]);
        }
      }
    }
  }

  /** As {@link #plus}, with what can go wrong collected and checked once. */
  private static void addPiece(
      double[] values, long[] sums, int from, int count, double deviation) {
    long lost = 0;
    long large = 0;
    for (int i = 0; i < count; i++) {
      // Below 2^51 the fraction of 1.5 2^52 + noise is the whole number nearest to the noise.
      long bits = Double.doubleToRawLongBits(deviation * values[i] + 0x1.8p52);
      long whole = bits - ROUND;
      long sum = sums[from + i];
      long result = sum + whole;
      sums[from + i] = result;
      lost |= (sum ^ result) & (whole ^ result);
      large |= bits ^ ROUND;
    }
    if (lost < 0 || large >>> 52 != 0) {
      throw overflow();
    }
  }

  private static long plus(long sum, double noise) {
    double rounded = Math.rint(noise);
    long whole = (long) rounded; // saturates beyond 63 bits
    long result = sum + whole;
    if (((sum ^ result) & (whole ^ result)) < 0 || Math.abs(rounded) >= 0x1p63) {
      throw overflow();
    }
    return result;
  }

  private static ArithmeticException overflow() {
    return new ArithmeticException(
        "a sum with its noise must fit into 64 bits; there is more data or noise than the unit was"
            + " chosen for");
  }
}
