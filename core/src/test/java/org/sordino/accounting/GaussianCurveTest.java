package org.sordino.accounting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.assertj.core.api.Assertions.withinPercentage;

import java.math.BigDecimal;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.sordino.Neighboring;

class GaussianCurveTest {

  @Test
  void delta_closedForms_encloseTheReferenceTightly() {
    int rows = 0;
    for (String line : Golden.lines("closed-form.csv").skip(1).toList()) {
      String[] field = line.split(",", -1);
      double epsilon = Double.parseDouble(field[3]);
      Bracket bracket = curve(field).delta(epsilon);
      BigDecimal truth = new BigDecimal(field[4]);
      assertThat(new BigDecimal(bracket.lower())).as(line).isLessThanOrEqualTo(truth);
      assertThat(new BigDecimal(bracket.upper())).as(line).isGreaterThanOrEqualTo(truth);
      assertThat(bracket.width())
          .as(line)
          .isLessThanOrEqualTo(2e-10 * truth.doubleValue() + 2 * Double.MIN_NORMAL);
      assertThat(bracket.method()).isEqualTo(Bracket.Method.CLOSED_FORM);
      rows++;
    }
    assertThat(rows).isGreaterThan(200);
  }

  private static DeltaCurve curve(String[] field) {
    double q = Double.parseDouble(field[1]);
    double sigma = Double.parseDouble(field[2]);
    return field[0].equals("GAUSSIAN")
        ? GaussianCurve.gaussian(sigma)
        : GaussianCurve.singleStep(new Step(q, sigma, 1), Direction.valueOf(field[0]));
  }

  @Test
  void epsilon_gaussian_matchesGoldenAndErrsUpward() {
    for (Golden row : Golden.rows("G")) {
      if (row.quantity().startsWith("epsilon")) {
        assertThat(GaussianCurve.epsilon(row.parameter("mu"), row.parameter("delta")))
            .as("%s", row)
            .isCloseTo(row.value(), withinPercentage(1e-11))
            .isGreaterThanOrEqualTo(row.value());
      }
    }
  }

  @Test
  void delta_calibratedNoise_matchesTheAnalyticGaussian() {
    for (Golden row : Golden.rows("A")) {
      double delta = row.parameter("delta");
      double actual = GaussianCurve.gaussian(1 / row.value()).delta(row.parameter("eps")).upper();
      assertThat(actual).as("%s", row).isCloseTo(delta, withinPercentage(1e-10));
    }
  }

  @Test
  void epsilon_extremes_areFiniteAndOrdered() {
    for (double mu = 1e-12; mu < 1e7; mu *= 10) {
      double last = 0;
      for (double delta : new double[] {0.9, 0.1, 1e-5, 1e-50, 1e-150, 1e-300}) {
        double epsilon = GaussianCurve.epsilon(mu, delta);
        assertThat(epsilon)
            .as("mu %s, delta %s", mu, delta)
            .isFinite()
            .isGreaterThanOrEqualTo(last);
        last = epsilon;
      }
    }
  }

  @Test
  void gaussian_severalSteps_addTheirSquares() {
    List<Step> steps = List.of(new Step(1, 2, 3), new Step(1, 5, 10));
    double mu = Math.sqrt(3 / 4.0 + 10 / 25.0);
    Bracket expected = GaussianCurve.gaussian(mu).delta(0.8);
    assertThat(GaussianCurve.gaussian(steps, Direction.REMOVE).delta(0.8).upper())
        .isCloseTo(expected.upper(), withinPercentage(1e-11));
    assertThat(GaussianCurve.gaussian(steps, Direction.REPLACE).delta(0.8).upper())
        .isCloseTo(GaussianCurve.gaussian(2 * mu).delta(0.8).upper(), withinPercentage(1e-11));
    assertThat(GaussianCurve.mu(List.of(new Step(1, 1e-200, 1)))).isEqualTo(1e200);
  }

  @ParameterizedTest
  @EnumSource(Direction.class)
  void singleStep_samplingAlmostEverything_tendsToThePlainGaussian(Direction direction) {
    DeltaCurve almost = GaussianCurve.singleStep(new Step(1 - 1e-12, 1.5, 1), direction);
    DeltaCurve all = GaussianCurve.singleStep(new Step(1, 1.5, 1), direction);
    for (double epsilon : new double[] {0, 0.1, 1, 3}) {
      assertThat(almost.delta(epsilon).upper())
          .isCloseTo(all.delta(epsilon).upper(), within(1e-10));
    }
  }

  @Test
  void singleStep_add_endsAtTheLargestPossibleLoss() {
    DeltaCurve curve = GaussianCurve.singleStep(new Step(0.25, 0.7, 1), Direction.ADD);
    double limit = -Math.log(0.75);
    assertThat(curve.delta(limit * 1.000001))
        .isEqualTo(new Bracket(0, 0, Bracket.Method.CLOSED_FORM));
    assertThat(curve.delta(limit * 0.9).lower()).isPositive();
  }

