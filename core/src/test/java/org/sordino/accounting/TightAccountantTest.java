package org.sordino.accounting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.offset;

import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.sordino.Neighboring;
import org.sordino.PrivacyEvent;
import org.sordino.PrivacyEvent.Composition;
import org.sordino.PrivacyEvent.Gaussian;
import org.sordino.PrivacyEvent.SampledGaussian;

class TightAccountantTest {

  private static final TightAccountant TIGHT = TightAccountant.of(Neighboring.ADD_OR_REMOVE_ONE);

  private static final TightAccountant REPLACE = TightAccountant.of(Neighboring.REPLACE_ONE);

  /**
   * Relative tolerance between two upper ends of the same value where the lattice computes them.
   */
  private static final double LATTICE_WIDTH = 1e-4;

  @Tag("heavy")
  @Nested
  class AddOrRemove extends AccountantContract {
    @Override
    Accountant accountant() {
      return TIGHT;
    }

    @Override
    double slack() {
      return LATTICE_WIDTH;
    }
  }

  @Tag("heavy")
  @Nested
  class Replace extends AccountantContract {
    @Override
    Accountant accountant() {
      return REPLACE;
    }

    @Override
    double slack() {
      return LATTICE_WIDTH;
    }
  }

  static Stream<Golden> epsilons() {
    return Stream.concat(Golden.rows("E").stream(), Golden.rows("S").stream());
  }

  static Stream<Golden> deltas() {
    return Golden.rows("D").stream();
  }

  private static Direction direction(Golden row) {
    return row.quantity().contains("REMOVE") ? Direction.REMOVE : Direction.ADD;
  }

  @ParameterizedTest
  @MethodSource("epsilons")
  void epsilonBracket_golden_enclosesTheValueWithin1em9(Golden row) {
    Bracket bracket = TIGHT.epsilonBracket(row.event(), row.parameter("delta"), direction(row));
    assertThat(row.value()).isBetween(bracket.lower(), bracket.upper());
    assertThat(bracket.width()).isLessThan(1e-9);
  }

  @ParameterizedTest
  @MethodSource("epsilons")
  void epsilonBracket_golden_isAtMostRdp(Golden row) {
    double rdp =
        RdpAccountant.of(Neighboring.ADD_OR_REMOVE_ONE)
            .epsilon(row.event(), row.parameter("delta"));
    assertThat(TIGHT.epsilonBracket(row.event(), row.parameter("delta")).upper())
        .isLessThanOrEqualTo(rdp);
  }

  @ParameterizedTest
  @MethodSource("deltas")
  void deltaBracket_golden_enclosesTheValueTo9Digits(Golden row) {
    Bracket bracket = TIGHT.deltaBracket(row.event(), row.parameter("eps"), direction(row));
    assertThat(row.value()).isBetween(bracket.lower(), bracket.upper());
    assertThat(bracket.width()).isLessThan(1e-9 * row.value());
  }

  @Test
  void epsilonBracket_figure2_everyTenthEpochMatches() {
    List<double[]> rows = Golden.figure2();
    for (int i = 0; i < rows.size(); i += 10) {
      double[] row = rows.get(i);
      PrivacyEvent event = new SampledGaussian(0.01, 4).times((long) row[1]);
      assertThat(TIGHT.epsilonBracket(event, 1e-5, Direction.REMOVE).upper())
          .isCloseTo(row[7], offset(1e-11));
      assertThat(TIGHT.epsilonBracket(event, 1e-5, Direction.ADD).upper())
          .isCloseTo(row[8], offset(1e-11));
    }
  }

