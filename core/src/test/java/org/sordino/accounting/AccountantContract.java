package org.sordino.accounting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.sordino.PrivacyEvent;
import org.sordino.PrivacyEvent.Composition;
import org.sordino.PrivacyEvent.Gaussian;
import org.sordino.PrivacyEvent.SampledGaussian;

/** Tests of the contract of {@link Accountant}; each subclass supplies one accountant. */
abstract class AccountantContract {

  private static final double INFINITY = Double.POSITIVE_INFINITY;

  /** Tolerance of monotonicity: the accuracy of an optimization, or the width of a bracket. */
  double slack() {
    return 1e-9;
  }

  private static final PrivacyEvent NOTHING = new Composition(List.of());

  abstract Accountant accountant();

  static Stream<PrivacyEvent> everyKindOfEvent() {
    return Stream.of(
        new Gaussian(2),
        new SampledGaussian(0.02, 1.5),
        new SampledGaussian(0.02, 1.5).times(3),
        new Composition(List.of(new SampledGaussian(0.02, 1.5), new SampledGaussian(0.02, 1.5))),
        new Composition(List.of(new SampledGaussian(0.02, 1.5).times(2), new Gaussian(7))));
  }

  @Test
  void evidenceAndName_anyAccountant_areStated() {
    assertThat(accountant().evidence()).isNotNull();
    assertThat(accountant().neighboring()).isNotNull();
    assertThat(accountant().name()).matches("[a-zA-Z]{3,}");
    assertThat(accountant().toString())
        .isEqualTo(accountant().name() + " accountant (" + accountant().neighboring() + ")");
  }

