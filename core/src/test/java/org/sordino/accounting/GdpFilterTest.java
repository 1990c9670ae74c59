package org.sordino.accounting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.sordino.Neighboring;
import org.sordino.PrivacyBudget;
import org.sordino.PrivacyEvent;
import org.sordino.PrivacyEvent.Composition;
import org.sordino.PrivacyEvent.Gaussian;
import org.sordino.PrivacyEvent.SampledGaussian;

class GdpFilterTest {

  private static final double DELTA = 1e-5;
  private static final PrivacyEvent RUN = new SampledGaussian(0.01, 4).times(10_000);
  private static final PrivacyEvent NONE = new Composition(List.of());

  private static GdpFilter filter(double epsilon) {
    return GdpFilter.of(new PrivacyBudget(epsilon, DELTA), Neighboring.ADD_OR_REMOVE_ONE);
  }

  /** Returns mu of an event whose share of delta is {@code share}. */
  private static double mu(PrivacyEvent event, Neighboring neighboring, double share) {
    return GaussianBound.mu(Step.of(event), neighboring, share);
  }

  /**
   * The slow oracle: on a fine grid, mu covers both directions, and a slightly smaller mu does not.
   */
  @Tag("heavy")
  @ParameterizedTest
  @CsvSource({
    "0.01, 4, 10000, 1e-7, ADD_OR_REMOVE_ONE",
    "0.01, 4, 10000, 2.5e-7, REPLACE_ONE",
    "0.1, 3, 1000, 1e-7, ADD_OR_REMOVE_ONE",
    "0.001, 0.8, 50000, 1e-7, ADD_OR_REMOVE_ONE",
    "0.0085333333, 1.0084, 1755, 2.5e-7, ADD_OR_REMOVE_ONE",
    "0.05, 2, 20, 2.5e-7, ADD_OR_REMOVE_ONE",
    "0.5, 10, 20, 2.5e-9, REPLACE_ONE",
    "0.3, 1, 1, 1e-6, ADD_OR_REMOVE_ONE",
    "0.01, 1, 2000, 1e-4, REPLACE_ONE",
    "0.0001, 0.6, 100000, 2.5e-7, ADD_OR_REMOVE_ONE",
    "0.5, 300, 10000000, 2.5e-7, ADD_OR_REMOVE_ONE",
  })
  void mu_isTheSmallestThatCoversTheCurve(
      double q, double z, long steps, double share, Neighboring neighboring) {
    PrivacyEvent event = new SampledGaussian(q, z).times(steps);
    double mu = mu(event, neighboring, share);
    TightAccountant tight = TightAccountant.of(neighboring);
    double last = tight.epsilonBracket(event, share).upper();
    double least = 0;
    double worst = 0;
    for (int i = 0; i < 300; i++) { // first everywhere, then near the epsilon that needs most
      double epsilon = i < 200 ? last * i / 200 : Math.max(0, worst + last * (i - 250) / 50 / 200);
      Bracket delta = tight.deltaBracket(event, epsilon);
      double covered = GaussianCurve.gaussian(mu).delta(epsilon).upper();
      assertThat(delta.lower() - share).as("at epsilon %s", epsilon).isLessThanOrEqualTo(covered);
      double needed = leastMu(epsilon, delta.lower() - share);
      worst = needed > least && i < 200 ? epsilon : worst;
      least = Math.max(least, needed);
    }
    assertThat(mu).isGreaterThanOrEqualTo(least * (1 - 1e-12)).isLessThan(least * 1.002);
  }