  /** Known enclosures from the lattice of an independent prototype: few steps, little noise. */
  @ParameterizedTest
  @CsvSource({
    "0.001,0.3,1000,18.1432,18.1447",
    "0.01,0.3,100,26.83470,26.83472",
    "0.1,0.5,10,12.26123930,12.26123938"
  })
  void epsilonBracket_littleNoise_overlapsKnownEnclosure(
      double q, double sigma, long steps, double low, double high) {
    Bracket bracket = TIGHT.epsilonBracket(new SampledGaussian(q, sigma).times(steps), 1e-5);
    assertThat(bracket.lower()).isLessThanOrEqualTo(high);
    assertThat(bracket.upper()).isGreaterThanOrEqualTo(low);
    assertThat(bracket.width()).isLessThan(1e-2 * low);
  }

  /** Google's accountant overestimates this value by a factor of 8, because of its fixed mesh. */
  @Test
  void epsilon_muchNoiseManySteps_isNotLimitedByAMesh() {
    PrivacyEvent event = new SampledGaussian(1e-4, 50).times(1_000_000);
    assertThat(TIGHT.epsilon(event, 1e-5)).isCloseTo(0.0043861, offset(1e-7));
  }

  /**
   * Other accountants underestimate these values because of round-off: exact values 10.684200,
   * 11.82369.
   */
  @ParameterizedTest
  @CsvSource({"1e-10,10.684200", "1e-12,11.82369", "1e-14,12.87588"})
  void epsilon_smallDelta_isNotBelowTheTruth(double delta, double exact) {
    PrivacyEvent event = new SampledGaussian(0.04, 1.5).times(2500);
    assertThat(TIGHT.epsilon(event, delta)).isCloseTo(exact, offset(1e-5));
  }

  @ParameterizedTest
  @CsvSource({"1e-20", "1e-30", "1e-60", "1e-100"})
  void epsilonBracket_tinyDelta_staysNarrow(double delta) {
    Bracket bracket = TIGHT.epsilonBracket(new SampledGaussian(0.01, 4).times(10_000), delta);
    assertThat(bracket.width()).isLessThan(1e-9);
  }

  /**
   * Where doubles underflow, relative error bounds are void; the true value is just above 140.656.
   */
  @ParameterizedTest
  @CsvSource({"1e-316,140.656145", "1e-321,141.986120", "4.9e-324,140"})
  void epsilonBracket_denormalDelta_isNotBelowTheTruth(double delta, double truth) {
    Bracket bracket = TIGHT.epsilonBracket(new SampledGaussian(0.5, 2).times(100), delta);
    assertThat(bracket.upper()).isGreaterThan(truth);
    assertThat(bracket.lower()).isLessThan(140);
  }

  @Test
  void epsilonBracket_splitCounts_isTheSame() {
    SampledGaussian step = new SampledGaussian(0.02, 1.1);
    Bracket whole = TIGHT.epsilonBracket(step.times(1000), 1e-6);
    Bracket split =
        TIGHT.epsilonBracket(new Composition(List.of(step.times(1), step.times(999))), 1e-6);
    assertThat(split).isEqualTo(whole);
  }

  @Test
  void epsilonBracket_nearlyEqualSteps_costNearlyTheSame() {
    SampledGaussian step = new SampledGaussian(0.02, 1.1);
    SampledGaussian twin = new SampledGaussian(0.02, 1.1 * (1 + 1e-13));
    Bracket same = TIGHT.epsilonBracket(step.times(1000), 1e-6);
    Bracket mixed =
        TIGHT.epsilonBracket(new Composition(List.of(step.times(400), twin.times(600))), 1e-6);
    assertThat(mixed.upper()).isCloseTo(same.upper(), offset(1e-9));
  }

  @Test
  void epsilonBracket_plainGaussianAdded_isBetweenSampledAloneAndSum() {
    PrivacyEvent sampled = new SampledGaussian(0.01, 1).times(1000);
    PrivacyEvent plain = new Gaussian(5);
    double together = TIGHT.epsilon(new Composition(List.of(sampled, plain)), 1e-5);
    assertThat(together)
        .isGreaterThan(TIGHT.epsilon(sampled, 1e-5))
        .isLessThan(TIGHT.epsilon(sampled, 0.5e-5) + TIGHT.epsilon(plain, 0.5e-5));
  }

