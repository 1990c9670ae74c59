package org.sordino.accounting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;
import static org.assertj.core.api.Assertions.withinPercentage;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.sordino.Neighboring;
import org.sordino.PrivacyEvent.SampledGaussian;

class MomentsAccountantTest {

  private final Accountant moments = MomentsAccountant.of(Neighboring.ADD_OR_REMOVE_ONE);

  @Nested
  class AddOrRemove extends AccountantContract {
    @Override
    Accountant accountant() {
      return moments;
    }
  }

  @Test
  void epsilon_abadiSection5_matchesGolden() {
    for (Golden row : Golden.rows("M")) {
      if (row.quantity().contains("moments")) {
        assertThat(moments.epsilon(row.event(), row.parameter("delta")))
            .as("%s", row)
            .isCloseTo(row.value(), within(1e-9));
      }
    }
  }

  @Test
  void epsilon_figure2_matchesTheColumn() {
    for (double[] row : Golden.figure2()) {
      assertThat(moments.epsilon(new SampledGaussian(0.01, 4).times((long) row[1]), 1e-5))
          .isCloseTo(row[5], withinPercentage(1e-9));
    }
  }

  @Test
  void logMoment_integerOrders_matchesGoldenAndErrsUpward() {
    for (Golden row : Golden.rows("R")) {
      double order = row.parameter("alpha");
      if (order == Math.rint(order)) {
        double expected = row.value() * (order - 1);
        double actual =
            MomentsAccountant.logMoment(row.parameter("q"), row.parameter("sigma"), (int) order);
        assertThat(actual)
            .as("%s", row)
            .isCloseTo(expected, withinPercentage(1e-8))
            .isGreaterThanOrEqualTo(expected * (1 - 1e-15));
      }
    }
  }

  @Test
  void epsilon_replaceOne_isRefusedByName() {
    Accountant replace = MomentsAccountant.of(Neighboring.REPLACE_ONE);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> replace.epsilon(new SampledGaussian(0.5, 1), 1e-5))
        .withMessage(
            "moments accountant does not support SampledGaussian[samplingRate=0.5,"
                + " noiseMultiplier=1.0] under REPLACE_ONE; use tight or rdp");
    assertThat(replace.supports(new SampledGaussian(0.5, 1).times(0))).isTrue();
  }

  /** Moments that overflow cost infinity, not 0. */
  @Test
  void epsilon_momentsOverflow_isInfinite() {
    assertThat(MomentsAccountant.logMoment(0.1, 1e-170, 3)).isInfinite();
    assertThat(MomentsAccountant.logMoment(1, 1e-170, 3)).isInfinite();
    for (double q : new double[] {1e-9, 0.1, 1}) {
      assertThat(moments.epsilon(new SampledGaussian(q, 1e-170), 1e-5)).isInfinite();
      assertThat(moments.delta(new SampledGaussian(q, 1e-170), 100)).isEqualTo(1);
    }
  }
}
