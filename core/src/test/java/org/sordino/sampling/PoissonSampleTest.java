package org.sordino.sampling;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.sordino.random.RandomKey;

class PoissonSampleTest {

  private final RandomKey key = RandomKey.insecure(1);

  @ParameterizedTest
  @ValueSource(doubles = {-0.1, 1.1, Double.NaN, Double.POSITIVE_INFINITY, -Double.MIN_VALUE})
  void of_rateOutsideOfUnitInterval_isRefused(double rate) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> PoissonSample.of(key, 0, rate))
        .withMessage("rate must be in [0, 1], got " + rate);
  }

  @ParameterizedTest
  @ValueSource(longs = {-1, 1L << 48})
  void of_stepBeyond48Bits_isRefused(long step) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> PoissonSample.of(key, step, 0.5))
        .withMessage("step must be in [0, 2^48), got " + step);
  }

  @Test
  void indices_invalidRange_isRefused() {
    PoissonSample sample = PoissonSample.of(key, 0, 0.5);
    assertThatIllegalArgumentException().isThrownBy(() -> sample.indices(-1, 5));
    assertThatIllegalArgumentException().isThrownBy(() -> sample.indices(6, 5));
    assertThatIllegalArgumentException().isThrownBy(() -> sample.offsets(-1, Long.MAX_VALUE));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> sample.offsets(10, 10 + (1L << 31)))
        .withMessage("a range must have fewer than 2^31 records, got 2147483648");
  }

  @ParameterizedTest
  @ValueSource(doubles = {0.01, 0.3, 1})
  void from_anyRecord_givesTheSameSampleWithShiftedNumbers(double rate) {
    PoissonSample whole = PoissonSample.of(key, 3, rate);
    for (long first : new long[] {0, 1, 65_535, 65_536, 100_001}) {
      long[] expected =
          Arrays.stream(whole.indices(first, first + 150_000)).map(i -> i - first).toArray();
      assertThat(whole.from(first).indices(0, 150_000)).isEqualTo(expected);
      assertThat(whole.from(first).from(7).offsets(0, 10))
          .isEqualTo(
              Arrays.stream(whole.indices(first + 7, first + 17))
                  .mapToInt(i -> (int) (i - first - 7))
                  .toArray());
    }
    assertThat(whole.from(0)).isEqualTo(whole).isNotEqualTo(whole.from(1));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> whole.from(-1))
        .withMessage("record must be at least 0, got -1");
  }

  @ParameterizedTest
  @ValueSource(doubles = {0, 0.0001, 0.01, 0.124, 0.3, 1})
  void at_anyRecords_areIncludedAsInTheWholeTable(double rate) {
    PoissonSample whole = PoissonSample.of(key, 3, rate);
    Random random = new Random(4);
    for (long first : new long[] {0, 65_000, 1L << 40}) {
      for (double density : new double[] {0.001, 0.3, 1}) {
        long[] records =
            LongStream.range(0, 200_000).filter(i -> random.nextDouble() < density).toArray();
        Set<Long> included = new HashSet<>();
        whole.from(first).forEach(0, 200_000, included::add);
        int[] expected =
            IntStream.range(0, records.length).filter(i -> included.contains(records[i])).toArray();
        PoissonSample selected = whole.from(first).at(records);
        assertThat(selected.offsets(0, records.length)).isEqualTo(expected);
        int middle = records.length / 3;
        assertThat(selected.indices(middle, records.length))
            .isEqualTo(Arrays.stream(expected).filter(i -> i >= middle).asLongStream().toArray());
        assertThat(selected.first()).isEqualTo(first + records[0]);
      }
    }
    assertThat(whole.at(new long[0]).indices(0, 0)).isEmpty();
    assertThat(whole.at(new long[] {3})).isEqualTo(whole.at(new long[] {3})).isNotEqualTo(whole);
  }

  @Test
  void at_recordsThatAreNotAscending_areRefused() {
    PoissonSample whole = PoissonSample.of(key, 3, 0.5);
    for (long[] records : new long[][] {{-1}, {1, 1}, {2, 1}}) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> whole.at(records))
          .withMessageStartingWith("records must be at least 0 and ascending, got ");
    }
    assertThatIllegalStateException().isThrownBy(() -> whole.at(new long[] {1}).from(1));
  }

  @Test
  void indices_rateZeroOrOne_areNoneOrAll() {
    assertThat(PoissonSample.of(key, 0, 0).indices(0, 200_000)).isEmpty();
    assertThat(PoissonSample.of(key, 0, 0x1p-50).indices(0, 200_000)).isEmpty();
    assertThat(PoissonSample.of(key, 0, Double.MIN_VALUE).indices(0, 200_000)).isEmpty();
    assertThat(PoissonSample.of(key, 0, 1).indices(5, 200_000))
        .isEqualTo(LongStream.range(5, 200_000).toArray());
    assertThat(PoissonSample.of(key, 0, 1).indices(7, 7)).isEmpty();
  }

  /**
   * Stored runs are replayed, so the samples of a key must never change. They were computed with
   * {@code openssl enc -aes-256-ctr} and Python's fractions, from the description in {@link Gaps}.
   */
  @Test
  void indices_seedOne_neverChange() {
    assertThat(PoissonSample.of(key, 2, 0.01).indices(65_000, 66_000))
        .containsExactly(
            65048, 65107, 65117, 65144, 65265, 65567, 65580, 65665, 65780, 65916, 65963);
    assertThat(PoissonSample.of(key, 2, 0.4).indices(65_530, 65_546))
        .containsExactly(65533, 65539, 65540, 65545);
  }

  @ParameterizedTest
  @ValueSource(doubles = {1, 0.99, 0.3, 0.126, 0.125, 0.01, 1e-4, 1e-9})
  void indices_anySplit_areThoseOfTheWhole(double rate) {
    long[] borders = {0, 1, 207, 65_535, 65_536, 65_537, 131_071, 131_072, 139_999, 140_000};
    PoissonSample sample = PoissonSample.of(key, 3, rate);
    long[] whole = sample.indices(0, 140_000);
    assertThat(whole).isSorted();
    for (int i = 0; i < borders.length; i++) {
      for (int j = i; j < borders.length; j++) {
        long from = borders[i];
        long to = borders[j];
        long[] part = Arrays.stream(whole).filter(k -> k >= from && k < to).toArray();
        assertThat(sample.indices(from, to)).isEqualTo(part);
        assertThat(Arrays.stream(sample.offsets(from, to)).mapToLong(k -> from + k).toArray())
            .isEqualTo(part);
      }
    }
  }

  @Test
  void indices_largeNumbers_work() {
    PoissonSample sample = PoissonSample.of(key, 3, 0.3);
    long[] far = sample.indices(Long.MAX_VALUE - 100_000, Long.MAX_VALUE);
    assertThat(far.length).isBetween(28_000, 32_000);
    assertThat(far[far.length - 1]).isBetween(Long.MAX_VALUE - 200, Long.MAX_VALUE - 1);
  }

  /** The chance of equal samples is below 1e-100. */
  @Test
  void indices_otherStepKeyOrBlock_differ() {
    for (double rate : new double[] {0.01, 0.3}) {
      int[] sample = PoissonSample.of(key, 3, rate).offsets(0, 60_000);
      assertThat(sample)
          .isNotEqualTo(PoissonSample.of(key, 4, rate).offsets(0, 60_000))
          .isNotEqualTo(PoissonSample.of(RandomKey.insecure(2), 3, rate).offsets(0, 60_000))
          .isNotEqualTo(PoissonSample.of(key, 3, rate).offsets(65_536, 125_536));
    }
  }

  @Test
  void equals_sameKeyStepAndRate_isTrue() {
    PoissonSample sample = PoissonSample.of(key, 3, 0.3);
    assertThat(sample)
        .isEqualTo(PoissonSample.of(RandomKey.insecure(1), 3, 0.3))
        .hasSameHashCodeAs(PoissonSample.of(RandomKey.insecure(1), 3, 0.3))
        .isNotEqualTo(PoissonSample.of(key, 4, 0.3))
        .isNotEqualTo(PoissonSample.of(key, 3, 0.31))
        .isNotEqualTo(PoissonSample.of(RandomKey.insecure(2), 3, 0.3))
        .hasToString("PoissonSample[step=3, rate=0.3]");
    assertThat(sample.step()).isEqualTo(3);
    assertThat(sample.rate()).isEqualTo(0.3);
  }

  @Test
  void serialization_thereAndBack_givesTheSameRecords() throws Exception {
    PoissonSample sample = PoissonSample.of(key, 3, 0.01);
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
      out.writeObject(sample);
    }
    try (ObjectInputStream in =
        new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
      PoissonSample copy = (PoissonSample) in.readObject();
      assertThat(copy).isEqualTo(sample);
      assertThat(copy.indices(0, 100_000)).isEqualTo(sample.indices(0, 100_000));
    }
  }
}