  @Test
  void singleStep_hardlyAnyNoise_costsTheSamplingRate() {
    for (Direction direction : Direction.of(Neighboring.ADD_OR_REMOVE_ONE)) {
      Bracket bracket = GaussianCurve.singleStep(new Step(0.3, 1e-300, 1), direction).delta(0);
      assertThat(bracket.upper()).isEqualTo(0.3);
      assertThat(bracket.lower()).isCloseTo(0.3, within(1e-12));
    }
    Bracket replace = GaussianCurve.singleStep(new Step(0.3, 0.01, 1), Direction.REPLACE).delta(1);
    assertThat(replace.lower()).isCloseTo(0.3, within(1e-10));
    assertThat(replace.upper()).isLessThanOrEqualTo(0.3);
  }

  /** The two extremes of mu: nothing is released, or nothing is hidden. */
  @Test
  void gaussian_muZeroOrInfinite_isZeroOrOne() {
    assertThat(GaussianCurve.mu(List.of())).isZero();
    assertThat(GaussianCurve.mu(List.of(new Step(1, 1e-310, 1), new Step(1, 1, 1)))).isInfinite();
    for (double epsilon : new double[] {0, 1, 1e10}) {
      assertNegligible(GaussianCurve.gaussian(0).delta(epsilon));
      Bracket all = GaussianCurve.gaussian(Double.POSITIVE_INFINITY).delta(epsilon);
      assertThat(all.lower()).isZero();
      assertThat(all.upper()).isEqualTo(1);
    }
  }

  /** Asserts that delta consists only of the allowance for underflow. */
  private static void assertNegligible(Bracket bracket) {
    assertThat(bracket.lower()).isZero();
    assertThat(bracket.upper()).isBetween(Double.MIN_NORMAL, 2 * Double.MIN_NORMAL);
  }

  @Test
  void delta_epsilonFarTooLarge_isNegligible() {
    assertNegligible(GaussianCurve.gaussian(1e-300).delta(1e10));
    assertNegligible(GaussianCurve.gaussian(1).delta(1e10));
    for (double sigma : new double[] {1, 1e10}) {
      for (double epsilon : new double[] {1e4, 1e300}) {
        Step step = new Step(0.3, sigma, 1);
        assertNegligible(GaussianCurve.singleStep(step, Direction.REMOVE).delta(epsilon));
        assertNegligible(GaussianCurve.singleStep(step, Direction.REPLACE).delta(epsilon));
      }
    }
  }

  /**
   * Below 1e-300 the result is a tail bound; the true value is from the inverse of the normal tail.
   */
  @Test
  void epsilon_denormalDelta_isSlightlyAboveTheTruth() {
    for (double mu : new double[] {1e-3, 1, 20}) {
      // Phi(-37.6607) is 1e-310; delta(epsilon) is at most Phi(-x), and about Phi(-x) / 40.
      double most = mu * (mu / 2 + 37.6607);
      assertThat(GaussianCurve.epsilon(mu, 1e-310)).isBetween(0.99 * most, 1.01 * most);
      assertThat(GaussianCurve.epsilon(mu, 1e-310)).isGreaterThan(most);
      assertThat(GaussianCurve.epsilon(mu, 1e-310))
          .isGreaterThan(GaussianCurve.epsilon(mu, 1.1e-300));
    }
  }

  /** (e^epsilon - 1)/q overflows long before its logarithm does. */
  @Test
  void singleStep_removeAtHugeEpsilon_isTheShiftedUnsampledCurve() {
    for (double epsilon : new double[] {690, 700, 720}) {
      double q = 1e-10;
      double sigma = 0.03;
      Bracket sampled =
          GaussianCurve.singleStep(new Step(q, sigma, 1), Direction.REMOVE).delta(epsilon);
      Bracket plain = GaussianCurve.gaussian(1 / sigma).delta(epsilon - Math.log(q));
      assertThat(sampled.upper()).isCloseTo(q * plain.upper(), withinPercentage(1e-9));
      assertThat(sampled.lower()).isCloseTo(q * plain.lower(), withinPercentage(1e-9));
      assertThat(sampled.lower()).isGreaterThan(1e-30);
    }
  }

  @Test
  void singleStep_replaceWithoutDigits_isBoundedByTheRate() {
    DeltaCurve curve = GaussianCurve.singleStep(new Step(0.3, 1e-7, 1), Direction.REPLACE);
    assertThat(curve.delta(1)).isEqualTo(new Bracket(0, 0.3, Bracket.Method.CLOSED_FORM));
  }
}
