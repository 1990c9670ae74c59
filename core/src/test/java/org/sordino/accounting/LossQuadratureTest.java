package org.sordino.accounting;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.sordino.accounting.LossQuadrature.Approximate;
import org.sordino.accounting.LossQuadrature.Cutoff;

class LossQuadratureTest {

  private static LossQuadrature rule(
      double q, double sigma, Direction direction, Cutoff cutoff, double tilt, double frequency) {
    return Objects.requireNonNull(
        LossQuadrature.of(new Step(q, sigma, 1), direction, cutoff, tilt, frequency));
  }

  /** The oracle is the binomial sum for integer orders, with order = c + 1. */
  @ParameterizedTest
  @CsvSource({
    "1e-8,1",
    "1e-4,0.3",
    "0.001,0.8",
    "0.01,4",
    "0.04,1.5",
    "0.5,0.5",
    "0.9,100",
    "0.999999,2"
  })
  void logMoment_wholeOrders_isWithinItsErrorOfTheBinomialSum(double q, double sigma) {
    for (int order : new int[] {2, 3, 9, 33, 150}) {
      Approximate k =
          rule(q, sigma, Direction.REMOVE, Cutoff.NONE, order - 1, 0).logMoment(order - 1);
      double exact = MomentsAccountant.logMoment(q, sigma, order);
      // The sum itself is accurate to about 1e-12.
      assertThat(k.value())
          .isBetween(exact - k.error() - 1e-12 * exact, exact + k.error() + 1e-12 * exact);
      assertThat(k.error()).as("order %s", order).isLessThan(5e-13 * exact + 1e-17);
    }
  }

  /** The added direction has no closed form, so a finer rule is the oracle. */
  @ParameterizedTest
  @CsvSource({"0.01,4", "0.04,1.5", "0.5,0.5", "0.001,0.8", "0.9,2"})
  void logMoment_addAndReplace_agreeWithAFinerRule(double q, double sigma) {
    for (Direction direction : new Direction[] {Direction.ADD, Direction.REPLACE}) {
      for (double c : new double[] {0.01, 1, 17}) {
        Approximate k = rule(q, sigma, direction, Cutoff.NONE, c, 0).logMoment(c);
        Approximate fine = rule(q, sigma, direction, Cutoff.NONE, 2 * c, 40).logMoment(c);
        assertThat(k.value())
            .as("%s %s", direction, c)
            .isBetween(
                fine.value() - k.error() - fine.error(), fine.value() + k.error() + fine.error());
        assertThat(k.error()).isLessThan(1e-12 * fine.value() + 1e-18);
      }
    }
  }

  /**
   * The bound on the trapezoid rule must hold up to its largest frequency and be large well beyond
   * it.
   */
  @ParameterizedTest
  @CsvSource({"REMOVE,0.01,4", "ADD,0.04,1.5", "REPLACE,0.2,0.7", "REMOVE,0.001,0.5"})
  void quadratureError_atTheLargestFrequency_boundsTheError(
      Direction direction, double q, double sigma) {
    double t = 40;
    double c = 3;
    Cutoff cutoff = direction == Direction.ADD ? Cutoff.NONE : Cutoff.losing(1e-15, q, sigma);
    LossQuadrature rule = rule(q, sigma, direction, cutoff, c, t);
    LossQuadrature fine = rule(q, sigma, direction, cutoff, 2 * c, 8 * t);
    double[] coarse = moment(rule, c, t);
    double[] exact = moment(fine, c, t);
    double scale = moment(fine, c, 0)[0];
    double error = Math.hypot(coarse[0] - exact[0], coarse[1] - exact[1]) / scale;
    assertThat(rule.quadratureError(c, t)).isLessThan(1e-19);
    assertThat(error).isLessThan(1e-13); // only rounding is left
    assertThat(rule.quadratureError(c, 3 * t)).as("bound beyond its range").isGreaterThan(1e-6);
  }