  /** In a wide cell, the smallest accepted mu must cover the whole chord, both ends included. */
  @ParameterizedTest
  @CsvSource({"0, 0.4, 1, 0.05", "0.5, 0.02, 0.9, 0.019", "2, 1e-3, 2.5, 1e-6", "0, 0.1, 0.2, 0"})
  void cell_isAcceptedOnlyIfTheGaussianCoversTheChord(
      double left, double atLeft, double right, double atRight) {
    double low = 1e-3;
    double high = 20;
    assertThat(GaussianBound.isAbove(left, atLeft, right, atRight, high)).isTrue();
    while (high - low > 1e-9) {
      double middle = (low + high) / 2;
      if (GaussianBound.isAbove(left, atLeft, right, atRight, middle)) {
        high = middle;
      } else {
        low = middle;
      }
    }
    for (int i = 0; i <= 100; i++) {
      double a = Math.exp(left) + (Math.exp(right) - Math.exp(left)) * i / 100;
      double chord = atLeft + (atRight - atLeft) * i / 100;
      double covered = GaussianCurve.gaussian(high).delta(Math.max(0, Math.log(a))).upper();
      assertThat(chord).as("part %s of the cell", i).isLessThanOrEqualTo(covered * (1 + 1e-12));
    }
  }

  /**
   * Returns the mu of the Gaussian mechanism with this delta at this epsilon, rounded to nearest.
   */
  private static double leastMu(double epsilon, double delta) {
    double low = 0;
    double high = 100;
    for (int i = 0; i < 60; i++) {
      double middle = (low + high) / 2;
      if (GaussianCurve.gaussian(middle).delta(epsilon).upper() < delta) {
        low = middle;
      } else {
        high = middle;
      }
    }
    return low;
  }

  /**
   * Values of a prototype in another language that cuts off losses above a bound instead of capping
   * them, which costs at most a little more, on a mesh with three to four digits.
   */
  @Tag("heavy")
  @ParameterizedTest
  @CsvSource({
    "0.01, 4, 10000, 0.2550",
    "0.004266666666666667, 1.3, 11719, 0.4226",
    "0.1, 3, 1000, 1.0993",
    "0.04, 1.5, 2500, 1.5277",
    "0.001, 0.8, 50000, 0.4534",
  })
  void mu_isCloseToThePrototype(double q, double z, long steps, double golden) {
    PrivacyEvent event = new SampledGaussian(q, z).times(steps);
    assertThat(mu(event, Neighboring.ADD_OR_REMOVE_ONE, 1e-7))
        .isBetween(0.993 * golden, 1.0002 * golden);
  }

  /**
   * Four identical runs: at least their exact epsilon (not adaptive), at most a few percent more,
   * and less than the Renyi filter counts.
   */
  @Tag("heavy")
  @ParameterizedTest
  @CsvSource({
    "0.01, 4, 10000, 2.0341, 2.05, 2.2169",
    "0.004266666666666667, 1.3, 11719, 3.5645, 3.63, 3.8755",
    "0.1, 3, 1000, 11.106, 11.29, 11.951",
    "0.04, 1.5, 2500, 16.704, 17.15, 17.926",
    "0.001, 0.8, 50000, 3.7839, 3.93, 4.1272",
  })
  void fourRuns_costLittleMoreThanTheirExactEpsilon(
      double q, double z, long steps, double exact, double most, double renyi) {
    PrivacyEvent run = new SampledGaussian(q, z).times(steps);
    GdpFilter filter = filter(20);
    List<Double> mus = new ArrayList<>();
    for (int i = 1; i <= 4; i++) {
      mus.add(filter.mu(run, i));
    }
    double epsilon = filter.epsilon(GdpFilter.total(mus));
    System.out.printf("four runs (%s, %s, %d): %.4f, exact %.4f%n", q, z, steps, epsilon, exact);
    assertThat(TightAccountant.of(Neighboring.ADD_OR_REMOVE_ONE).epsilon(run.times(4), DELTA))
        .isCloseTo(exact, within(1e-3 * exact));
    assertThat(epsilon).isBetween(exact, most).isLessThan(renyi);
  }

