package org.sordino.torch;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ShardsTest {

  private static final long[] PLACES = new Random(1).longs(5000, 0, Shards.PLACES).toArray();

  /** Records with the same hash are copies of each other. */
  private static byte[] alike(int record) {
    return new byte[1];
  }

  @Test
  void batches_anySample_haveEveryRecordOnce() {
    Shards shards = new Shards(32, 8, 4);
    int[] sample = IntStream.range(0, 5000).filter(i -> i % 7 == 0 || i % 11 == 3).toArray();
    List<int[]> batches = shards.batches(sample, PLACES, ShardsTest::alike);
    assertThat(batches.stream().flatMapToInt(Arrays::stream).sorted().toArray()).isEqualTo(sample);
    assertThat(batches).allMatch(batch -> batch.length <= 8 && batch.length > 0);
  }

  /** Later records move up by one, as in a file after the removal of a line. */
  @Test
  void batches_recordRemoved_changeInOneRangeOnly() {
    Shards shards = new Shards(32, 8, 4);
    Random random = new Random(2);
    for (int trial = 0; trial < 200; trial++) {
      int gone = random.nextInt(PLACES.length);
      long[] fewer =
          IntStream.range(0, PLACES.length)
              .filter(i -> i != gone)
              .mapToLong(i -> PLACES[i])
              .toArray();
      List<String> before = contents(shards, PLACES);
      List<String> after = contents(shards, fewer);
      List<String> both = new ArrayList<>(before);
      both.retainAll(after);
      before.removeAll(both);
      after.removeAll(both);
      assertThat(records(before)).isBetween(1L, shards.most() + 1L);
      assertThat(records(after)).isEqualTo(records(before) - 1);
    }
  }

  private static List<String> contents(Shards shards, long[] places) {
    List<String> texts = new ArrayList<>();
    for (int[] batch : all(shards, places, ShardsTest::alike)) {
      texts.add(Arrays.toString(Arrays.stream(batch).mapToLong(i -> places[i]).toArray()));
    }
    return texts;
  }

  private static long records(List<String> batches) {
    return batches.stream().mapToLong(batch -> batch.split(",", -1).length).sum();
  }

  @Test
  void batches_thousandEqualRecords_haveEqualSizesExceptTheLast() {
    Shards shards = new Shards(16, 64, 4);
    long[] same = new long[1000];
    Arrays.fill(same, 77);
    int[] sizes =
        all(shards, same, ShardsTest::alike).stream().mapToInt(batch -> batch.length).toArray();
    assertThat(sizes).hasSize(32).endsWith(8);
    assertThat(Arrays.stream(sizes).limit(31)).allMatch(size -> size == shards.most());
  }

  @Test
  void batches_emptySample_areEmpty() {
    assertThat(new Shards(16, 64, 4).batches(new int[0], new long[0], ShardsTest::alike)).isEmpty();
  }

  private static List<int[]> all(Shards shards, long[] places, IntFunction<byte[]> contents) {
    return shards.batches(IntStream.range(0, places.length).toArray(), places, contents);
  }

  /** Two different records with the same hash alternate; one more of the first kind is added. */
  @Test
  void batches_collidingRecords_changeInOneBatchOnly() {
    Shards shards = new Shards(16, 64, 4);
    List<String> before = colliding(shards, 0);
    List<String> after = colliding(shards, 1);
    List<String> both = new ArrayList<>(before);
    for (String batch : after) {
      both.remove(batch);
    }
    assertThat(both).hasSize(1);
    assertThat(after).hasSameSizeAs(before);
  }

  private static List<String> colliding(Shards shards, int more) {
    long[] same = new long[1001 + more];
    Arrays.fill(same, 77);
    IntFunction<byte[]> contents =
        record -> new byte[] {(byte) (record < more ? 0 : (record - more) % 2)};
    return all(shards, same, contents).stream()
        .map(
            batch ->
                Arrays.toString(
                    Arrays.stream(batch).map(record -> contents.apply(record)[0]).toArray()))
        .toList();
  }
}