  /** The bound holds at every frequency beyond t, not only at t. */
  @ParameterizedTest
  @CsvSource({"REMOVE,0.01,4", "ADD,0.04,1.5", "REPLACE,0.2,0.7", "REMOVE,0.001,0.5", "ADD,0.5,9"})
  void decay_allLargerFrequencies_isAnUpperBound(Direction direction, double q, double sigma) {
    Cutoff cutoff = direction == Direction.ADD ? Cutoff.NONE : Cutoff.losing(1e-15, q, sigma);
    for (double c : new double[] {0.5, 8}) {
      LossQuadrature rule = rule(q, sigma, direction, cutoff, c, 3000);
      double scale = moment(rule, c, 0)[0];
      double[] mass = new double[rule.size()];
      rule.tiltedLogMasses(c, mass);
      for (int j = 0; j < mass.length; j++) {
        mass[j] = Math.exp(mass[j]) / scale;
      }
      for (double t : new double[] {0.3, 3, 30, 300}) {
        double bound = rule.decay(c, t, mass);
        for (double factor = 1; factor < 10; factor *= 1.07) {
          double[] there = moment(rule, c, t * factor);
          assertThat(Math.hypot(there[0], there[1]) / scale)
              .as("t = %s, c = %s", t * factor, c)
              .isLessThanOrEqualTo(bound + 1e-11);
        }
      }
      assertThat(rule.decay(c, 2000, mass)).as("decays").isLessThan(0.9);
    }
  }

  @Test
  void losing_mass_isTheMassThatTheRuleMisses() {
    double q = 0.01;
    double sigma = 0.7;
    Cutoff cutoff = Cutoff.losing(1e-4, q, sigma);
    LossQuadrature cut = rule(q, sigma, Direction.REMOVE, cutoff, 1, 0);
    double kept = moment(cut, 0, 0)[0];
    assertThat(cutoff.lost(q, sigma)).isLessThanOrEqualTo(1e-4).isGreaterThan(0.99e-4);
    assertThat(1 - kept)
        .isCloseTo(cutoff.lost(q, sigma), org.assertj.core.api.Assertions.within(1e-14));
  }

  /** With a cut, K comes from a difference of closed forms; the plain sum is the oracle. */
  @Test
  void logMoment_cutOff_equalsThePlainSum() {
    for (Direction direction : new Direction[] {Direction.REMOVE, Direction.REPLACE}) {
      Cutoff cutoff = Cutoff.losing(1e-5, 0.05, 0.9);
      LossQuadrature rule = rule(0.05, 0.9, direction, cutoff, 6, 0);
      for (double c : new double[] {0.1, 1, 6}) {
        double plain = Math.log(moment(rule, c, 0)[0]);
        assertThat(rule.logMoment(c).value())
            .isCloseTo(plain, org.assertj.core.api.Assertions.within(1e-13));
      }
    }
  }

  /**
   * K requires the density of the other data set to sum to one, so the grid must cover it as well.
   */
  @ParameterizedTest
  @CsvSource({
    "REMOVE,0.9999999999999999,0.3",
    "ADD,0.9,0.25",
    "ADD,0.3,0.1",
    "REPLACE,0.9999999999999999,0.3",
    "REPLACE,0.5,0.1",
    "REMOVE,0.5,0.1"
  })
  void logMoment_littleNoise_equalsThePlainSum(Direction direction, double q, double sigma) {
    LossQuadrature rule = rule(q, sigma, direction, Cutoff.NONE, 3, 0);
    for (double c : new double[] {1e-6, 0.1, 3}) {
      double plain = Math.log(moment(rule, c, 0)[0]);
      assertThat(rule.logMoment(c).value())
          .isCloseTo(plain, org.assertj.core.api.Assertions.within(1e-13 * (1 + Math.abs(plain))));
      double fromMean = c * rule.tilt(0).mean(); // Jensen
      assertThat(rule.logMoment(c).value() + rule.logMoment(c).error())
          .isGreaterThanOrEqualTo(fromMean * (1 - 1e-12));
    }
  }

