package org.sordino.sampling;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.sordino.random.RandomKey;
import org.sordino.random.RandomStream;

/** Compares the arithmetic of the gaps with the definition, in exact arithmetic. */
class GapsTest {

  private static final MathContext DIGITS = new MathContext(40, RoundingMode.HALF_EVEN);
  private static final BigDecimal ONE = BigDecimal.ONE;

  private final RandomKey key = RandomKey.insecure(1);

  @Test
  void floorOfProduct_manyPairs_isExact() {
    RandomStream random = key.stream(0, 0);
    for (int i = 0; i < 5_000; i++) {
      long n = (1L << 62) - (random.nextLong() >>> 3);
      double p = Math.scalb(0.5 + random.nextDouble() / 2, -3 - (int) (random.nextDouble() * 47));
      assertThat(Gaps.floorOfProduct(n, p)).isEqualTo(floor(BigInteger.valueOf(n), p).longValue());
    }
  }

  /** Compares with a simple implementation: S_k from its definition, and a linear search. */
  @ParameterizedTest
  @ValueSource(doubles = {0.125, 0.1, 0.01, 1e-3, 1e-5, 1e-9, 0x1p-49})
  void next_anyRate_isTheDefinition(double rate) {
    List<BigInteger> reach = reach(rate);
    Gaps gaps = Gaps.of(rate);
    int cap = reach.size() - 1;
    assertThat(gaps.cap()).isEqualTo(cap);
    RandomStream fast = key.stream(1, 0);
    RandomStream slow = key.stream(1, 0);
    int limit = 1 << 16;
    int at = 0;
    int expected = 0;
    while (at < limit && expected < limit) {
      at = gaps.next(fast, at, limit);
      int gap = gap(reach, slow.nextLong() >>> 2);
      for (expected += gap; gap == cap && expected < limit; expected += gap) {
        gap = gap(reach, slow.nextLong() >>> 2);
      }
      assertThat(at).isEqualTo(expected);
      at++;
      expected++;
    }
  }

  @ParameterizedTest
  @ValueSource(doubles = {0.125, 0.01, 1e-3, 0x1p-49})
  void gap_atEveryBorder_changesThere(double rate) {
    List<BigInteger> reach = reach(rate);
    Gaps gaps = Gaps.of(rate);
    assertThat(gaps.gap(0)).isEqualTo(gaps.cap());
    assertThat(gaps.gap((1L << 62) - 1)).isEqualTo(gap(reach, (1L << 62) - 1));
    for (int k = 1; k < reach.size(); k++) {
      long border = reach.get(k).longValue();
      assertThat(gaps.gap(border)).isEqualTo(gap(reach, border)).isLessThan(k);
      assertThat(gaps.gap(border - 1)).isEqualTo(gap(reach, border - 1)).isGreaterThanOrEqualTo(k);
    }
  }

  /**
   * Checks the bounds stated by the class: given all others, a record is included with a
   * probability that is at most the rate, and below it by at most 2^-41 of the rate plus 2^-57. The
   * records are in several phases; the next included record is at any distance up to 1,200, or the
   * block ends there.
   */
  @ParameterizedTest
  @ValueSource(doubles = {0.125, 0.1, 0.01, 1e-3, 1e-6, 1e-12, 0x1p-49})
  void next_givenAllOthers_isNeverAboveTheRate(double rate) {
    List<BigInteger> reach = reach(rate);
    int cap = reach.size() - 1;
    BigDecimal q = new BigDecimal(rate);
    BigDecimal least = q.subtract(q.multiply(new BigDecimal(Math.scalb(1.0, -41))));
    least = least.subtract(new BigDecimal(Math.scalb(1.0, -57)));
    for (int phase : new int[] {0, 1, cap / 2, cap - 2, cap - 1}) {
      BigDecimal hazard = hazard(reach, phase);
      BigDecimal odds = hazard.divide(ONE.subtract(hazard), DIGITS);
      int in = 0;
      int out = (phase + 1) % cap;
      for (int distance = 0; distance < 1200; distance++) {
        BigDecimal last = hazard(reach, in).divide(hazard(reach, out), DIGITS);
        assertThat(probability(odds)).isBetween(least, q);
        assertThat(probability(odds.multiply(last, DIGITS))).isBetween(least, q);
        BigDecimal passed = ONE.subtract(hazard(reach, in));
        passed = passed.divide(ONE.subtract(hazard(reach, out)), DIGITS);
        odds = odds.multiply(passed, DIGITS);
        in = (in + 1) % cap;
        out = (out + 1) % cap;
      }
    }
  }

  private static BigDecimal probability(BigDecimal odds) {
    return odds.divide(ONE.add(odds), DIGITS);
  }

  private static BigDecimal hazard(List<BigInteger> reach, int k) {
    BigDecimal here = new BigDecimal(reach.get(k));
    return here.subtract(new BigDecimal(reach.get(k + 1))).divide(here, DIGITS);
  }

  private static List<BigInteger> reach(double rate) {
    double p = rate * (1 - 0x1p-42) - 0x1p-58;
    List<BigInteger> reach = new ArrayList<>(List.of(BigInteger.ONE.shiftLeft(62)));
    BigInteger last = reach.get(0);
    while (reach.size() <= 1024 && last.bitLength() >= 60) {
      last = last.subtract(floor(last, p));
      reach.add(last);
    }
    return reach;
  }

  private static BigInteger floor(BigInteger n, double p) {
    return new BigDecimal(n).multiply(new BigDecimal(p)).toBigInteger();
  }

  private static int gap(List<BigInteger> reach, long u) {
    int gap = 0;
    while (gap + 1 < reach.size() && reach.get(gap + 1).longValue() > u) {
      gap++;
    }
    return gap;
  }
}
