package org.sordino.accounting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;
import static org.assertj.core.api.Assertions.withinPercentage;

import java.util.List;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.sordino.PrivacyEvent;
import org.sordino.PrivacyEvent.SampledGaussian;

class AsPrintedTest {

  @Nested
  class Strong extends AccountantContract {
    @Override
    Accountant accountant() {
      return AsPrinted.strong();
    }
  }

  @Nested
  class Naive extends AccountantContract {
    @Override
    Accountant accountant() {
      return AsPrinted.naive();
    }
  }

  @Test
  void epsilon_figure2_matchesBothColumns() {
    for (double[] row : Golden.figure2()) {
      PrivacyEvent event = new SampledGaussian(0.01, 4).times((long) row[1]);
      assertThat(AsPrinted.naive().epsilon(event, 1e-5)).isCloseTo(row[2], withinPercentage(1e-11));
      assertThat(AsPrinted.strong().epsilon(event, 1e-5))
          .isCloseTo(row[3], withinPercentage(1e-11));
    }
  }

  @Test
  void epsilon_abadiSection5_matchesGolden() {
    for (Golden row : Golden.rows("M")) {
      if (row.quantity().contains("strong")) {
        assertThat(AsPrinted.strong().epsilon(row.event(), row.parameter("delta")))
            .as("%s", row)
            .isCloseTo(row.value(), within(1e-9));
      }
    }
  }

  @Test
  void evidence_both_isNotABound() {
    assertThat(AsPrinted.strong().evidence()).isEqualTo(Accountant.Evidence.NOT_A_BOUND);
    assertThat(AsPrinted.naive().evidence()).isEqualTo(Accountant.Evidence.NOT_A_BOUND);
  }

  @Test
  void epsilon_twoKindsOfSteps_isRefusedByName() {
    PrivacyEvent ledger =
        new PrivacyEvent.Composition(
            List.of(new SampledGaussian(0.5, 1), new PrivacyEvent.Gaussian(2)));
    assertThat(AsPrinted.strong().supports(ledger)).isFalse();
    assertThatIllegalArgumentException()
        .isThrownBy(() -> AsPrinted.strong().epsilon(ledger, 1e-5))
        .withMessage(
            "strongPaper accountant does not support SampledGaussian[samplingRate=0.5,"
                + " noiseMultiplier=1.0] together with Gaussian[noiseMultiplier=2.0]; use tight or"
                + " strong");
  }
}