  @Test
  void of_tooManyPoints_isRefused() {
    assertThat(LossQuadrature.of(new Step(1e-6, 0.3, 1), Direction.REMOVE, Cutoff.NONE, 1e7, 0))
        .isNull();
  }

  @ParameterizedTest
  @CsvSource({"1e-9,0.3", "0.5,1e-8", "0.5,0.4", "3,0.1", "3,0.2", "40,-0.01", "2,-5", "0.1,20"})
  void logGap_anywhere_isAccurate(double c, double l) {
    // e^(cl) - 1 + c (e^-l - 1), in BigDecimal arithmetic
    java.math.BigDecimal exact =
        exp(c * l)
            .subtract(java.math.BigDecimal.ONE)
            .add(
                java.math.BigDecimal.valueOf(c)
                    .multiply(exp(-l).subtract(java.math.BigDecimal.ONE)));
    assertThat(Math.exp(LossQuadrature.logGap(c, l)))
        .isCloseTo(exact.doubleValue(), org.assertj.core.api.Assertions.withinPercentage(1e-11));
  }

  private static java.math.BigDecimal exp(double x) {
    java.math.MathContext digits = new java.math.MathContext(60);
    java.math.BigDecimal exponent = new java.math.BigDecimal(x);
    java.math.BigDecimal term = java.math.BigDecimal.ONE;
    java.math.BigDecimal sum = term;
    for (int k = 1; k < 200; k++) {
      term = term.multiply(exponent, digits).divide(java.math.BigDecimal.valueOf(k), digits);
      sum = sum.add(term, digits);
    }
    return sum;
  }

  /** Returns E[chi e^((c+it) loss)] by a plain sum. */
  private static double[] moment(LossQuadrature rule, double c, double t) {
    double re = 0;
    double im = 0;
    for (int j = 0; j < rule.size(); j++) {
      double mass = Math.exp(rule.logMass[j] + c * rule.loss[j]);
      re += mass * Math.cos(t * rule.loss[j]);
      im += mass * Math.sin(t * rule.loss[j]);
    }
    return new double[] {re, im};
  }

  @ParameterizedTest
  @CsvSource({"REMOVE,0.01,4", "ADD,0.04,1.5", "REPLACE,0.2,0.7", "REMOVE,0.3,0.5"})
  void tilt_anywhere_hasTheMomentsOfThePlainSums(Direction direction, double q, double sigma) {
    LossQuadrature rule = rule(q, sigma, direction, Cutoff.NONE, 9, 0);
    for (double c : new double[] {0, 0.5, 9}) {
      double sum = 0;
      double first = 0;
      for (int j = 0; j < rule.size(); j++) {
        double mass = Math.exp(rule.logMass[j] + c * rule.loss[j]);
        sum += mass;
        first += mass * rule.loss[j];
      }
      double mean = first / sum;
      double square = 0;
      for (int j = 0; j < rule.size(); j++) {
        double off = rule.loss[j] - mean;
        square += Math.exp(rule.logMass[j] + c * rule.loss[j]) * off * off;
      }
      LossQuadrature.Tilt tilt = rule.tilt(c);
      double scale = Math.abs(mean) + Math.sqrt(square / sum);
      assertThat(tilt.logMoment()).isCloseTo(Math.log(sum), near(1e-12 * (1 + c * scale)));
      assertThat(tilt.mean()).isCloseTo(mean, near(1e-12 * scale));
      assertThat(tilt.variance()).isCloseTo(square / sum, near(1e-12 * scale * scale));
    }
  }

  private static org.assertj.core.data.Offset<Double> near(double tolerance) {
    return org.assertj.core.api.Assertions.within(tolerance);
  }

