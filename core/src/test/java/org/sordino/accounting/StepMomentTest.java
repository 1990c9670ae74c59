package org.sordino.accounting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.sordino.accounting.LossQuadrature.Cutoff;

class StepMomentTest {

  private static LossQuadrature rule(
      Direction direction, double q, double sigma, Cutoff cutoff, double c, double t) {
    return Objects.requireNonNull(
        LossQuadrature.of(new Step(q, sigma, 1), direction, cutoff, c, t));
  }

  /** Small and large losses, moments near 1 and huge, with and without a cut. */
  @ParameterizedTest
  @CsvSource({
    "REMOVE,0.01,4,0,2",
    "REMOVE,0.01,4,1e-6,2",
    "ADD,0.04,1.5,0,3",
    "REPLACE,0.2,0.7,1e-5,1.5",
    "REPLACE,0.2,0.7,0,1.5",
    "REMOVE,0.3,0.5,0,4",
    "REMOVE,0.3,0.5,1e-3,4",
    "ADD,0.9,0.4,0,2",
    "REMOVE,0.5,0.2,0,3"
  })
  void at_anyFrequency_equalsThePlainSum(
      Direction direction, double q, double sigma, double cut, double c) {
    Cutoff cutoff = cut == 0 ? Cutoff.NONE : Cutoff.losing(cut, q, sigma);
    LossQuadrature rule = rule(direction, q, sigma, cutoff, c, 50);
    StepMoment moment = new StepMoment(rule, c);
    double real = plain(rule, c, 0)[0];
    for (double t : new double[] {0, 0.1, 1, 7, 30, 50}) {
      moment.at(t);
      double[] sum = plain(rule, c, t);
      double modulus = Math.exp(moment.log);
      double tolerance = 1e-13 * real + modulus * moment.error;
      assertThat(modulus * Math.cos(moment.turn))
          .as("t %s", t)
          .isCloseTo(sum[0], within(tolerance));
      assertThat(modulus * Math.sin(moment.turn))
          .as("t %s", t)
          .isCloseTo(sum[1], within(tolerance));
      assertThat(moment.error).isGreaterThan(0);
      if (modulus > 1e-3 * real) {
        assertThat(moment.error).as("t %s", t).isLessThan(1e-10);
      }
    }
  }

  /**
   * For tiny q the moment differs from 1 by 1e-16, and all digits of that difference are accurate.
   */
  @ParameterizedTest
  @CsvSource({"1e-8,1,0", "1e-6,2,0", "1e-8,1,1e-20", "1e-3,10,0"})
  void at_momentNextToOne_keepsItsDigits(double q, double sigma, double cut) {
    Cutoff cutoff = cut == 0 ? Cutoff.NONE : Cutoff.losing(cut, q, sigma);
    LossQuadrature rule = rule(Direction.REMOVE, q, sigma, cutoff, 3, 10);
    StepMoment moment = new StepMoment(rule, 3);
    moment.at(0);
    LossQuadrature.Approximate exact = rule.logMoment(3);
    assertThat(moment.log).isCloseTo(exact.value(), within(1e-12 * exact.value()));
    assertThat(moment.turn).isZero();
    assertThat(moment.error).isBetween(1e-17 * exact.value(), 1e-11 * exact.value() + 1e-19);
    // To second order, M(c+it) - 1 is (c+it)(c+1+it) v/2 with v the variance of the loss.
    moment.at(1e-3);
    double v = 2 * exact.value() / 12;
    assertThat(moment.turn).isCloseTo(1e-3 * 7 * v / 2, within(0.6 * 1e-3 * 7 * v / 2));
  }

  /** Where the characteristic function has fallen below rounding, its whole value is an error. */
  @Test
  void at_momentBelowRounding_hasMaximalError() {
    LossQuadrature rule = rule(Direction.REMOVE, 0.999999, 1, Cutoff.NONE, 1, 60);
    StepMoment moment = new StepMoment(rule, 1);
    moment.at(50);
    double[] sum = plain(rule, 1, 50);
    assertThat(moment.error).isEqualTo(2);
    assertThat(Math.exp(moment.log)).isBetween(Math.hypot(sum[0], sum[1]) / 10, 1e-9);
  }

  private static double[] plain(LossQuadrature rule, double c, double t) {
    double re = 0;
    double im = 0;
    for (int j = 0; j < rule.size(); j++) {
      double mass = Math.exp(rule.logMass[j] + c * rule.loss[j]);
      re += mass * Math.cos(t * rule.loss[j]);
      im += mass * Math.sin(t * rule.loss[j]);
    }
    return new double[] {re, im};
  }

  /** Every error of a mass or a loss enters with the weight that it has in the moment. */
  @ParameterizedTest
  @CsvSource({"REMOVE,0.3,0.4,2", "ADD,0.9,0.4,2", "REPLACE,0.3,0.5,1"})
  void error_anyFrequency_countsTheErrorsOfAllPoints(
      Direction direction, double q, double sigma, double c) {
    LossQuadrature rule = rule(direction, q, sigma, Cutoff.NONE, c, 10);
    StepMoment moment = new StepMoment(rule, c);
    for (double t : new double[] {0, 1, 5}) {
      double z = Math.hypot(c, t);
      double counted = 0;
      for (int j = 0; j < rule.size(); j++) {
        double l = rule.loss[j];
        double mass = Math.exp(rule.logMass[j]);
        double tilted = mass * Math.exp(c * l);
        double other = Math.abs(Math.exp(rule.logMass[j] - l) - mass);
        if (z * Math.abs(l) >= 0.5 || Math.abs(l) >= 0.5) {
          counted += (tilted + mass + z * other) * rule.logMassError[j];
          counted += z * (tilted + mass + other) * rule.lossError[j];
          counted += (tilted + mass + z * other) * Bracket.U * (12 + 4 * (c + t) * Math.abs(l));
        }
      }
      moment.at(t);
      double modulus = Math.exp(moment.log);
      assertThat(moment.error * modulus).as("t %s", t).isBetween(counted, 1.7 * counted);
    }
  }

  /** Losses of -30 and below, whose e^-l is huge under the other data set. */
  @Test
  void at_hugeNegativeLosses_equalsThePlainSum() {
    LossQuadrature rule = rule(Direction.REPLACE, 0.5, 0.15, Cutoff.NONE, 0.5, 2);
    StepMoment moment = new StepMoment(rule, 0.5);
    for (double t : new double[] {0, 0.3, 1}) {
      moment.at(t);
      double[] sum = plain(rule, 0.5, t);
      double modulus = Math.exp(moment.log);
      double tolerance = modulus * moment.error + 1e-12 * plain(rule, 0.5, 0)[0];
      assertThat(modulus * Math.cos(moment.turn)).isCloseTo(sum[0], within(tolerance));
      assertThat(modulus * Math.sin(moment.turn)).isCloseTo(sum[1], within(tolerance));
      assertThat(moment.error).isLessThan(1e-4);
    }
  }
}
