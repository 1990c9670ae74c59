package org.sordino.accounting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.assertj.core.api.Assertions.withinPercentage;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.sordino.Neighboring;
import org.sordino.PrivacyEvent;
import org.sordino.PrivacyEvent.SampledGaussian;

class StrongCompositionTest {

  private final Accountant strong = StrongComposition.of(Neighboring.ADD_OR_REMOVE_ONE);

  @Nested
  class AddOrRemove extends AccountantContract {
    @Override
    Accountant accountant() {
      return strong;
    }
  }

  @Nested
  class Replace extends AccountantContract {
    @Override
    Accountant accountant() {
      return StrongComposition.of(Neighboring.REPLACE_ONE);
    }
  }

  @Test
  void epsilon_figure2_matchesTheValidColumn() {
    for (double[] row : Golden.figure2()) {
      if (row[0] > 10 && row[0] % 10 != 0) {
        continue;
      }
      PrivacyEvent event = new SampledGaussian(0.01, 4).times((long) row[1]);
      assertThat(strong.epsilon(event, 1e-5))
          .as("E = %s", row[0])
          .isCloseTo(row[4], withinPercentage(1e-8));
    }
  }

  @Test
  void epsilon_oneHundredEpochs_is16point84() {
    assertThat(strong.epsilon(new SampledGaussian(0.01, 4).times(10_000), 1e-5))
        .isCloseTo(16.84443, within(1e-5));
  }

  @Test
  void epsilon_oneStep_isNoWorseThanAddition() {
    Golden row = Golden.row("G01");
    assertThat(strong.epsilon(new PrivacyEvent.Gaussian(1), 1e-5))
        .isCloseTo(row.value(), within(1e-11));
  }

  @Test
  void epsilon_replaceOne_isAboveTheExactSingleStep() {
    Accountant replace = StrongComposition.of(Neighboring.REPLACE_ONE);
    Accountant exact = NaiveComposition.of(Neighboring.REPLACE_ONE);
    for (double q : new double[] {1e-4, 0.01, 0.3, 0.9, 1}) {
      PrivacyEvent step = new SampledGaussian(q, 1.3);
      for (double delta : new double[] {1e-9, 1e-5, 1e-2}) {
        assertThat(replace.epsilon(step, delta))
            .as("%s at %s", step, delta)
            .isGreaterThanOrEqualTo(exact.epsilon(step, delta) * (1 - 1e-12));
      }
    }
  }
}