  /**
   * Recomputes the exponents of section 3 of docs/explanation/accounting.md to find the widest
   * spacing.
   */
  @ParameterizedTest
  @CsvSource({
    "REMOVE,0.01,4,0,5,30",
    "REMOVE,0.01,4,1e-9,5,30",
    "ADD,0.04,1.5,0,20,3",
    "REPLACE,0.2,0.7,1e-6,2,7",
    "REPLACE,0.2,0.7,0,2,7",
    "ADD,0.5,0.3,0,200,0",
    "REMOVE,0.1,0.3,0,1,100",
    "REMOVE,0.1,12,1e-4,1,1"
  })
  void of_spacing_isTheWidestThatItsErrorBoundAllows(
      Direction direction, double q, double sigma, double cut, double c, double t) {
    Cutoff cutoff = cut == 0 ? Cutoff.NONE : Cutoff.losing(cut, q, sigma);
    LossQuadrature rule = rule(q, sigma, direction, cutoff, c, t);
    double widest = 0;
    for (double theta = 1e-4; theta < Math.PI; theta *= 1.002) {
      double a = theta * sigma * sigma;
      double growth = a * a / (2 * sigma * sigma);
      growth += cut == 0 ? 0 : a * a / (2 * cutoff.width() * cutoff.width());
      growth += (direction == Direction.REPLACE ? 2 : 1) * t * theta;
      growth += direction == Direction.REMOVE ? 0 : -c * Math.log(Math.cos(theta / 2));
      widest = Math.max(widest, 2 * Math.PI * a / (48 + growth));
    }
    assertThat(rule.eta).isBetween(0.97 * widest, widest * (1 + 1e-6));
    double least = 2 * Math.exp(-47);
    assertThat(rule.quadratureError(c, t)).isBetween(least, least * (1 + 1.001 / Math.E));
    assertThat(rule.quadratureError(c, 0)).isBetween(least, rule.quadratureError(c, t));
  }

  /** At each end, the integral beyond is just negligible at the worst tilt. */
  @ParameterizedTest
  @CsvSource({
    "REMOVE,0.01,4,0,5",
    "REMOVE,0.01,4,1e-9,5",
    "ADD,0.04,1.5,0,20",
    "REPLACE,0.2,0.7,1e-6,2",
    "REPLACE,0.2,0.7,0,2",
    "ADD,0.5,0.3,0,200",
    "REMOVE,0.1,0.3,0,1",
    "REMOVE,0.9,20,1e-12,3"
  })
  void of_range_endsWhereTheRestIsNegligible(
      Direction direction, double q, double sigma, double cut, double c) {
    Cutoff cutoff = cut == 0 ? Cutoff.NONE : Cutoff.losing(cut, q, sigma);
    LossQuadrature rule = rule(q, sigma, direction, cutoff, c, 1);
    for (int j : new int[] {0, rule.size() - 1}) {
      double density = rule.logMass[j] - Math.log(rule.eta);
      double worst = density + Math.max(0, Math.max(-rule.loss[j], c * rule.loss[j]));
      // over the decay, which is at most a few |x|/sigma^2: a stride of a few percent of the way
      double decay = Math.log(Math.abs(rule.x(j)) / (sigma * sigma));
      assertThat(worst - decay).as("end %s", j).isBetween(-47.0 - 25, -47.0 + 2);
    }
  }

  /**
   * The bounds include each rounding that docs/explanation/accounting.md counts, and little more.
   */
  @ParameterizedTest
  @CsvSource({
    "REMOVE,0.01,4,0",
    "REMOVE,0.01,0.5,1e-9",
    "ADD,0.04,1.5,0",
    "REPLACE,0.2,0.7,1e-6",
    "ADD,0.95,0.6,0",
    "REMOVE,0.3,0.03,0"
  })
  void errors_ofEveryPoint_countTheRoundings(
      Direction direction, double q, double sigma, double cut) {
    Cutoff cutoff = cut == 0 ? Cutoff.NONE : Cutoff.losing(cut, q, sigma);
    LossQuadrature rule = rule(q, sigma, direction, cutoff, 2, 1);
    for (int j = 0; j < rule.size(); j++) {
      double x = rule.x(j);
      double in = logRatioRoundings((x - 0.5) / (sigma * sigma), q);
      double out = logRatioRoundings((-x - 0.5) / (sigma * sigma), q);
      double counted = direction == Direction.REPLACE ? in + out + Math.abs(rule.loss[j]) : in;
      assertThat(rule.lossError[j] / Bracket.U)
          .as("x = %s", x)
          .isBetween(counted * (1 - 1e-9), counted * (1 + 1e-9) + 1e-300);
      double mass = 2 * x * x / (sigma * sigma) + 8 + 16 * Math.abs(cutoff.logChi(x));
      mass += (direction == Direction.ADD ? 0 : in) + 4 * Math.abs(rule.logMass[j]);
      assertThat(rule.logMassError[j] / Bracket.U)
          .as("x = %s", x)
          .isBetween(mass * (1 - 1e-9), mass * (1 + 1e-9));
    }
  }

