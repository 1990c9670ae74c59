package org.sordino.torch;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Cuts a sample into batches. First by record number, into ranges that the plan fixes, so that a
 * record which is added or removed touches the float sums of one range only; then, within a range,
 * into parts of about the same size that fit into the cache. A range with unusually many records is
 * halved by number until none has more than {@link #most}.
 *
 * @param expected how many records a range is expected to have
 * @param largest how many records are computed in one go
 */
record Shards(int expected, int largest) {

  /** libtorch prepares a kernel for every size it meets; few sizes, few kernels. */
  private static final int STEP = 4;

  Shards {
    if (expected < 1 || expected > 1 << 16) {
      throw new IllegalArgumentException("microbatch must be in [1, 65536], got " + expected);
    }
  }

  /** No range keeps more records than that: four deviations above the expected number. */
  int most() {
    return expected + 4 * (int) Math.ceil(Math.sqrt(expected));
  }

  /**
   * The batches of a sample.
   *
   * @param sample record numbers, ascending
   * @param rate of the sample
   */
  List<int[]> batches(int[] sample, double rate) {
    List<int[]> batches = new ArrayList<>();
    if (sample.length == 0) {
      return batches;
    }
    long width = Math.max(1, (long) Math.min(expected / rate, 1L << 32));
    int from = 0;
    while (from < sample.length) {
      long start = sample[from] / width * width;
      from = range(sample, from, start, start + width, batches);
    }
    return batches;
  }

  /** Adds the batches of the records from {@code from} on that lie below {@code end}. */
  private int range(int[] sample, int from, long start, long end, List<int[]> batches) {
    int to = from;
    while (to < sample.length && sample[to] < end) {
      to++;
    }
    if (to - from > most()) {
      long middle = start + (end - start) / 2;
      int half = range(sample, from, start, middle, batches);
      return half == to ? to : range(sample, half, middle, end, batches);
    }
    int parts = (to - from + largest - 1) / largest;
    for (int part = 0; part < parts; part++) {
      int size = (to - from + parts - part - 1) / (parts - part);
      size = Math.min(to - from, (size + STEP - 1) / STEP * STEP);
      if (size > 0) {
        batches.add(Arrays.copyOfRange(sample, from, from + size));
      }
      from += size;
    }
    return to;
  }
}