  @Test
  void epsilon_replaceOneAtFullRate_isTheGaussianOfTwiceTheShift() {
    assertThat(REPLACE.epsilon(new SampledGaussian(1, 3).times(7), 1e-5))
        .isCloseTo(TIGHT.epsilon(new Gaussian(1.5).times(7), 1e-5), offset(1e-12));
  }

  /**
   * Replacing is removing plus adding, so the cost is between that of one and group privacy of
   * both.
   */
  @ParameterizedTest
  @CsvSource({"0.01,4,10000", "0.04,1.5,2500", "0.001,0.8,50000", "0.3,2,30"})
  void epsilon_replaceOne_isBetweenOneAndTwoRecords(double q, double sigma, long steps) {
    PrivacyEvent event = new SampledGaussian(q, sigma).times(steps);
    assertThat(REPLACE.epsilon(event, 1e-5))
        .isGreaterThan(TIGHT.epsilon(event, 1e-5))
        .isLessThan(GroupPrivacy.of(TIGHT, 2).epsilon(event, 1e-5));
  }

  /** Compares two independent methods on random ledgers. */
  @Tag("heavy")
  @ParameterizedTest
  @MethodSource("ledgers")
  void contourAndLattice_randomLedgers_overlap(List<Step> steps, double delta) {
    for (Direction direction : Direction.values()) {
      Contour contour = Contour.forDelta(steps, direction, delta);
      if (contour == null) {
        continue;
      }
      double at = contour.estimate();
      Bracket exact = contour.delta(at);
      Bracket lattice = Lattice.forEpsilon(steps, direction, at).delta(at);
      assertThat(exact.lower()).as("%s", direction).isLessThanOrEqualTo(lattice.upper());
      assertThat(exact.upper()).as("%s", direction).isGreaterThanOrEqualTo(lattice.lower());
    }
  }

  static Stream<org.junit.jupiter.params.provider.Arguments> ledgers() {
    Random random = new Random(20261115);
    return Stream.generate(
            () -> {
              int kinds = 1 + random.nextInt(2);
              List<Step> steps =
                  Stream.generate(() -> randomStep(random))
                      .limit(kinds)
                      .sorted(java.util.Comparator.comparingDouble(Step::samplingRate))
                      .toList();
              double delta = Math.pow(10, -2 - 8 * random.nextDouble());
              return org.junit.jupiter.params.provider.Arguments.of(steps, delta);
            })
        .limit(12);
  }

  private static Step randomStep(Random random) {
    double q = Math.pow(10, -0.5 - 3.5 * random.nextDouble());
    double sigma = 0.5 * Math.pow(20, random.nextDouble());
    long count = (long) Math.ceil((1 + 50 * random.nextDouble()) / q);
    return new Step(q, sigma, count);
  }

  @Test
  void bracket_disjointMethods_failClosed() {
    Bracket low = new Bracket(1, 1.1, Bracket.Method.CONTOUR);
    Bracket high = new Bracket(1.2, 1.3, Bracket.Method.LATTICE);
    org.assertj.core.api.Assertions.assertThatThrownBy(() -> low.intersect(high))
        .isInstanceOf(ArithmeticException.class)
        .hasMessageContaining("got [1.2, 1.1]");
  }

  @Test
  void epsilonBracket_noNoise_isTrivial() {
    Bracket bracket = TIGHT.epsilonBracket(new SampledGaussian(0.1, 0), 1e-5);
    assertThat(bracket.upper()).isInfinite();
    assertThat(bracket.lower()).isZero();
    assertThat(TIGHT.deltaBracket(new Gaussian(0), 1).upper()).isEqualTo(1);
  }

  @Test
  void deltaBracket_emptyLedger_isZero() {
    assertThat(TIGHT.deltaBracket(new Composition(List.of()), 0).upper()).isZero();
    assertThatIllegalArgumentException()
        .isThrownBy(() -> TIGHT.deltaBracket(new Composition(List.of()), Double.NaN));
  }
}