  /**
   * Returns the roundings of log(1 - q + q e^v), in units of u: those of v, of b, and of the
   * logarithm.
   */
  private static double logRatioRoundings(double v, double q) {
    double ofB;
    double log;
    double y = q * Math.expm1(v);
    if (v >= 600) {
      log = v + Math.log(q);
      ofB = 5 + v;
    } else {
      log = y < -0.6 ? Math.log(1 - q + q * Math.exp(v)) : Math.log1p(y);
      ofB = y < -0.6 ? 5 : 3 * Math.abs(y) / (1 + y);
    }
    double drawn = Math.min(1, Math.exp(v + Math.log(q) - log));
    return 3 * Math.abs(v) * drawn + ofB + 2 * Math.abs(log);
  }

  @Test
  void loss_hardlyAnyNoise_doesNotOverflow() {
    LossQuadrature rule = rule(0.3, 0.03, Direction.REMOVE, Cutoff.NONE, 0.5, 0);
    int last = rule.size() - 1;
    double v = (rule.x(last) - 0.5) / (0.03 * 0.03);
    assertThat(v).isGreaterThan(600);
    assertThat(rule.loss[last]).isCloseTo(v + Math.log(0.3), near(1e-10));
  }

  @Test
  void of_extremeNoise_isRefused() {
    for (double sigma : new double[] {0.0049, 1.1e100, Double.POSITIVE_INFINITY}) {
      assertThat(LossQuadrature.of(new Step(0.1, sigma, 1), Direction.REMOVE, Cutoff.NONE, 1, 0))
          .isNull();
    }
  }

  @Test
  void logGap_hugeArguments_areTheirExponents() {
    assertThat(LossQuadrature.logGap(2, 400)).isEqualTo(800);
    assertThat(LossQuadrature.logGap(0.5, -700)).isCloseTo(700 + Math.log(0.5), near(1e-12));
    assertThat(LossQuadrature.logGap(0.5, -800)).isCloseTo(800 + Math.log(0.5), near(1e-12));
    assertThat(LossQuadrature.logGap(0.5, 700)).isCloseTo(350, near(1e-12));
    assertThat(LossQuadrature.logGap(0.5, -650)).isCloseTo(650 + Math.log(0.5), near(1e-12));
  }

  /** The bound falls at about the same rate as the characteristic function. */
  @ParameterizedTest
  @CsvSource({"REMOVE,0.5,3", "ADD,0.5,3", "REPLACE,0.5,3", "REMOVE,0.1,1", "ADD,0.1,1"})
  void decay_moderateFrequencies_isNotFarAbove(Direction direction, double q, double sigma) {
    Cutoff cutoff = direction == Direction.ADD ? Cutoff.NONE : Cutoff.losing(1e-15, q, sigma);
    double c = 2;
    LossQuadrature rule = rule(q, sigma, direction, cutoff, c, 100);
    double scale = moment(rule, c, 0)[0];
    double[] mass = new double[rule.size()];
    rule.tiltedLogMasses(c, mass);
    for (int j = 0; j < mass.length; j++) {
      mass[j] = Math.exp(mass[j]) / scale;
    }
    for (double t : new double[] {3, 6, 10}) {
      double[] there = moment(rule, c, t);
      double actual = Math.hypot(there[0], there[1]) / scale;
      assertThat(Math.log(rule.decay(c, t, mass)))
          .as("t = %s", t)
          .isBetween(Math.log(actual), 0.6 * Math.log(actual));
    }
  }

