package org.sordino.torch;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/**
 * Cuts a sample into batches. First into ranges, by a number that follows from the content of a
 * record: a range with more than {@link #most} records is halved until none has, so that a record
 * which is added or removed touches the float sums of one range only. (By position it would be all
 * ranges behind it, because those records move up.) Then, within a range, into parts of about the
 * same size, for the threads.
 *
 * @param expected about how many records a range has
 * @param largest how many records share a sum in float32
 */
record Shards(int expected, int largest) {

  /** Numbers of contents are below. */
  static final long PLACES = 1L << 48;

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
   * @param places the number of a content for each record, below {@link #PLACES}
   */
  List<int[]> batches(int[] sample, long[] places) {
    int[] inOrder =
        Arrays.stream(sample)
            .boxed()
            .sorted(Comparator.comparingLong(record -> places[record]))
            .mapToInt(record -> record)
            .toArray();
    List<int[]> batches = new ArrayList<>();
    range(inOrder, places, 0, PLACES, batches);
    // Largest first: a thread that begins with a large one last would let the others wait.
    batches.sort(Comparator.comparingInt((int[] batch) -> batch.length).reversed());
    return batches;
  }

  /** Adds the batches of records that lie from {@code start} to before {@code end}. */
  private void range(int[] records, long[] places, long start, long end, List<int[]> batches) {
    if (records.length <= most()) {
      cut(records, batches);
    } else if (end - start == 1) {
      cutAlike(records, batches);
    } else {
      long middle = start + (end - start) / 2;
      int half = 0;
      while (half < records.length && places[records[half]] < middle) {
        half++;
      }
      range(Arrays.copyOf(records, half), places, start, middle, batches);
      range(Arrays.copyOfRange(records, half, records.length), places, middle, end, batches);
    }
  }

  /** Many times the same record: all ranges are full and alike, but for the last. */
  private void cutAlike(int[] records, List<int[]> batches) {
    for (int from = 0; from < records.length; from += most()) {
      cut(Arrays.copyOfRange(records, from, Math.min(records.length, from + most())), batches);
    }
  }

  /** An even number of parts: with two threads, or four, none waits for the last one. */
  private void cut(int[] records, List<int[]> batches) {
    int parts = records.length <= largest ? 1 : 2 * ((records.length - 1) / (2 * largest) + 1);
    int from = 0;
    for (int part = 0; part < parts; part++) {
      int size = (records.length - from + parts - part - 1) / (parts - part);
      size = Math.min(records.length - from, (size + STEP - 1) / STEP * STEP);
      if (size > 0) {
        batches.add(Arrays.copyOfRange(records, from, from + size));
      }
      from += size;
    }
  }
}
