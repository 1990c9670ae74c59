package org.sordino.accounting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;
import static org.assertj.core.api.Assertions.withinPercentage;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.sordino.Neighboring;
import org.sordino.PrivacyEvent;
import org.sordino.PrivacyEvent.SampledGaussian;

class GdpAccountantTest {

  private final GdpAccountant gdp = GdpAccountant.of(Neighboring.ADD_OR_REMOVE_ONE);

  @Nested
  class AddOrRemove extends AccountantContract {
    @Override
    Accountant accountant() {
      return gdp;
    }
  }

  @Test
  void mu_sampledSteps_matchesGolden() {
    for (Golden row : Golden.rows("G")) {
      if (row.quantity().startsWith("mu_CLT")) {
        assertThat(gdp.mu(row.event()))
            .as("%s", row)
            .isCloseTo(row.value(), withinPercentage(1e-12));
      }
    }
  }

  @Test
  void epsilon_plainGaussian_isExact() {
    for (Golden row : Golden.rows("G")) {
      if (row.quantity().startsWith("epsilon")) {
        PrivacyEvent event = new PrivacyEvent.Gaussian(1 / row.parameter("mu"));
        assertThat(gdp.epsilon(event, row.parameter("delta")))
            .as("%s", row)
            .isCloseTo(row.value(), withinPercentage(1e-11));
      }
    }
  }

  @Test
  void epsilon_sampledSteps_isBelowTheTruth() {
    double truth = Golden.row("E01").value();
    assertThat(gdp.epsilon(new SampledGaussian(0.01, 4).times(10_000), 1e-5))
        .isCloseTo(0.94244, within(1e-5))
        .isLessThan(truth);
    assertThat(gdp.evidence()).isEqualTo(Accountant.Evidence.APPROXIMATION);
  }

  @Test
  void epsilon_replaceOne_isRefusedByName() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> GdpAccountant.of(Neighboring.REPLACE_ONE).mu(new SampledGaussian(0.5, 1)))
        .withMessageContaining("gdp accountant does not support SampledGaussian[")
        .withMessageContaining("under REPLACE_ONE");
  }
}
