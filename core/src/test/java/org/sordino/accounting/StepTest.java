package org.sordino.accounting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.sordino.PrivacyEvent;
import org.sordino.PrivacyEvent.Composition;
import org.sordino.PrivacyEvent.Gaussian;
import org.sordino.PrivacyEvent.SampledGaussian;

class StepTest {

  @Test
  void of_nestedEvents_mergesEqualStepsInValueOrder() {
    PrivacyEvent inner = new Composition(List.of(new Gaussian(2), new SampledGaussian(0.1, 3)));
    PrivacyEvent event =
        new Composition(
            List.of(new SampledGaussian(1, 2), inner.times(4).times(5), new Gaussian(1)));
    assertThat(Step.of(event))
        .containsExactly(new Step(0.1, 3, 20), new Step(1, 1, 1), new Step(1, 2, 21));
  }

  @Test
  void of_stepsWithoutCost_areLeftOut() {
    PrivacyEvent event =
        new Composition(
            List.of(
                new SampledGaussian(0, 0),
                new Gaussian(Double.POSITIVE_INFINITY),
                new Gaussian(0).times(0)));
    assertThat(Step.of(event)).isEmpty();
  }

  @Test
  void of_noNoise_isKept() {
    assertThat(Step.of(new SampledGaussian(0.5, 0))).containsExactly(new Step(0.5, 0, 1));
  }

  @Test
  void of_tooManySteps_isRefused() {
    PrivacyEvent most = new Gaussian(1).times(PrivacyEvent.MAX_COUNT);
    assertThat(Step.of(most)).containsExactly(new Step(1, 1, PrivacyEvent.MAX_COUNT));
    for (PrivacyEvent event :
        List.of(
            most.times(2),
            most.times(PrivacyEvent.MAX_COUNT),
            new Gaussian(1).times(1L << 32).times(1L << 32), // 0 in 64 bits, which would be free
            new Composition(List.of(most, new Gaussian(1))))) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> Step.of(event))
          .withMessage("a ledger must have at most 1000000000000 equal steps, got more");
    }
  }
}
