package org.sordino.sampling;

import java.io.Serializable;
import java.util.Arrays;
import java.util.function.LongConsumer;
import java.util.stream.LongStream;
import org.sordino.random.RandomKey;
import org.sordino.random.RandomStream;

/**
 * Which records take part in one step: each with the same probability, independently of all others.
 * That is what the accounting of a sampled step assumes; batches of a fixed size, or an order that
 * is shuffled once, are something else.
 *
 * <p>This is a value, not a list: key, step and rate. Records are numbered from 0, blocks of 65,536
 * numbers have a random stream each, and so every engine, thread and partition expands any range to
 * the same records. How many records there are is not part of it.
 *
 * <p>Given all others, a record is in with a probability that is never above the rate. For rates
 * above 1/8 and for 0 it is the rate exactly; otherwise it is below by less than 2^-41 of the rate
 * plus 2^-57, which {@code Gaps} derives, and rates below 2^-49 give nobody.
 */
public final class PoissonSample implements Serializable {

  private static final long serialVersionUID = 1;

  private static final int BLOCK_BITS = 16;
  private static final int BLOCK = 1 << BLOCK_BITS;

  private final RandomKey key;
  private final long step;
  private final double rate;

  private PoissonSample(RandomKey key, long step, double rate) {
    this.key = key;
    this.step = step;
    this.rate = rate;
  }

  /**
   * The sample of a step.
   *
   * @param key used as it is: the caller derives it for sampling, and uses it for nothing else
   * @param step in [0, 2^48)
   * @param rate q, the probability of a record, in [0, 1]
   */
  public static PoissonSample of(RandomKey key, long step, double rate) {
    if (!(step >= 0 && step < 1L << 48)) {
      throw new IllegalArgumentException("step must be in [0, 2^48), got " + step);
    }
    if (!(rate >= 0 && rate <= 1)) {
      throw new IllegalArgumentException("rate must be in [0, 1], got " + rate);
    }
    return new PoissonSample(key, step, rate);
  }

  /** Of which step. */
  public long step() {
    return step;
  }

  /** q, the probability of a record. */
  public double rate() {
    return rate;
  }

  /**
   * Names the records of a range that are in, in ascending order.
   *
   * @param from the first of the range, at least 0
   * @param to after the last
   * @param action gets every number
   */
  public void forEach(long from, long to, LongConsumer action) {
    if (!(from >= 0 && from <= to)) {
      throw new IllegalArgumentException(
          "from and to must be 0 <= from <= to, got " + from + " and " + to);
    }
    if (from == to) {
      return;
    }
    Draw draw = Draw.of(rate);
    long last = (to - 1) >>> BLOCK_BITS;
    for (long block = from >>> BLOCK_BITS; block <= last; block++) {
      long base = block << BLOCK_BITS;
      int start = (int) Math.max(0, from - base);
      int end = (int) Math.min(BLOCK, to - base);
      expand(draw, key.stream(step, block), start, end, base, action);
    }
  }

  /** A block is always drawn from its beginning; what lies before the range is passed over. */
  private static void expand(
      Draw draw, RandomStream stream, int start, int end, long base, LongConsumer action) {
    for (int i = draw.next(stream, 0, end); i < end; i = draw.next(stream, i + 1, end)) {
      if (i >= start) {
        action.accept(base + i);
      }
    }
  }

  /** The records of a range that are in, in ascending order. */
  public long[] indices(long from, long to) {
    LongStream.Builder indices = LongStream.builder();
    forEach(from, to, indices);
    return indices.build().toArray();
  }

  /**
   * The same as {@link #indices}, relative to {@code from} and much faster: for engines that hold a
   * range of records in arrays.
   *
   * @param from the first of the range, at least 0
   * @param to after the last, fewer than 2^31 further
   */
  public int[] offsets(long from, long to) {
    if (to - from > Integer.MAX_VALUE) {
      throw new IllegalArgumentException(
          "a range must have fewer than 2^31 records, got " + (to - from));
    }
    Offsets offsets = new Offsets(from, capacity(to - from));
    forEach(from, to, offsets);
    return offsets.toArray();
  }

  /** Six deviations above the mean: enough but for one sample in a billion. */
  private int capacity(long records) {
    double mean = rate * Math.max(0, records);
    return (int) Math.min(Math.max(0, records), mean + 6 * Math.sqrt(mean) + 16);
  }

  /** A growing array. */
  private static final class Offsets implements LongConsumer {
    private final long from;
    private int[] array;
    private int size;

    Offsets(long from, int capacity) {
      this.from = from;
      array = new int[capacity];
    }

    @Override
    public void accept(long index) {
      if (size == array.length) {
        array = Arrays.copyOf(array, (int) Math.min(2L * size + 16, Integer.MAX_VALUE - 8));
      }
      array[size++] = (int) (index - from);
    }

    int[] toArray() {
      return size == array.length ? array : Arrays.copyOf(array, size);
    }
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof PoissonSample sample
        && step == sample.step
        && Double.compare(rate, sample.rate) == 0
        && key.equals(sample.key);
  }

  @Override
  public int hashCode() {
    return Long.hashCode(step) * 31 + Double.hashCode(rate);
  }

  /** Without the key. */
  @Override
  public String toString() {
    return "PoissonSample[step=" + step + ", rate=" + rate + "]";
  }
}
