package org.sordino.accounting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.assertj.core.api.Assertions.withinPercentage;

import java.math.BigDecimal;
import java.math.MathContext;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.sordino.Neighboring;
import org.sordino.PrivacyEvent;
import org.sordino.PrivacyEvent.Composition;
import org.sordino.PrivacyEvent.Gaussian;
import org.sordino.PrivacyEvent.SampledGaussian;

/** Compares with 50-digit arithmetic: bounds are rounded up by a few ulps, and not by more. */
class RoundingTest {

  private static final MathContext DIGITS = new MathContext(50);
  private static final BigDecimal ONE = BigDecimal.ONE;
  private static final BigDecimal TWO = BigDecimal.valueOf(2);

  private static BigDecimal exp(BigDecimal x) {
    BigDecimal small = x.divide(TWO.pow(20), DIGITS);
    BigDecimal term = ONE;
    BigDecimal sum = ONE;
    for (int k = 1; k < 40 && term.signum() != 0; k++) {
      term = term.multiply(small, DIGITS).divide(BigDecimal.valueOf(k), DIGITS);
      sum = sum.add(term, DIGITS);
    }
    for (int i = 0; i < 20; i++) {
      sum = sum.multiply(sum, DIGITS);
    }
    return sum;
  }

  private static BigDecimal log(BigDecimal x) {
    BigDecimal y = new BigDecimal(Math.log(x.doubleValue()));
    for (int i = 0; i < 2; i++) { // Newton, with the next order
      BigDecimal off = x.multiply(exp(y.negate()), DIGITS).subtract(ONE, DIGITS);
      y = y.add(off, DIGITS).subtract(off.multiply(off, DIGITS).divide(TWO, DIGITS), DIGITS);
    }
    return y;
  }

  /** Returns the logarithm of the binomial sum of arXiv:1908.10530, section 3.3. */
  private static BigDecimal logMoment(double q, double sigma, int order) {
    BigDecimal rate = new BigDecimal(q);
    BigDecimal noise = new BigDecimal(sigma);
    BigDecimal scale = ONE.divide(TWO.multiply(noise).multiply(noise), DIGITS);
    BigDecimal binomial = ONE;
    BigDecimal sum = BigDecimal.ZERO;
    for (int i = 0; i <= order; i++) {
      BigDecimal weight = binomial.multiply(rate.pow(i, DIGITS), DIGITS);
      weight = weight.multiply(ONE.subtract(rate).pow(order - i, DIGITS), DIGITS);
      BigDecimal exponent = scale.multiply(BigDecimal.valueOf((long) i * (i - 1)), DIGITS);
      sum = sum.add(weight.multiply(exp(exponent), DIGITS), DIGITS);
      binomial =
          binomial
              .multiply(BigDecimal.valueOf(order - i))
              .divide(BigDecimal.valueOf(i + 1), DIGITS);
    }
    return log(sum);
  }

  private static void assertRoundedUp(double actual, BigDecimal exact, double relative) {
    assertThat(new BigDecimal(actual)).isGreaterThanOrEqualTo(exact);
    assertThat(actual).isLessThanOrEqualTo(exact.doubleValue() * (1 + relative));
  }

  @Test
  void logMoment_manyRuns_isSlightlyRoundedUp() {
    Random random = new Random(1);
    for (int i = 0; i < 60; i++) {
      double q = Math.pow(10, -3 * random.nextDouble());
      double sigma = 0.9 + 3 * random.nextDouble();
      int order = 2 + random.nextInt(31);
      assertRoundedUp(
          MomentsAccountant.logMoment(q, sigma, order), logMoment(q, sigma, order), 1e-11);
    }
  }

  @Test
  void logMoment_plainGaussians_isSlightlyRoundedUp() {
    Random random = new Random(2);
    for (int i = 0; i < 100; i++) {
      double sigma = 5 * random.nextDouble();
      int order = 2 + random.nextInt(31);
      BigDecimal square = new BigDecimal(sigma).pow(2);
      BigDecimal exact =
          BigDecimal.valueOf(order * (order - 1L)).divide(TWO.multiply(square), DIGITS);
      assertRoundedUp(MomentsAccountant.logMoment(1, sigma, order), exact, 3e-15);
    }
  }

