package org.sordino.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.apache.spark.SparkConf;
import org.junit.jupiter.api.Test;
import org.sordino.training.Examples;

class ByContentTest {

  @Test
  void partitions_default_dependsOnCoresAndDeclaredNumbersOnly() {
    assertThat(ByContent.partitions(8, 0, 20)).isEqualTo(8);
    assertThat(ByContent.partitions(8, 100_000_000, 20)).isEqualTo(8);
    assertThat(ByContent.partitions(8, 1_000_000_000, 20)).isEqualTo(75); // 2e10 / 2^28
  }

  @Test
  void requireFixed_dynamicAllocation_isRefusedUnlessThePartitionsAreSet() {
    SparkConf settings = new SparkConf(false);
    assertThatCode(() -> ByContent.requireFixed(settings)).doesNotThrowAnyException();
    settings.set("spark.dynamicAllocation.enabled", "true");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> ByContent.requireFixed(settings))
        .withMessageContaining("set --partitions or spark.default.parallelism");
    settings.set("spark.default.parallelism", "16");
    assertThatCode(() -> ByContent.requireFixed(settings)).doesNotThrowAnyException();
  }

  /** The same seed always gives the same records, so this test cannot fail by chance. */
  @Test
  void partition_differentRecords_areSpreadEvenly() {
    Examples table = Tables.random(20_000, 6, 2);
    int[] counts = new int[7];
    for (int i = 0; i < table.size(); i++) {
      counts[ByContent.partition(table.digest(i), counts.length)]++;
    }
    double expected = 20_000.0 / counts.length;
    for (int count : counts) {
      assertThat(Math.abs(count - expected)).isLessThan(4.5 * Math.sqrt(expected));
    }
  }

  @Test
  void partition_equalRecords_areTogether() {
    Examples one = Tables.random(10, 6, 2);
    Examples other = Tables.random(10, 6, 2);
    for (int i = 0; i < 10; i++) {
      assertThat(ByContent.partition(one.digest(i), 1000))
          .isEqualTo(ByContent.partition(other.digest(i), 1000));
    }
  }
}
