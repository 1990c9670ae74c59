package org.sordino.torch;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ShardsTest {

  @Test
  void batches_anySample_areTheSampleInOrder() {
    Shards shards = new Shards(32, 8);
    int[] sample = IntStream.range(0, 5000).filter(i -> i % 7 == 0 || i % 11 == 3).toArray();
    List<int[]> batches = shards.batches(sample, 0.2);
    assertThat(batches.stream().flatMapToInt(Arrays::stream).toArray()).isEqualTo(sample);
    assertThat(batches).allMatch(batch -> batch.length <= 8 && batch.length > 0);
  }

  @Test
  void batches_oneRecordMore_changeInItsRangeOnly() {
    Shards shards = new Shards(32, 8); // ranges of 160 numbers at a rate of 0.2
    int[] sample = IntStream.range(0, 1600).filter(i -> i % 5 == 0).toArray();
    int[] more = IntStream.range(0, 1600).filter(i -> i % 5 == 0 || i == 333).toArray();
    List<String> before = texts(shards.batches(sample, 0.2));
    List<String> after = texts(shards.batches(more, 0.2));
    after.removeAll(before);
    assertThat(after).isNotEmpty();
    for (String batch : after) {
      assertThat(Arrays.stream(batch.split("\\D+")).filter(s -> !s.isEmpty()))
          .allMatch(number -> Integer.parseInt(number) / 160 == 2);
    }
  }

  private static List<String> texts(List<int[]> batches) {
    return new java.util.ArrayList<>(batches.stream().map(Arrays::toString).toList());
  }

  @Test
  void batches_crowdedRange_isHalved() {
    Shards shards = new Shards(16, 64);
    int[] sample = IntStream.range(0, 1000).toArray();
    List<int[]> batches = shards.batches(sample, 0.01); // one range, 1000 records
    assertThat(batches).allMatch(batch -> batch.length <= shards.most());
    assertThat(batches.stream().mapToInt(batch -> batch.length).sum()).isEqualTo(1000);
  }

  @Test
  void batches_emptySample_areNone() {
    assertThat(new Shards(16, 64).batches(new int[0], 0)).isEmpty();
  }
}