  /** Epsilon and delta of plain Gaussians are minima over 32 orders. */
  @Test
  void moments_plainGaussians_areSlightlyRoundedUp() {
    Random random = new Random(3);
    MomentsAccountant moments = MomentsAccountant.of(Neighboring.ADD_OR_REMOVE_ONE);
    for (int i = 0; i < 60; i++) {
      double sigma = 1 + 5 * random.nextDouble();
      int count = 1 + random.nextInt(40);
      double delta = Math.pow(10, -1 - 8 * random.nextDouble());
      double epsilon = 0.5 + 5 * random.nextDouble();
      BigDecimal square = new BigDecimal(sigma).pow(2);
      BigDecimal leastEpsilon = BigDecimal.valueOf(1_000_000);
      BigDecimal leastLogDelta = BigDecimal.ZERO;
      for (int lambda = 1; lambda <= 32; lambda++) {
        BigDecimal order = BigDecimal.valueOf(lambda);
        BigDecimal moment =
            BigDecimal.valueOf((lambda + 1L) * lambda * count).divide(TWO.multiply(square), DIGITS);
        leastEpsilon =
            leastEpsilon.min(
                moment.subtract(log(new BigDecimal(delta)), DIGITS).divide(order, DIGITS));
        leastLogDelta =
            leastLogDelta.min(moment.subtract(order.multiply(new BigDecimal(epsilon)), DIGITS));
      }
      PrivacyEvent event = new Gaussian(sigma).times(count);
      assertRoundedUp(moments.epsilon(event, delta), leastEpsilon, 1e-14);
      assertRoundedUp(moments.delta(event, epsilon), exp(leastLogDelta), 1e-12);
    }
  }

  /** For a plain Gaussian the conversion at a fixed order is a formula. */
  @Test
  void rdp_plainGaussiansAtOneOrder_isSlightlyRoundedUp() {
    Random random = new Random(4);
    RdpAccountant rdp = RdpAccountant.of(Neighboring.ADD_OR_REMOVE_ONE);
    for (int i = 0; i < 100; i++) {
      double sigma = 0.5 + 4 * random.nextDouble();
      int count = 1 + random.nextInt(40);
      double delta = Math.pow(10, -1 - 8 * random.nextDouble());
      double order = 1.5 + 20 * random.nextDouble();
      BigDecimal alpha = new BigDecimal(order);
      BigDecimal c = alpha.subtract(ONE);
      BigDecimal square = new BigDecimal(sigma).pow(2);
      BigDecimal divergence =
          alpha.multiply(BigDecimal.valueOf(count)).divide(TWO.multiply(square), DIGITS);
      BigDecimal logs = log(new BigDecimal(delta)).add(log(alpha)).divide(c, DIGITS);
      BigDecimal exact =
          divergence.add(log(c.divide(alpha, DIGITS)), DIGITS).subtract(logs, DIGITS);
      PrivacyEvent event = new Gaussian(sigma).times(count);
      if (exact.doubleValue() > 0.1) {
        double actual = rdp.epsilonAtOrder(event, delta, order);
        assertRoundedUp(actual, exact, 1e-12);
        // The allowance bounds every rounding, few of which reach their worst case.
        double sizes = Math.abs(Math.log(order - 1)) + Math.log(order) + 1;
        sizes += -Math.log(delta) / (order - 1) + 2 * divergence.doubleValue();
        double above = new BigDecimal(actual).subtract(exact).doubleValue();
        assertThat(above / Bracket.U).isBetween(5 * sizes, 13 * sizes + 4 * actual);
      }
    }
  }

  /**
   * Where the quadrature would need too many points, the bound is the next integer order or no
   * sampling.
   */
  @Test
  void rdp_hardlyAnyNoise_isBoundedByIntegerOrdersAndWithoutSampling() {
    RdpAccountant rdp = RdpAccountant.of(Neighboring.ADD_OR_REMOVE_ONE);
    PrivacyEvent event = new SampledGaussian(1e-3, 0.004);
    double square = 0.004 * 0.004;
    assertThat(rdp.rdp(event, 3))
        .isCloseTo(MomentsAccountant.logMoment(1e-3, 0.004, 3) / 2, withinPercentage(1e-12))
        .isLessThan(3 / (2 * square));
    assertThat(rdp.rdp(event, 2.9999999))
        .isCloseTo(MomentsAccountant.logMoment(1e-3, 0.004, 3) / 2, withinPercentage(1e-12));
    assertThat(rdp.rdp(event, 2.5)).isCloseTo(2.5 / (2 * square), withinPercentage(1e-12));
    RdpAccountant replace = RdpAccountant.of(Neighboring.REPLACE_ONE);
    assertThat(replace.rdp(event, 3)).isCloseTo(4 * 3 / (2 * square), withinPercentage(1e-12));
    assertThat(rdp.rdp(event, 1e7)).isCloseTo(1e7 / (2 * square), withinPercentage(1e-9));
  }

