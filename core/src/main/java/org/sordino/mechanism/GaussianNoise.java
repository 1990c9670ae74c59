package org.sordino.mechanism;

import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
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
 * <p><b>Resolution.</b> A normal value is a multiple of 2^-52 times at most 4.3. Up to a deviation
 * of 2^48 units that is finer than one unit, and no whole number is left out. Beyond, a second
 * noise with a deviation of 2^40 is added, far wider than the gaps and far too small to change the
 * whole: it raises the deviation by a relative 2^-17 at most.
 */
public final class GaussianNoise {

  private static final int CHUNK = 16_384;

  /** Below, waking threads up costs more than they save: milliseconds on a virtual machine. */
  private static final int SMALLEST_PARALLEL = 262_144;

  private static final double LARGEST_GAPLESS = 0x1p48;
  private static final double FINE = 0x1p40;

  private final RandomKey key;
  private volatile Ziggurat.@Nullable Whole latest;

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
    Ziggurat.Whole values = deviation <= LARGEST_GAPLESS ? values(deviation) : null;
    IntStream chunks = IntStream.range(0, (int) (((long) to - from + CHUNK - 1) / CHUNK));
    try {
      (to - from > SMALLEST_PARALLEL ? chunks.parallel() : chunks)
          .map(chunk -> from + chunk * CHUNK)
          .forEach(
              start -> {
                int end = (int) Math.min(to, (long) start + CHUNK);
                RandomStream stream = key.stream(step, start);
                if (values != null) {
                  values.add(stream, sums, start, end);
                } else {
                  addHuge(stream, sums, start, end, deviation);
                }
              });
    } catch (ArithmeticException e) {
      throw new ArithmeticException(
          "a sum with its noise must fit into 64 bits; there is more data or noise than the unit"
              + " was chosen for");
    }
  }

  /** Most steps of a run have the same deviation as the one before. */
  private Ziggurat.Whole values(double deviation) {
    Ziggurat.Whole values = latest;
    if (values == null || values.deviation() != deviation) {
      values = new Ziggurat.Whole(deviation);
      latest = values;
    }
    return values;
  }

  private static void addHuge(
      RandomStream stream, long[] sums, int from, int to, double deviation) {
    for (int k = from; k < to; k++) {
      long coarse = whole(deviation * Ziggurat.next(stream));
      long fine = whole(FINE * Ziggurat.next(stream));
      sums[k] = Math.addExact(sums[k], Math.addExact(coarse, fine));
    }
  }

  private static long whole(double noise) {
    double rounded = Math.rint(noise);
    if (!(Math.abs(rounded) < 0x1p63)) {
      throw new ArithmeticException("long overflow");
    }
    return (long) rounded;
  }
}
