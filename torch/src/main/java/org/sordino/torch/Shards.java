package org.sordino.torch;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.IntFunction;

/**
 * Splits a sample into batches. The sample is first split into ranges of a content hash of the
 * records: a range with more than {@link #most} records is halved until no range has more. Adding
 * or removing a record therefore affects the float sums of only one range. (With ranges of
 * positions, it would affect all later ranges, because their records move up.) Each range is then
 * cut into parts of about equal size for the threads.
 *
 * @param expected approximate number of records in a range
 * @param largest maximum number of records that share a float32 sum, approximately
 * @param rows smallest number of rows of a tape; all batches of a range except the last are a
 *     multiple of it
 */
record Shards(int expected, int largest, int rows) {

  /** Upper limit of content hashes, exclusive. */
  static final long PLACES = 1L << 48;

  Shards {
    if (expected < 1 || expected > 1 << 16) {
      throw new IllegalArgumentException("microbatch must be in [1, 65536], got " + expected);
    }
  }

  /**
   * Returns the maximum number of records in a range: four standard deviations above the expected
   * number.
   */
  int most() {
    return expected + 4 * (int) Math.ceil(Math.sqrt(expected));
  }

  /** Returns the maximum number of batches of a range. */
  int parts() {
    return parts(most());
  }

  private int parts(int records) {
    return records <= largest ? 1 : 2 * ((records - 1) / (2 * largest) + 1);
  }

  /**
   * Returns the batches of a sample.
   *
   * @param sample record indices, ascending
   * @param places content hash of every record, below {@link #PLACES}
   * @param contents returns a digest of a record that different records do not share
   */
  List<int[]> batches(int[] sample, long[] places, IntFunction<byte[]> contents) {
    int[] inOrder =
        Arrays.stream(sample)
            .boxed()
            .sorted(Comparator.comparingLong(record -> places[record]))
            .mapToInt(record -> record)
            .toArray();
    List<int[]> batches = new ArrayList<>();
    range(inOrder, places, 0, PLACES, contents, batches);
    // Largest first: otherwise, all threads might wait for one that starts a large batch last.
    batches.sort(Comparator.comparingInt((int[] batch) -> batch.length).reversed());
    return batches;
  }

  /** Adds the batches of the records whose content hashes are in [{@code start}, {@code end}). */
  private void range(
      int[] records,
      long[] places,
      long start,
      long end,
      IntFunction<byte[]> contents,
      List<int[]> batches) {
    if (records.length <= most()) {
      cut(records, batches);
    } else if (end - start == 1) {
      onePlace(records, contents, batches);
    } else {
      long middle = start + (end - start) / 2;
      int half = 0;
      while (half < records.length && places[records[half]] < middle) {
        half++;
      }
      range(Arrays.copyOf(records, half), places, start, middle, contents, batches);
      range(
          Arrays.copyOfRange(records, half, records.length),
          places,
          middle,
          end,
          contents,
          batches);
    }
  }

  /**
   * Splits many records with the same content hash. These are copies of a record, unless somebody
   * has searched for different records with the same hash. Only copies may share a batch then:
   * otherwise, one more record would move all later ones to other batches.
   */
  private void onePlace(int[] records, IntFunction<byte[]> contents, List<int[]> batches) {
    Map<ByteBuffer, List<Integer>> alike = new TreeMap<>();
    for (int record : records) {
      alike
          .computeIfAbsent(ByteBuffer.wrap(contents.apply(record)), digest -> new ArrayList<>())
          .add(record);
    }
    for (List<Integer> copies : alike.values()) {
      cutAlike(copies.stream().mapToInt(record -> record).toArray(), batches);
    }
  }

  /** Splits many copies of the same record. All ranges except the last are full and equal. */
  private void cutAlike(int[] records, List<int[]> batches) {
    for (int from = 0; from < records.length; from += most()) {
      cut(Arrays.copyOfRange(records, from, Math.min(records.length, from + most())), batches);
    }
  }

  /**
   * Cuts a range into one part or an even number of parts. With two or four threads, none then
   * waits for the last part.
   */
  private void cut(int[] records, List<int[]> batches) {
    int parts = parts(records.length);
    int from = 0;
    for (int part = 0; part < parts; part++) {
      int size = (records.length - from + parts - part - 1) / (parts - part);
      size = Math.min(records.length - from, (size + rows - 1) / rows * rows);
      if (size > 0) {
        batches.add(Arrays.copyOfRange(records, from, from + size));
      }
      from += size;
    }
  }
}
