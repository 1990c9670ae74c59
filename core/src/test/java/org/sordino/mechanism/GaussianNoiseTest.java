package org.sordino.mechanism;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.sordino.random.RandomKey;
import org.sordino.random.RandomStream;

class GaussianNoiseTest {

  private final RandomKey key = RandomKey.insecure(1);
  private final GaussianNoise noise = GaussianNoise.of(key);

  @ParameterizedTest
  @ValueSource(doubles = {-1, -Double.MIN_VALUE, Double.NaN, Double.POSITIVE_INFINITY})
  void add_invalidDeviation_isRefused(double deviation) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> noise.add(0, new long[3], 0, 3, deviation))
        .withMessage("deviation must be finite and at least 0, got " + deviation);
  }

  @Test
  void add_invalidRange_isRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> noise.add(0, new long[3], 0, 4, 1))
        .withMessage("from and to must satisfy 0 <= from <= to <= 3, got 0, 4");
    assertThatIllegalArgumentException().isThrownBy(() -> noise.add(0, new long[3], -1, 3, 1));
    assertThatIllegalArgumentException().isThrownBy(() -> noise.add(0, new long[3], 2, 1, 1));
    assertThatIllegalArgumentException().isThrownBy(() -> noise.add(-1, new long[3], 0, 3, 1));
  }

  @Test
  void add_zeroDeviation_addsNothing() {
    long[] sums = {1, -2, Long.MAX_VALUE};
    noise.add(0, sums, 0, 3, 0);
    assertThat(sums).containsExactly(1, -2, Long.MAX_VALUE);
  }

  /**
   * Stored runs are replayed, so the values of a key must never change. They were computed with
   * {@code openssl enc -aes-256-ctr} and Python, with layer widths from math.erfc.
   */
  @Test
  void add_seedOne_neverChanges() {
    long[] sums = {0, 0, 1000, 0, 0, 0};
    noise.add(5, sums, 1, 5, 1e6);
    assertThat(sums).containsExactly(0, -3082155, 1050371, 1250886, -1183184, 0);
  }

  /** Compares with single values, chunk by chunk, without threads. */
  @ParameterizedTest
  @ValueSource(ints = {1, 13, 16_383, 16_384, 16_385, 262_144, 262_145, 600_000})
  void add_anyLength_isOneStreamPerChunkFromItsBeginning(int length) {
    long[] sums = new long[length + 10];
    long[] expected = new long[length + 10];
    noise.add(9, sums, 7, 7 + length, 1e9);
    for (int start = 7; start < 7 + length; start += 16_384) {
      RandomStream stream = key.stream(9, start);
      for (int i = start; i < Math.min(7 + length, start + 16_384); i++) {
        expected[i] = (long) Math.rint(1e9 * Ziggurat.next(stream));
      }
    }
    assertThat(sums).isEqualTo(expected);
  }

  /** Compares integer arithmetic with doubles. Floor instead of rounding would be detected. */
  @ParameterizedTest
  @ValueSource(doubles = {1e-300, 1e-3, 0.2, 1, 3.7, 1e5, 0x1p31, 0x1.8p47, 0x1p48})
  void add_anyDeviation_isTheRoundedValue(double deviation) {
    long[] sums = new long[10_000];
    noise.add(9, sums, 0, sums.length, deviation);
    RandomStream stream = key.stream(9, 0);
    for (long sum : sums) {
      double value = deviation * Ziggurat.next(stream);
      assertThat(Math.abs(sum - value)).isLessThanOrEqualTo(0.5 + 0x1p-8 + 2 * Math.ulp(value));
    }
  }

  @Test
  void add_toSums_isAddedToThem() {
    long[] zeros = new long[100];
    long[] sums = new long[100];
    Arrays.setAll(sums, i -> 1000L * i);
    noise.add(0, zeros, 0, 100, 1e6);
    noise.add(0, sums, 0, 100, 1e6);
    Arrays.setAll(sums, i -> sums[i] - 1000L * i);
    assertThat(sums).isEqualTo(zeros);
  }

  /** 64,000 values of standard deviation 2^45: two are equal with a probability of 1e-4. */
  @Test
  void add_vectorsAndSteps_shareNoValue() {
    long[] sums = new long[64_000];
    for (int vector = 0; vector < 32; vector++) {
      noise.add(vector / 16, sums, 1000 * vector, 1000 * (vector + 1), 0x1p45);
      GaussianNoise.of(key.derive("v" + vector))
          .add(0, sums, 32_000 + 1000 * vector, 33_000 + 1000 * vector, 0x1p45);
    }
    assertThat(Arrays.stream(sums).distinct().count()).isEqualTo(sums.length);
  }

  @Test
  void add_beyond64Bits_isAnArithmeticException() {
    for (long[] sums :
        new long[][] {filled(Long.MAX_VALUE), filled(Long.MIN_VALUE), filled(0), filled(-1)}) {
      double deviation = Math.abs(sums[0]) > 1 ? 10 : 0x1p70;
      assertThatExceptionOfType(ArithmeticException.class)
          .isThrownBy(() -> noise.add(0, sums, 0, sums.length, deviation))
          .withMessageStartingWith("a sum with its noise must fit into 64 bits");
    }
  }

  private static long[] filled(long value) {
    long[] sums = new long[100];
    Arrays.fill(sums, value);
    return sums;
  }

  /**
   * With a standard deviation of 2^57, 53 bits leave gaps of 32 units and more; the second noise
   * fills them. Each residue modulo 64 is expected 1,000 times. The probability that one is off by
   * 160 is 3e-5.
   */
  @Test
  void add_hugeDeviation_leavesNoNumberOut() {
    long[] sums = new long[64_000];
    noise.add(0, sums, 0, sums.length, 0x1p57);
    long[] residues = new long[64];
    Arrays.stream(sums).forEach(sum -> residues[(int) (sum & 63)]++);
    assertThat(Arrays.stream(residues)).allMatch(count -> count >= 840 && count <= 1160);
    double squares = Arrays.stream(sums).mapToDouble(sum -> sum * 0x1p-57).map(x -> x * x).sum();
    assertThat(squares / sums.length).isBetween(0.97, 1.03);
  }

  @Test
  void ziggurat_tables_closeAtTheTop() {
    assertThat(Ziggurat.top()).isBetween(1 - 0x1p-45, 1 + 0x1p-45);
  }
}
