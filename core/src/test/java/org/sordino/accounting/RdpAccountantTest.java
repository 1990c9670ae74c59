package org.sordino.accounting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;
import static org.assertj.core.api.Assertions.withinPercentage;

import java.util.List;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.sordino.Neighboring;
import org.sordino.PrivacyEvent;
import org.sordino.PrivacyEvent.SampledGaussian;

class RdpAccountantTest {

  private final RdpAccountant rdp = RdpAccountant.of(Neighboring.ADD_OR_REMOVE_ONE);

  @Nested
  class AddOrRemove extends AccountantContract {
    @Override
    Accountant accountant() {
      return rdp;
    }
  }

  @Nested
  class Replace extends AccountantContract {
    @Override
    Accountant accountant() {
      return RdpAccountant.of(Neighboring.REPLACE_ONE);
    }
  }

  @Test
  void rdp_oneStep_matchesGolden() {
    for (Golden row : Golden.rows("R")) {
      assertThat(rdp.rdp(row.event(), row.parameter("alpha")))
          .as("%s", row)
          .isCloseTo(row.value(), withinPercentage(1e-8));
    }
  }

  @ParameterizedTest
  @CsvSource({"1e-4,0.6", "0.01,1", "0.3,2", "0.9,0.8", "1e-8,5", "0.999,1"})
  void rdp_integerOrders_equalsTheBinomialSum(double q, double sigma) {
    for (int order : new int[] {2, 3, 5, 20, 77}) {
      double expected = MomentsAccountant.logMoment(q, sigma, order) / (order - 1);
      assertThat(rdp.rdp(new SampledGaussian(q, sigma), order))
          .as("order %s", order)
          .isCloseTo(expected, withinPercentage(1e-8));
    }
  }

  @Test
  void rdp_ledger_addsUp() {
    PrivacyEvent sampled = new SampledGaussian(0.01, 4);
    PrivacyEvent plain = new PrivacyEvent.Gaussian(5);
    PrivacyEvent ledger = new PrivacyEvent.Composition(List.of(sampled.times(30), plain.times(2)));
    double expected = 30 * rdp.rdp(sampled, 3.5) + 2 * 3.5 / 50;
    assertThat(rdp.rdp(ledger, 3.5)).isCloseTo(expected, withinPercentage(1e-12));
  }

  @Test
  void rdp_replacedRecord_isFourTimesThatOfAPlainGaussian() {
    RdpAccountant replace = RdpAccountant.of(Neighboring.REPLACE_ONE);
    PrivacyEvent plain = new PrivacyEvent.Gaussian(3);
    assertThat(replace.rdp(plain, 7)).isCloseTo(4 * rdp.rdp(plain, 7), withinPercentage(1e-12));
    assertThat(replace.rdp(new SampledGaussian(0.999999, 3), 7))
        .isCloseTo(replace.rdp(plain, 7), withinPercentage(1e-2));
  }

  @Test
  void epsilon_abadiSetting_isAtMostThatOfIntegerOrders() {
    double epsilon = rdp.epsilon(new SampledGaussian(0.01, 4).times(10_000), 1e-5);
    assertThat(epsilon).isCloseTo(1.0354, within(1e-4)).isLessThanOrEqualTo(1.03549006604);
  }

  @Test
  void epsilon_figure2_liesBetweenExactAndIntegerOrders() {
    List<double[]> rows = Golden.figure2();
    for (int i = 0; i < rows.size(); i += 20) {
      double[] row = rows.get(i);
      assertThat(rdp.epsilon(new SampledGaussian(0.01, 4).times((long) row[1]), 1e-5))
          .as("E = %s", row[0])
          .isBetween(row[7], row[6] * (1 + 1e-10))
          .isCloseTo(row[6], withinPercentage(0.2));
    }
  }

  @Test
  void epsilon_goldenRuns_isAboveTheTruth() {
    for (Golden row : Golden.rows("E")) {
      assertThat(rdp.epsilon(row.event(), row.parameter("delta")))
          .as("%s", row)
          .isBetween(row.value(), 2 * row.value());
    }
  }

  @Test
  void epsilon_deltaAboveTotalVariation_isZero() {
    assertThat(rdp.epsilon(new SampledGaussian(1e-8, 1), 1e-5)).isZero();
    assertThat(rdp.delta(new SampledGaussian(1e-8, 1), 0)).isBetween(3.8e-9, 1e-8);
  }

  @ParameterizedTest
  @ValueSource(doubles = {1, 0.5, -2, Double.NaN, Double.POSITIVE_INFINITY})
  void rdp_orderNotAboveOne_isRefused(double order) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> rdp.rdp(new PrivacyEvent.Gaussian(1), order))
        .withMessage("order must be above 1 and finite, got " + order);
  }

  /** A fixed order is never better than the best one, and matches the formula applied to rdp. */
  @Test
  void epsilonAtOrder_isTheFormulaAtThatOrder() {
    RdpAccountant rdp = RdpAccountant.of(Neighboring.ADD_OR_REMOVE_ONE);
    PrivacyEvent run = new PrivacyEvent.SampledGaussian(0.01, 4).times(10_000);

    for (double order : new double[] {1.5, 8, 20, 200}) {
      double formula =
          rdp.rdp(run, order) + Math.log1p(-1 / order) - Math.log(1e-5 * order) / (order - 1);
      double epsilon = rdp.epsilonAtOrder(run, 1e-5, order);

      assertThat(epsilon).isBetween(formula - 1e-12, formula + 1e-8 * (1 + formula));
      assertThat(epsilon).isGreaterThanOrEqualTo(rdp.epsilon(run, 1e-5) * (1 - 1e-12));
    }
    assertThat(rdp.epsilonAtOrder(run.times(0), 1e-5, 8)).isZero();
    assertThat(rdp.epsilonAtOrder(new PrivacyEvent.Gaussian(0), 1e-5, 8)).isInfinite();
    assertThatThrownBy(() -> rdp.epsilonAtOrder(run, 1e-5, 1)).hasMessageContaining("order must");
    assertThatThrownBy(() -> rdp.epsilonAtOrder(run, Double.NaN, 8))
        .hasMessageContaining("delta must");
  }

  @ParameterizedTest
  @CsvSource({"0,2", "1,2", "-1,2", "NaN,2", "1e-5,1", "1e-5,0.5", "1e-5,Infinity", "1e-5,NaN"})
  void epsilonAtOrder_invalidArguments_areRefused(double delta, double order) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> rdp.epsilonAtOrder(new PrivacyEvent.Gaussian(1), delta, order))
        .withMessageContaining("must be");
  }
}
