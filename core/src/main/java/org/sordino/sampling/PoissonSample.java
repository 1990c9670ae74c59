package org.sordino.sampling;

import java.io.Serializable;
import java.util.Arrays;
import java.util.function.LongConsumer;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.sordino.random.RandomKey;
import org.sordino.random.RandomStream;

/**
 * A Poisson sample of the records for one step: each record is included with the same probability,
 * independently of all others. The accounting of a sampled step assumes exactly this. Batches of a
 * fixed size, or slices of an order that is shuffled once, do not satisfy it.
 *
 * <p>A sample is stored as its key, step and rate, not as a list of records. Records are numbered
 * from 0, and each block of 65,536 numbers has a separate random stream. Every engine, thread and
 * partition therefore expands any range to the same records. The number of records is not part of
 * the sample.
 *
 * <p>Given all others, a record is included with a probability that is never above the rate. For
 * rates above 1/8 and for 0, it is exactly the rate. Otherwise it is below the rate by less than
 * 2^-41 of the rate plus 2^-57, as {@code Gaps} derives. Rates below 2^-49 give an empty sample.
 */
public final class PoissonSample implements Serializable {

  private static final long serialVersionUID = 1;

  private static final int BLOCK_BITS = 16;
  private static final int BLOCK = 1 << BLOCK_BITS;

  private final RandomKey key;
  private final long step;
  private final double rate;

  /** Index in the whole table of the record numbered 0 in this sample. */
  private final long first;

  /** Index in the whole table, minus {@code first}, of every record; null if consecutive. */
  private final long @Nullable [] numbers;

  private PoissonSample(
      RandomKey key, long step, double rate, long first, long @Nullable [] numbers) {
    this.key = key;
    this.step = step;
    this.rate = rate;
    this.first = first;
    this.numbers = numbers;
  }

  /**
   * Returns the sample of a step.
   *
   * @param key a key derived for sampling and used for nothing else
   * @param step number of the step, in [0, 2^48)
   * @param rate q, the probability that a record is included, in [0, 1]
   */
  public static PoissonSample of(RandomKey key, long step, double rate) {
    if (!(step >= 0 && step < 1L << 48)) {
      throw new IllegalArgumentException("step must be in [0, 2^48), got " + step);
    }
    if (!(rate >= 0 && rate <= 1)) {
      throw new IllegalArgumentException("rate must be in [0, 1], got " + rate);
    }
    return new PoissonSample(key, step, rate, 0, null);
  }

  /**
   * Returns the same sample for a partition of the table that begins at {@code record}. The records
   * of the partition are numbered from 0. The random bits are the same; only the numbers are
   * shifted.
   *
   * @param record first record of the partition, at least 0
   */
  public PoissonSample from(long record) {
    if (record < 0) {
      throw new IllegalArgumentException("record must be at least 0, got " + record);
    }
    requireConsecutive();
    return new PoissonSample(key, step, rate, Math.addExact(first, record), null);
  }

  /**
   * Returns the same sample for records in any places of the table. Record i of the returned sample
   * is the record {@code records[i]} of this one. The random bits are the same; only the numbers
   * differ. Drawing takes the time of all numbers up to the last, not only of these records.
   *
   * @param records numbers of the records, ascending and different, at least 0; the array is not
   *     copied
   */
  public PoissonSample at(long[] records) {
    requireConsecutive();
    for (int i = 0; i < records.length; i++) {
      if (!(records[i] >= 0 && (i == 0 || records[i] > records[i - 1]))) {
        throw new IllegalArgumentException(
            "records must be at least 0 and ascending, got " + records[i] + " at " + i);
      }
    }
    return new PoissonSample(key, step, rate, first, records);
  }

  private void requireConsecutive() {
    if (numbers != null) {
      throw new IllegalStateException("a sample of selected records cannot be renumbered again");
    }
  }

  /** Returns the index in the whole table of the record numbered 0 in this sample. */
  public long first() {
    return numbers == null || numbers.length == 0 ? first : first + numbers[0];
  }

  /** Returns the number of the step. */
  public long step() {
    return step;
  }

