package org.sordino.accounting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.sordino.PrivacyBudget;

class ForeignReleaseTest {

  @Test
  void epsilonDelta_usesThePartForReleases() {
    assertThat(ForeignRelease.of(new PrivacyBudget(0.5, 1e-7)))
        .isEqualTo(new ForeignRelease(0.5, 1e-7, 0));
  }

  @Test
  void gaussian_usesMu() {
    ForeignRelease release = ForeignRelease.gaussian(3);
    assertThat(release.epsilon()).isZero();
    assertThat(release.delta()).isZero();
    assertThat(release.mu()).isBetween(1 / 3.0, 1 / 3.0 * (1 + 1e-15));
  }

  /** The conversion at the best order on a fine grid of orders. */
  @ParameterizedTest
  @CsvSource({"0.001, 1e-6", "0.01, 1e-7", "0.1, 1e-6", "0.5, 1e-9", "3, 1e-5"})
  void zcdp_isConvertedAtTheBestOrder(double rho, double delta) {
    double best = Double.POSITIVE_INFINITY;
    for (double order = 1.001; order < 10_000; order = 1 + (order - 1) * 1.001) {
      double conversion = Math.log1p(-1 / order) - Math.log(delta * order) / (order - 1);
      best = Math.min(best, rho * order + conversion);
    }
    ForeignRelease release = ForeignRelease.zcdp(rho, delta);
    assertThat(release.epsilon()).isCloseTo(best, within(1e-5 * best));
    assertThat(release.delta()).isEqualTo(delta);
    assertThat(release.mu()).isZero();
    double classic = rho + 2 * Math.sqrt(rho * Math.log(1 / delta));
    assertThat(release.epsilon()).isLessThan(classic);
  }

  @ParameterizedTest
  @ValueSource(doubles = {-1, Double.NaN, Double.POSITIVE_INFINITY})
  void values_outsideTheirRange_areRefused(double value) {
    assertThatIllegalArgumentException().isThrownBy(() -> new ForeignRelease(value, 0, 0));
    assertThatIllegalArgumentException().isThrownBy(() -> new ForeignRelease(0, value, 0));
    assertThatIllegalArgumentException().isThrownBy(() -> new ForeignRelease(0, 0, value));
    assertThatIllegalArgumentException().isThrownBy(() -> ForeignRelease.zcdp(value, 1e-6));
    assertThatIllegalArgumentException().isThrownBy(() -> ForeignRelease.zcdp(1, value));
  }

  @Test
  void zeros_areRefusedWhereNothingWouldBePrivate() {
    assertThatIllegalArgumentException().isThrownBy(() -> ForeignRelease.gaussian(0));
    assertThatIllegalArgumentException().isThrownBy(() -> ForeignRelease.gaussian(Double.NaN));
    assertThatIllegalArgumentException().isThrownBy(() -> ForeignRelease.zcdp(0, 1e-6));
    assertThatIllegalArgumentException().isThrownBy(() -> ForeignRelease.zcdp(1, 0));
  }
}