  /** These need no share of delta. */
  @ParameterizedTest
  @EnumSource(Neighboring.class)
  void plainGaussians_areExact(Neighboring neighboring) {
    GdpFilter filter = GdpFilter.of(new PrivacyBudget(3, DELTA), neighboring);
    PrivacyEvent event = new Composition(List.of(new Gaussian(7).times(50), new Gaussian(3), NONE));
    double factor = neighboring == Neighboring.REPLACE_ONE ? 2 : 1;
    double exact = factor * Math.sqrt(50 / 49.0 + 1 / 9.0);
    assertThat(GdpFilter.needsShare(event)).isFalse();
    assertThat(filter.mu(event, 0)).isBetween(exact, exact * (1 + 1e-13));
    assertThat(GdpFilter.needsShare(RUN)).isTrue();
  }

  /** The accountant is exact for plain Gaussians, at the delta that remains for the runs. */
  @Test
  void epsilon_ofPlainGaussians_isThatOfTheTightAccountant() {
    double mu = filter(3).mu(new Gaussian(10).times(40), 0);
    double tight =
        TightAccountant.of(Neighboring.ADD_OR_REMOVE_ONE)
            .epsilon(new Gaussian(10).times(40), DELTA * 19 / 20);
    assertThat(filter(3).epsilon(mu)).isBetween(tight * (1 - 1e-12), tight * (1 + 1e-9));
  }