  /** Returns q, the probability that a record is included. */
  public double rate() {
    return rate;
  }

  /**
   * Calls an action for each included record of a range, in ascending order.
   *
   * @param from start of the range, at least 0
   * @param to end of the range, exclusive
   * @param action called with the number of each included record
   */
  public void forEach(long from, long to, LongConsumer action) {
    if (!(from >= 0 && from <= to)) {
      throw new IllegalArgumentException(
          "from and to must satisfy 0 <= from <= to, got " + from + " and " + to);
    }
    if (from == to) {
      return;
    }
    Draw draw = Draw.of(rate);
    if (numbers != null) {
      forEachSelected(draw, numbers, Math.toIntExact(from), Math.toIntExact(to), action);
      return;
    }
    long begin = Math.addExact(first, from);
    long limit = Math.addExact(first, to);
    long last = (limit - 1) >>> BLOCK_BITS;
    for (long block = begin >>> BLOCK_BITS; block <= last; block++) {
      long base = block << BLOCK_BITS;
      int start = (int) Math.max(0, begin - base);
      int end = (int) Math.min(BLOCK, limit - base);
      expand(draw, key.stream(step, block), start, end, base - first, action);
    }
  }

  /** Expands every block that contains a selected record, and skips all other records in it. */
  private void forEachSelected(Draw draw, long[] selected, int from, int to, LongConsumer action) {
    int i = from;
    while (i < to) {
      long block = Math.addExact(first, selected[i]) >>> BLOCK_BITS;
      long base = (block << BLOCK_BITS) - first;
      RandomStream stream = key.stream(step, block);
      int next = draw.next(stream, 0, BLOCK);
      while (next < BLOCK) {
        i = firstAtLeast(base + next, selected, i, to);
        if (i < to && selected[i] == base + next) {
          action.accept(i);
        }
        boolean last = i == to || selected[i] >= base + BLOCK;
        next = last ? BLOCK : draw.next(stream, next + 1, BLOCK);
      }
      i = firstAtLeast(base + BLOCK, selected, i, to);
    }
  }

  /** Returns the first position at or after {@code from} with at least this number, near it. */
  private static int firstAtLeast(long number, long[] ascending, int from, int to) {
    int low = from; // all before are smaller
    int step = 1;
    while (low < to && to - low > step && ascending[low + step - 1] < number) {
      low += step;
      step *= 2;
    }
    int high = Math.min(to, low + step);
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (ascending[middle] < number) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  /**
   * Expands one block. A block is always drawn from its beginning; records before the range are
   * skipped.
   */
  private static void expand(
      Draw draw, RandomStream stream, int start, int end, long base, LongConsumer action) {
    for (int i = draw.next(stream, 0, end); i < end; i = draw.next(stream, i + 1, end)) {
      if (i >= start) {
        action.accept(base + i);
      }
    }
  }

  /** Returns the included records of a range, in ascending order. */
  public long[] indices(long from, long to) {
    LongStream.Builder indices = LongStream.builder();
    forEach(from, to, indices);
    return indices.build().toArray();
  }

  /**
   * Returns the included records of a range relative to {@code from}, in ascending order. Much
   * faster than {@link #indices}; for engines that keep a range of records in arrays.
   *
   * @param from start of the range, at least 0
   * @param to end of the range, exclusive, less than 2^31 above {@code from}
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

  /** Returns six standard deviations above the mean: enough for all but one sample in a billion. */
  private int capacity(long records) {
    double mean = rate * Math.max(0, records);
    return (int) Math.min(Math.max(0, records), mean + 6 * Math.sqrt(mean) + 16);
  }

  /** An array that grows as records are added. */
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
        && first == sample.first
        && Arrays.equals(numbers, sample.numbers)
        && key.equals(sample.key);
  }

  @Override
  public int hashCode() {
    return (Long.hashCode(step) * 31 + Double.hashCode(rate)) * 31 + Long.hashCode(first);
  }

  /** Returns step and rate, without the key. */
  @Override
  public String toString() {
    return "PoissonSample[step=" + step + ", rate=" + rate + "]";
  }
}