  @Test
  void strong_hardlyAnyNoise_amplifiesWithoutOverflow() {
    StrongComposition strong = StrongComposition.of(Neighboring.ADD_OR_REMOVE_ONE);
    for (double sigma : new double[] {0.02, 0.025, 0.03}) {
      double unsampled = GaussianCurve.epsilon(1 / sigma, 1e-4);
      assertThat(strong.epsilon(new SampledGaussian(0.1, sigma), 1e-5))
          .isCloseTo(unsampled + Math.log(0.1), within(1e-9));
    }
    assertThat(strong.epsilon(new SampledGaussian(1e-6, 0.02), 1e-5)).isZero();
  }

  @Test
  void gdp_littleNoise_doesNotOverflow() {
    GdpAccountant gdp = GdpAccountant.of(Neighboring.ADD_OR_REMOVE_ONE);
    for (double sigma : new double[] {0.5, 0.9, 1.1}) {
      double mu = 0.01 * Math.sqrt(100 * Math.expm1(1 / sigma / sigma));
      assertThat(gdp.epsilon(new SampledGaussian(0.01, sigma).times(100), 1e-5))
          .isCloseTo(GaussianCurve.epsilon(mu, 1e-5), withinPercentage(1e-9));
    }
    double mu = Math.exp(0.5 * (1 / 0.0016 + 2 * Math.log(1e-140))); // 1e-280 of e^625
    assertThat(gdp.epsilon(new SampledGaussian(1e-140, 0.04), 1e-5))
        .isCloseTo(GaussianCurve.epsilon(mu, 1e-5), withinPercentage(1e-6));
  }

  /** Delta of an accountant that has no formula for it and inverts epsilon. */
  @Test
  void delta_byInversion_isCorrectAtTheEndsAndBetween() {
    for (StepAccountant accountant :
        List.of(
            NaiveComposition.of(Neighboring.ADD_OR_REMOVE_ONE),
            StrongComposition.of(Neighboring.ADD_OR_REMOVE_ONE))) {
      PrivacyEvent event = new Gaussian(3).times(2);
      assertThat(accountant.delta(event, 1e6)).isBetween(1e-301, 1e-299);
      double delta = accountant.delta(event, 1.5);
      assertThat(accountant.epsilon(event, delta)).isLessThanOrEqualTo(1.5);
      assertThat(accountant.epsilon(event, delta * (1 - 1e-9))).isGreaterThan(1.5);
      assertThat(accountant.delta(new Gaussian(1e-3).times(2), 0)).isEqualTo(1);
    }
  }

  /** Sums over distinct steps are rounded up, too. */
  @Test
  void naive_plainGaussians_isSlightlyRoundedUp() {
    NaiveComposition naive = NaiveComposition.of(Neighboring.ADD_OR_REMOVE_ONE);
    PrivacyEvent event = new Composition(List.of(new Gaussian(3).times(5), new Gaussian(7)));
    double share = 1e-5 / 6;
    double sum = 5 * GaussianCurve.epsilon(1 / 3.0, share) + GaussianCurve.epsilon(1 / 7.0, share);
    assertThat(naive.epsilon(event, 1e-5)).isBetween(sum, sum * (1 + 1e-13));
  }

  /** For two steps plain addition is best, and that sum is rounded up. */
  @Test
  void strong_twoPlainGaussians_isSlightlyRoundedUp() {
    for (Neighboring neighboring : Neighboring.values()) {
      double distance = neighboring == Neighboring.REPLACE_ONE ? 2 : 1;
      StrongComposition strong = StrongComposition.of(neighboring);
      for (double sigma : new double[] {0.7, 3, 11, 40}) {
        double sum = 2 * GaussianCurve.epsilon(distance / sigma, 1e-5 / 2);
        assertThat(strong.epsilon(new Gaussian(sigma).times(2), 1e-5))
            .isBetween(sum * (1 + 8 * Bracket.U), sum * (1 + 1e-13));
      }
    }
  }

  @Test
  void logTail_bothSides_isTheLogarithmOfTheTail() {
    for (double x : new double[] {-9, -3, -0.1, 0, 0.1, 3, 9}) {
      assertThat(Normal.logTail(x)).isCloseTo(Math.log(Normal.tail(x)), within(1e-12));
    }
    assertThat(Normal.logTail(-30)).isCloseTo(-Normal.tail(30), withinPercentage(1e-9));
    assertThat(Normal.logTail(50)).isCloseTo(-1254.8313611394, within(1e-9));
  }
}
