package org.sordino.accounting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.List;
import org.apache.commons.numbers.gamma.InverseErfc;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.sordino.Neighboring;
import org.sordino.PrivacyEvent;
import org.sordino.PrivacyEvent.Composition;
import org.sordino.PrivacyEvent.Gaussian;
import org.sordino.PrivacyEvent.SampledGaussian;

class TradeOffCurveTest {

  private static final TightAccountant TIGHT = TightAccountant.of(Neighboring.ADD_OR_REMOVE_ONE);

  /** For a Gaussian the best test is known: TPR = Phi(Phi^-1(FPR) + mu). */
  @ParameterizedTest
  @CsvSource({"1,0.001", "1,0.01", "1,0.1", "1,0.5", "0.25,0.01", "3,0.01", "0.01,0.1"})
  void truePositiveRate_gaussian_isJustAboveNeymanPearson(double mu, double fpr) {
    double threshold = Math.sqrt(2) * InverseErfc.value(2 * fpr);
    double best = Normal.tail(threshold - mu);
    double bound = TradeOffCurve.of(TIGHT, new Gaussian(1 / mu)).truePositiveRate(fpr);
    assertThat(bound).isGreaterThanOrEqualTo(best).isLessThan(best + 0.005 * (best - fpr) + 1e-12);
  }

  @ParameterizedTest
  @ValueSource(doubles = {0, 1e-9, 0.01, 0.3, 0.9, 1})
  void truePositiveRate_anything_isBetweenGuessingAndOne(double fpr) {
    PrivacyEvent event = new SampledGaussian(0.04, 1.5).times(2500);
    double rate = TradeOffCurve.of(TIGHT, event).truePositiveRate(fpr);
    assertThat(rate).isBetween(fpr, 1.0);
  }

  @Test
  void truePositiveRate_emptyLedger_isGuessing() {
    double rate = TradeOffCurve.of(TIGHT, new Composition(List.of())).truePositiveRate(0.2);
    assertThat(rate).isCloseTo(0.2, org.assertj.core.api.Assertions.within(1e-14));
  }

  @Test
  void truePositiveRate_tighterAccountant_isSmaller() {
    PrivacyEvent event = new SampledGaussian(0.01, 4).times(10_000);
    double rdp =
        TradeOffCurve.of(RdpAccountant.of(Neighboring.ADD_OR_REMOVE_ONE), event)
            .truePositiveRate(0.01);
    assertThat(TradeOffCurve.of(TIGHT, event).truePositiveRate(0.01)).isLessThan(rdp);
  }

  @Test
  void of_approximation_isRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(
            () ->
                TradeOffCurve.of(GdpAccountant.of(Neighboring.ADD_OR_REMOVE_ONE), new Gaussian(1)))
        .withMessageContaining("accountant must give bounds, got gdp");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> TradeOffCurve.of(TIGHT, new Gaussian(1)).truePositiveRate(1.5));
  }
}
