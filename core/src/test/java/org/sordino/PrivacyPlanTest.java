package org.sordino;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PrivacyPlanTest {

  @Test
  void event_plan_isRepeatedSampledGaussian() {
    PrivacyPlan plan = plan(60_000, 600, 10_000, 4);
    assertThat(plan.samplingRate()).isEqualTo(0.01);
    assertThat(plan.epochs()).isEqualTo(100);
    assertThat(plan.event()).isEqualTo(new PrivacyEvent.SampledGaussian(0.01, 4).times(10_000));
  }

  @ParameterizedTest
  @CsvSource({
    "0, 1, 1, 1, population",
    "10, 0, 1, 1, expectedBatch",
    "10, 10.5, 1, 1, expectedBatch",
    "10, NaN, 1, 1, expectedBatch",
    "10, 5, -1, 1, steps",
    "10, 5, 1000000000001, 1, steps",
    "10, 5, 1, -1, noiseMultiplier",
    "10, 5, 1, NaN, noiseMultiplier"
  })
  void plan_argumentOutOfRange_isRefusedByName(
      long population, double batch, long steps, double noise, String name) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> plan(population, batch, steps, noise))
        .withMessageStartingWith(name + " must be");
  }

  @ParameterizedTest
  @CsvSource({
    "-1, 0.5, epsilon",
    "NaN, 0.5, epsilon",
    "1, -0.1, delta",
    "1, 1.1, delta",
    "1, NaN, delta"
  })
  void budget_argumentOutOfRange_isRefusedByName(double epsilon, double delta, String name) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new PrivacyBudget(epsilon, delta))
        .withMessageStartingWith(name + " must be");
  }

  @Test
  void budget_ends_areAllowed() {
    assertThat(new PrivacyBudget(0, 0).epsilon()).isZero();
    assertThat(new PrivacyBudget(Double.POSITIVE_INFINITY, 1).delta()).isEqualTo(1);
  }

  private static PrivacyPlan plan(long population, double batch, long steps, double noise) {
    return new PrivacyPlan(population, batch, steps, noise, Neighboring.ADD_OR_REMOVE_ONE);
  }
}