  @ParameterizedTest
  @MethodSource("everyKindOfEvent")
  void epsilon_repeatedInOneEntry_equalsSeparateEntries(PrivacyEvent event) {
    assumeTrue(accountant().supports(event));
    PrivacyEvent separate = new Composition(Collections.nCopies(7, event));
    assertThat(epsilon(event.times(7), 1e-5)).isEqualTo(epsilon(separate, 1e-5));
    assertThat(epsilon(event.times(7), 1e-5)).isGreaterThan(epsilon(event, 1e-5));
    assertThat(delta(event.times(7), 0.5)).isEqualTo(delta(separate, 0.5));
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void epsilon_eventsReordered_staysTheSame(long seed) {
    PrivacyEvent a = new SampledGaussian(0.02, 1.5).times(10);
    PrivacyEvent b = new Gaussian(20);
    PrivacyEvent c = new SampledGaussian(0.1, 3).times(5);
    List<PrivacyEvent> events = new ArrayList<>(List.of(a, b, c, a));
    assumeTrue(accountant().supports(new Composition(events)));
    double before = epsilon(new Composition(events), 1e-5);
    Collections.shuffle(events, new Random(seed));
    assertThat(epsilon(new Composition(events), 1e-5)).isEqualTo(before);
  }

  @Test
  void epsilon_nestedRepetitionAndComposition_isFlattened() {
    SampledGaussian step = new SampledGaussian(0.01, 2);
    PrivacyEvent nested =
        new Composition(
                List.of(new Composition(List.of(step.times(2), NOTHING)).times(5), step.times(0)))
            .times(10);
    assertThat(epsilon(nested, 1e-6)).isEqualTo(epsilon(step.times(100), 1e-6));
  }

  @ParameterizedTest
  @ValueSource(doubles = {1e-12, 1e-5, 0.2})
  void epsilon_moreSampling_doesNotFall(double delta) {
    double last = 0;
    // An approximation for q < 1 that is exact at q = 1 may fall at the last step.
    double all = accountant().evidence() == Accountant.Evidence.APPROXIMATION ? 0.99 : 1;
    for (double q : new double[] {0, 1e-12, 1e-8, 1e-4, 0.003, 0.03, 0.3, 0.9, all}) {
      double next = epsilon(new SampledGaussian(q, 1.5).times(20), delta);
      assertThat(next).as("q = %s", q).isGreaterThanOrEqualTo(last * (1 - slack()));
      last = next;
    }
  }

  @ParameterizedTest
  @ValueSource(doubles = {1e-12, 1e-5, 0.2})
  void epsilon_moreSteps_doesNotFall(double delta) {
    double last = 0;
    for (long steps : new long[] {0, 1, 2, 3, 10, 100, 10_000, 1_000_000}) {
      double next = epsilon(new SampledGaussian(0.01, 2).times(steps), delta);
      assertThat(next).as("T = %s", steps).isGreaterThanOrEqualTo(last * (1 - slack()));
      last = next;
    }
  }

  @ParameterizedTest
  @ValueSource(doubles = {1e-12, 1e-5, 0.2})
  void epsilon_lessNoise_doesNotFall(double delta) {
    double last = 0;
    for (double sigma : new double[] {INFINITY, 1000, 100, 10, 3, 1, 0.7, 0.5, 0.3, 0}) {
      double next = epsilon(new SampledGaussian(0.01, sigma).times(50), delta);
      assertThat(next).as("sigma = %s", sigma).isGreaterThanOrEqualTo(last * (1 - slack()));
      last = next;
    }
  }

  @Test
  void epsilon_smallerDelta_doesNotFall() {
    double last = 0;
    for (double delta : new double[] {1, 0.999, 0.5, 0.1, 1e-2, 1e-5, 1e-10, 1e-50, 1e-200, 0}) {
      double next = epsilon(new SampledGaussian(0.01, 2).times(500), delta);
      assertThat(next).as("delta = %s", delta).isGreaterThanOrEqualTo(last * (1 - slack()));
      last = next;
    }
    assertThat(last).isInfinite();
  }

  @Test
  void delta_largerEpsilon_doesNotRise() {
    double last = 1;
    for (double epsilon : new double[] {0, 1e-6, 0.01, 0.1, 0.5, 2, 10, 100, 1e6, INFINITY}) {
      double next = delta(new SampledGaussian(0.01, 2).times(500), epsilon);
      assertThat(next).as("epsilon = %s", epsilon).isBetween(0.0, last * (1 + slack()));
      last = next;
    }
    assertThat(last).isZero();
  }

  @Test
  void epsilon_nothingReleased_isZero() {
    for (PrivacyEvent event :
        List.of(
            NOTHING,
            new Gaussian(1).times(0),
            new SampledGaussian(0, 1).times(1000),
            new SampledGaussian(0, 0),
            new Gaussian(INFINITY).times(9))) {
      for (double delta : new double[] {0, 1e-5, 1}) {
        assertThat(epsilon(event, delta)).as("%s at %s", event, delta).isZero();
      }
      assertThat(delta(event, 0)).as("%s", event).isZero();
      assertThat(delta(event, INFINITY)).as("%s", event).isZero();
    }
  }

  @Test
  void epsilon_noNoise_isInfinite() {
    for (PrivacyEvent event : List.of(new Gaussian(0), new SampledGaussian(1e-9, 0).times(3))) {
      assertThat(epsilon(event, 1e-5)).as("%s", event).isInfinite();
      assertThat(epsilon(event, 0)).as("%s", event).isInfinite();
      assertThat(delta(event, 5)).as("%s", event).isEqualTo(1);
    }
  }

  @Test
  void epsilon_samplingEverything_equalsPlainGaussian() {
    PrivacyEvent sampled = new SampledGaussian(1, 3).times(4);
    PrivacyEvent plain = new Gaussian(3).times(4);
    assertThat(epsilon(sampled, 1e-6)).isEqualTo(epsilon(plain, 1e-6)).isPositive();
    assertThat(delta(sampled, 0.7)).isEqualTo(delta(plain, 0.7)).isPositive();
  }

  @Test
  void epsilon_deltaAtTheEnds_isInfiniteOrZero() {
    PrivacyEvent event = new SampledGaussian(0.01, 1).times(10);
    assertThat(epsilon(event, 0)).isInfinite();
    assertThat(epsilon(event, 1)).isZero();
  }

  @ParameterizedTest
  @ValueSource(doubles = {1e-10, 1e-5, 1e-2})
  void delta_atEpsilonOfDelta_isAtMostDelta(double delta) {
    for (PrivacyEvent event :
        List.of(
            new Gaussian(1.2),
            new SampledGaussian(0.2, 1),
            new SampledGaussian(0.01, 4).times(1000),
            new SampledGaussian(1e-5, 0.6).times(100_000))) {
      double epsilon = epsilon(event, delta);
      assertThat(delta(event, epsilon)).as("%s", event).isLessThanOrEqualTo(delta * (1 + slack()));
    }
  }

  @Tag("heavy")
  @Test
  void epsilonAndDelta_wideGrid_areNeverNaNOrNegative() {
    for (double q : new double[] {1e-300, 0.3, 1 - 1e-16}) {
      for (double sigma : new double[] {1e-200, 0.3, 1e200}) {
        for (long steps : new long[] {1, PrivacyEvent.MAX_COUNT}) {
          PrivacyEvent event = new SampledGaussian(q, sigma).times(steps);
          assertThat(epsilon(event, 1e-300)).as("%s", event).isNotNaN().isNotNegative();
          assertThat(epsilon(event, 0.3)).as("%s", event).isNotNaN().isNotNegative();
          assertThat(delta(event, 0)).as("%s", event).isBetween(0.0, 1.0);
          assertThat(delta(event, 1e9)).as("%s", event).isBetween(0.0, 1.0);
        }
      }
    }
  }

  @ParameterizedTest
  @ValueSource(doubles = {-1e-300, 1.0000000000000002, 2, Double.NaN})
  void epsilon_deltaOutsideUnitInterval_isRefused(double delta) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> epsilon(NOTHING, delta))
        .withMessage("delta must be in [0, 1], got " + delta);
  }

  @ParameterizedTest
  @ValueSource(doubles = {-1e-300, -1, Double.NaN})
  void delta_epsilonNegativeOrNaN_isRefused(double epsilon) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> delta(NOTHING, epsilon))
        .withMessage("epsilon must be at least 0, got " + epsilon);
  }

  @ParameterizedTest
  @MethodSource("everyKindOfEvent")
  void epsilon_unsupportedEvent_isRefusedByName(PrivacyEvent event) {
    assumeTrue(!accountant().supports(event));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> epsilon(event, 1e-5))
        .withMessageStartingWith(accountant().name() + " accountant does not support ")
        .withMessageContaining("Gaussian[");
    assertThatIllegalArgumentException().isThrownBy(() -> delta(event, 1));
  }

  private double epsilon(PrivacyEvent event, double delta) {
    return accountant().epsilon(event, delta);
  }

  private double delta(PrivacyEvent event, double epsilon) {
    return accountant().delta(event, epsilon);
  }
}
