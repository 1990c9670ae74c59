package org.sordino.accounting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.sordino.Neighboring;
import org.sordino.PrivacyEvent;

class NaiveCompositionTest {

  @Nested
  class AddOrRemove extends AccountantContract {
    @Override
    Accountant accountant() {
      return NaiveComposition.of(Neighboring.ADD_OR_REMOVE_ONE);
    }
  }

  @Nested
  class Replace extends AccountantContract {
    @Override
    Accountant accountant() {
      return NaiveComposition.of(Neighboring.REPLACE_ONE);
    }
  }

  @Test
  void epsilon_oneSampledStep_isTheClosedForm() {
    Accountant naive = NaiveComposition.of(Neighboring.ADD_OR_REMOVE_ONE);
    for (Golden row : Golden.rows("S")) {
      assertThat(naive.epsilon(row.event(), row.parameter("delta")))
          .as("%s", row)
          .isCloseTo(row.value(), within(1e-11))
          .isGreaterThanOrEqualTo(row.value());
    }
  }

  @Test
  void epsilon_mixedLedger_addsEpsilonsAtEvenShares() {
    Accountant naive = NaiveComposition.of(Neighboring.ADD_OR_REMOVE_ONE);
    PrivacyEvent sampled = new PrivacyEvent.SampledGaussian(0.1, 0.5);
    PrivacyEvent plain = new PrivacyEvent.Gaussian(1);
    PrivacyEvent ledger =
        new PrivacyEvent.Composition(List.of(sampled.times(3), plain, sampled.times(1)));
    double expected = 4 * naive.epsilon(sampled, 2e-6) + naive.epsilon(plain, 2e-6);
    assertThat(naive.epsilon(ledger, 1e-5)).isCloseTo(expected, within(1e-11));
  }
}
