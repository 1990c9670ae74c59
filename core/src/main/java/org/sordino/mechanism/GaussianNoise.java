package org.sordino.mechanism;

import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.sordino.random.RandomKey;
import org.sordino.random.RandomStream;

/**
 * Gaussian noise for exact sums. The sums are whole numbers, and the noise is rounded to whole
 * numbers. The result is therefore the rounding of a sum with continuous Gaussian noise, and
 * rounding costs no privacy.
 *
 * <p><b>Streams.</b> Noise is added to a vector in chunks of 16,384 numbers, counted from its
 * beginning. The step and the start of the chunk in the flat array determine its stream. Disjoint
 * vectors therefore never share a stream, and the result does not depend on threads.
 *
 * <p><b>Resolution.</b> A normal value is a multiple of 2^-52 times at most 4.3. Up to a standard
 * deviation of 2^48 units this is finer than one unit, so no whole number is left out. Above that,
 * a second noise term with a standard deviation of 2^40 is added. It is far wider than the gaps and
 * negligible in total: it raises the standard deviation by a relative 2^-17 at most.
 */
public final class GaussianNoise {

  private static final int CHUNK = 16_384;

  /**
   * Below this length, waking up threads takes more time than it saves: milliseconds on a virtual
   * machine.
   */
  private static final int SMALLEST_PARALLEL = 262_144;

  private static final double LARGEST_GAPLESS = 0x1p48;
  private static final double FINE = 0x1p40;

  private final RandomKey key;
  private volatile Ziggurat.@Nullable Whole latest;

  private GaussianNoise(RandomKey key) {
    this.key = key;
  }

  /**
   * Returns the noise under a key.
   *
   * @param key a key derived for noise and used for nothing else
   */
  public static GaussianNoise of(RandomKey key) {
    return new GaussianNoise(key);
  }

  /**
   * Adds rounded Gaussian noise to the sums of one vector. Vectors of the same step must not
   * overlap, and a vector must not be passed twice in a step: it would receive the same noise
   * again.
   *
   * @param step number of the step, in [0, 2^48)
   * @param sums the flat array
   * @param from start of the vector
   * @param to end of the vector, exclusive
   * @param deviation standard deviation in units of the sums, finite and at least 0
   * @throws ArithmeticException if a sum with its noise exceeds 64 bits
   */
  public void add(long step, long[] sums, int from, int to, double deviation) {
    if (!(0 <= from && from <= to && to <= sums.length)) {
      throw new IllegalArgumentException(
          "from and to must satisfy 0 <= from <= to <= "
              + sums.length
              + ", got "
              + from
              + ", "
              + to);
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
          "a sum with its noise must fit into 64 bits; there are more records or more noise than"
              + " planned");
    }
  }

  /** Returns the tables for a standard deviation, which is the same in most steps of a run. */
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