  /**
   * Compares with the bound on the shifted path (section 3 of docs/explanation/accounting.md),
   * computed in plain complex numbers at the best of many shifts. A decay below it is not proven,
   * and one far above it is of little use.
   */
  @ParameterizedTest
  @CsvSource({
    "REMOVE,0.5,3,0",
    "REMOVE,0.5,3,0.01",
    "REMOVE,0.9,8,0.2",
    "REMOVE,0.3,0.5,0.01",
    "REMOVE,0.3,0.5,0.2",
    "REPLACE,0.5,3,0",
    "REPLACE,0.9,8,0.01",
    "REPLACE,0.3,0.5,0.2",
    "ADD,0.5,3,0",
    "ADD,0.3,0.5,0",
    "ADD,0.9,8,0"
  })
  void decay_cutOrNot_isTheBestBoundOnAShiftedPath(
      Direction direction, double q, double sigma, double cut) {
    Cutoff cutoff = cut == 0 ? Cutoff.NONE : Cutoff.losing(cut, q, sigma);
    for (double c : new double[] {1, 5}) {
      LossQuadrature rule = rule(q, sigma, direction, cutoff, c, 50);
      double[] mass = new double[rule.size()];
      rule.tiltedLogMasses(c, mass);
      double scale = moment(rule, c, 0)[0];
      for (int j = 0; j < mass.length; j++) {
        mass[j] = Math.exp(mass[j]) / scale;
      }
      for (double t : new double[] {1, 6, 20}) {
        double best = 0;
        for (double theta = Math.PI / 2; theta > 0.004; theta /= 1.06) {
          best = Math.min(best, logShifted(rule, theta, c, t, mass));
        }
        assertThat(Math.log(rule.decay(c, t, mass)))
            .as("c = %s, t = %s", c, t)
            .isBetween(1.005 * best - 1e-4, 0.93 * best + 1e-4);
      }
    }
  }

  private static double logShifted(
      LossQuadrature rule, double theta, double c, double t, double[] mass) {
    double sigma = rule.sigma;
    double a = theta * sigma * sigma;
    double w = rule.cutoff.width();
    double sum = 0;
    for (int j = 0; j < mass.length; j++) {
      double x = rule.x(j);
      double[] in = turned(rule.q, (x - 0.5) / (sigma * sigma), theta);
      double[] out = turned(rule.q, (-x - 0.5) / (sigma * sigma), -theta);
      double log =
          switch (rule.direction) {
            case REMOVE -> (1 + c) * in[0] - t * in[1];
            case ADD -> -c * in[0] - t * in[1];
            case REPLACE -> (1 + c) * in[0] - c * out[0] - t * (in[1] - out[1]);
          };
      double chi = 1;
      if (rule.cutoff.exists()) {
        double density = Math.exp(Normal.logDensity((x - rule.cutoff.center()) / w)) / w;
        chi += a * Math.exp(a * a / (2 * w * w)) * density / Math.exp(rule.cutoff.logChi(x));
      }
      sum += mass[j] * Math.exp(log) * chi;
    }
    return a * a / (2 * sigma * sigma) + Math.log(sum);
  }

  /** Returns log modulus and argument of b(x + ia) / b(x), with b = 1 - q + q e^v. */
  private static double[] turned(double q, double v, double theta) {
    double re = 1 - q + q * Math.exp(v) * Math.cos(theta);
    double im = q * Math.exp(v) * Math.sin(theta);
    double b = 1 - q + q * Math.exp(v);
    return new double[] {Math.log(Math.hypot(re, im) / b), Math.atan2(im, re)};
  }
}