  @Tag("heavy")
  @Test
  void mu_isMonotone() {
    Neighboring relation = Neighboring.ADD_OR_REMOVE_ONE;
    List<Double> bySteps = new ArrayList<>();
    List<Double> byRate = new ArrayList<>();
    List<Double> byNoise = new ArrayList<>();
    List<Double> byShare = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      double factor = Math.pow(1.3, i);
      bySteps.add(mu(new SampledGaussian(0.02, 2).times(300 + 40L * i * i), relation, 1e-7));
      byRate.add(mu(new SampledGaussian(0.02 * factor, 2).times(400), relation, 1e-7));
      byNoise.add(mu(new SampledGaussian(0.02, 6 / factor).times(400), relation, 1e-7));
      byShare.add(mu(new SampledGaussian(0.02, 1.5).times(400), relation, 1e-5 / factor / factor));
    }
    for (List<Double> mus : List.of(bySteps, byRate, byNoise, byShare)) {
      assertThat(mus).isSorted().doesNotHaveDuplicates();
    }
  }

  /** Few steps have poor moments of high order, but their curve is close to that of a Gaussian. */
  @ParameterizedTest
  @CsvSource({"0.05, 1.817", "0.1, 3.079", "0.3, 8.327", "0.5, 13.56", "0.9, 24.15"})
  void twentyStepsOfEpsilon06_fitIntoABudgetOf1(double q, double z) {
    PrivacyEvent run = new SampledGaussian(q, z).times(20);
    double tight = TightAccountant.of(Neighboring.ADD_OR_REMOVE_ONE).epsilon(run, DELTA);
    GdpFilter filter = filter(1);
    double spent = filter.epsilon(filter.mu(run, 1));
    double renyi = RenyiFilter.of(filter.limit(), filter.neighboring()).spent(run);
    System.out.printf(
        "20 steps at q %s: GDP %.4f, Renyi %.4f, tight %.4f%n", q, spent, renyi, tight);
    assertThat(tight).isBetween(0.59, 0.6);
    assertThat(spent).isBetween(tight, 1.04 * tight).isLessThan(renyi);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 10, 1000, 1_000_000_000_000L})
  void shares_addUpToLessThanATwentiethOfDelta(long index) {
    double share = filter(1).share(index);
    double exact = DELTA / 20 / index / (index + 1.0);
    assertThat(share).isBetween(exact * (1 - 1e-14), exact);
    double sum = 0;
    for (int i = 1; i <= 1000; i++) {
      sum += filter(1).share(i);
    }
    assertThat(sum).isLessThan(DELTA / 20 * (1 - 1 / 1001.0) * (1 + 1e-14));
    assertThatIllegalArgumentException().isThrownBy(() -> filter(1).share(0));
  }

  @Test
  void capacity_isAdmittedAndALittleMoreIsNot() {
    for (double epsilon : new double[] {1e-3, 0.1, 1, 8, 100}) {
      GdpFilter filter = filter(epsilon);
      double capacity = filter.capacity();
      assertThat(filter.admits(capacity)).isTrue();
      assertThat(filter.admits(capacity * (1 + 1e-9))).isFalse();
      double delta = GaussianCurve.gaussian(capacity).delta(epsilon).upper();
      assertThat(delta).isBetween(0.95 * DELTA * (1 - 1e-6), 0.95 * DELTA);
    }
  }

  @Test
  void epsilonLeft_isWhatOneMoreRunMayCost() {
    GdpFilter filter = filter(2);
    double used = filter.mu(RUN, 1);
    double left = filter.epsilonLeft(used);
    assertThat(left).isBetween(filter.epsilon(used), 2.0);
    double next = Math.sqrt(filter.capacity() * filter.capacity() - used * used);
    assertThat(filter.epsilon(next)).isCloseTo(left, within(1e-9));
    assertThat(filter.epsilonLeft(0)).isCloseTo(2, within(1e-9)).isLessThanOrEqualTo(2);
    assertThat(filter.epsilonLeft(filter.capacity())).isLessThan(1e-4);
    assertThat(filter.epsilonLeft(100)).isZero();
  }

  @Test
  void shareLeft_addsUp() {
    GdpFilter filter = filter(3);
    double one = 1 - filter.shareLeft(0.2);
    double other = 1 - filter.shareLeft(0.3);
    double both = 1 - filter.shareLeft(GdpFilter.total(List.of(0.2, 0.3)));
    assertThat(both).isCloseTo(one + other, within(1e-12));
    assertThat(filter.shareLeft(0)).isEqualTo(1);
    assertThat(filter.shareLeft(100)).isZero();
  }

  @Test
  void total_isTheRootOfTheSquares_roundedUp() {
    List<Double> mus = Collections.nCopies(10_000, 0.01);
    assertThat(GdpFilter.total(mus)).isBetween(1.0, 1 + 1e-11);
    assertThat(GdpFilter.total(List.of())).isZero();
    assertThat(GdpFilter.total(List.of(1e300, Double.MAX_VALUE))).isInfinite();
    assertThatIllegalArgumentException()
        .isThrownBy(() -> GdpFilter.total(List.of(Double.NaN)))
        .withMessageContaining("mu must be at least 0, got NaN");
  }

  @Test
  void nothing_costsNothing_andNoNoiseIsNeverAdmitted() {
    GdpFilter filter = filter(1);
    assertThat(filter.mu(NONE, 1)).isZero();
    assertThat(filter.epsilon(0)).isZero();
    assertThat(filter.mu(new Gaussian(0), 1)).isInfinite();
    assertThat(filter.mu(new SampledGaussian(0.1, 0).times(3), 1)).isInfinite();
    assertThat(filter.admits(Double.POSITIVE_INFINITY)).isFalse();
    assertThat(filter.admits(Double.MAX_VALUE)).isFalse();
  }

  /** Where neither contour nor lattice answers, the Renyi bound of delta is used. */
  @Tag("heavy")
  @Test
  void mu_ofTinyNoiseOrRate_isStillABound() {
    PrivacyEvent little = new SampledGaussian(1e-3, 0.09).times(10);
    double mu = mu(little, Neighboring.ADD_OR_REMOVE_ONE, 1e-4);
    Bracket delta = TightAccountant.of(Neighboring.ADD_OR_REMOVE_ONE).deltaBracket(little, 1);
    assertThat(GaussianCurve.gaussian(mu).delta(1).upper())
        .isGreaterThanOrEqualTo(delta.lower() - 1e-4);
    assertThat(mu).isPositive();
  }

  /** Few steps at a tiny rate, which only the lattice answers. */
  @Tag("heavy")
  @Test
  void mu_fromTheLattice_coversTheCurve() {
    PrivacyEvent event = new SampledGaussian(1e-3, 1).times(20);
    double mu = mu(event, Neighboring.ADD_OR_REMOVE_ONE, 1e-7);
    TightAccountant tight = TightAccountant.of(Neighboring.ADD_OR_REMOVE_ONE);
    double last = tight.epsilonBracket(event, 1e-7).upper();
    double least = 0;
    for (double part : new double[] {0, 0.1, 0.5, 0.94, 0.95, 0.96, 0.99}) {
      double delta = tight.deltaBracket(event, part * last).lower() - 1e-7;
      least = Math.max(least, leastMu(part * last, delta));
    }
    assertThat(mu).isBetween(least, 1.01 * least);
  }

  @Test
  void foreignPart_isTakenFromTheRuns() {
    PrivacyBudget limit = new PrivacyBudget(3, DELTA);
    GdpFilter filter =
        new GdpFilter(limit, Neighboring.ADD_OR_REMOVE_ONE, new PrivacyBudget(1, DELTA / 10));
    double capacity = filter.capacity();
    assertThat(GaussianCurve.gaussian(capacity).delta(2).upper())
        .isBetween(0.85 * DELTA * (1 - 1e-6), 0.85 * DELTA);
    assertThat(filter.admitsForeign(new PrivacyBudget(0.1 + 0.2 + 0.7, DELTA / 10))).isTrue();
    assertThat(filter.admitsForeign(new PrivacyBudget(1 + 1e-11, 0))).isFalse();
    assertThat(filter.admitsForeign(new PrivacyBudget(0, DELTA / 10 * (1 + 1e-11)))).isFalse();
    assertThat(filter(1).admitsForeign(new PrivacyBudget(0, 0))).isTrue();
    assertThat(filter(1).admitsForeign(new PrivacyBudget(1e-9, 0))).isFalse();
  }

  @Test
  void uncovered_areTheStepsBeyondThoseCharged() {
    PrivacyEvent step = new SampledGaussian(0.1, 2);
    PrivacyEvent plan = new Composition(List.of(new Gaussian(5), step.times(100)));
    assertThat(left(plan, plan)).isEmpty();
    assertThat(left(step.times(40), plan)).isEmpty();
    PrivacyEvent all = new Composition(List.of(plan, step.times(7)));
    assertThat(left(all, plan)).containsExactly(new Step(0.1, 2, 7));
    // A step of a lower rate and with more noise is covered, one with less noise is not.
    assertThat(left(new SampledGaussian(0.05, 3).times(100), plan)).isEmpty();
    assertThat(left(new SampledGaussian(0.05, 1.9).times(3), plan))
        .containsExactly(new Step(0.05, 1.9, 3)); // the plain Gaussian has more noise, too
    assertThat(left(new SampledGaussian(0.2, 2), step.times(9)))
        .containsExactly(new Step(0.2, 2, 1));
    // Each step covers one other, and equal steps come first.
    PrivacyEvent mixed =
        new Composition(List.of(new SampledGaussian(0.1, 9).times(100), step.times(60)));
    assertThat(left(mixed, step.times(100))).containsExactly(new Step(0.1, 9, 60));
  }

  private static List<Step> left(PrivacyEvent all, PrivacyEvent charged) {
    return Step.of(GdpFilter.uncovered(all, charged));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          0        | 1e-5 | 0 | 0    | epsilon of a budget must be above 0 and finite, got 0.0
          Infinity | 1e-5 | 0 | 0    | epsilon of a budget must be above 0 and finite
          1        | 0    | 0 | 0    | delta of a budget must be above 0 and below 1, got 0.0
          1        | 1    | 0 | 0    | delta of a budget must be above 0 and below 1, got 1.0
          1        | 1e-5 | 1 | 0    | foreign releases must be below that of the budget, got 1.0
          1        | 1e-5 | 0 | 6e-6 | foreign releases must be at most half of that of the budget
          """)
  void create_invalid_isRefused(
      double epsilon, double delta, double foreign, double foreignDelta, String message) {
    assertThatIllegalArgumentException()
        .isThrownBy(
            () ->
                new GdpFilter(
                    new PrivacyBudget(epsilon, delta),
                    Neighboring.REPLACE_ONE,
                    new PrivacyBudget(foreign, foreignDelta)))
        .withMessageContaining(message);
  }
}
