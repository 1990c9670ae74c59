package org.sordino.accounting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.sordino.Neighboring;
import org.sordino.PrivacyEvent;
import org.sordino.PrivacyEvent.Gaussian;
import org.sordino.PrivacyEvent.SampledGaussian;

class GroupPrivacyTest {

  private static final TightAccountant TIGHT = TightAccountant.of(Neighboring.ADD_OR_REMOVE_ONE);

  @Test
  void epsilon_plainGaussian_isThatOfALargerBound() {
    assertThat(GroupPrivacy.of(TIGHT, 4).epsilon(new Gaussian(8).times(3), 1e-5))
        .isCloseTo(TIGHT.epsilon(new Gaussian(2).times(3), 1e-5), within(1e-12));
  }

  /** One step, k records: the exact divergence by summation over a fine grid of x. */
  @ParameterizedTest
  @CsvSource({"0.01,4,2,0.01", "0.1,1,3,0.5", "0.5,2,5,1", "0.9,1,2,0.3"})
  void delta_oneSampledStep_isAboveTheExactDivergence(double q, double sigma, int k, double eps) {
    double bound = GroupPrivacy.of(TIGHT, k).delta(new SampledGaussian(q, sigma), eps);
    double exact =
        Math.max(divergence(q, sigma, k, eps, false), divergence(q, sigma, k, eps, true));
    assertThat(bound).isGreaterThanOrEqualTo(exact).isLessThan(30 * exact + 1e-3);
  }

  @Test
  void epsilon_largerGroups_costMoreButNotMoreThanInARow() {
    PrivacyEvent event = new SampledGaussian(0.01, 4).times(1000);
    double last = TIGHT.epsilon(event, 1e-5);
    for (int k = 2; k < 6; k++) {
      double next = GroupPrivacy.of(TIGHT, k).epsilon(event, 1e-5);
      assertThat(next).isGreaterThan(last);
      last = next;
    }
    double one = TIGHT.epsilon(event, 1e-8);
    assertThat(
            GroupPrivacy.of(TIGHT, 5).epsilon(event, 1e-8 * Math.expm1(5 * one) / Math.expm1(one)))
        .isLessThanOrEqualTo(5 * one * (1 + 1e-9));
  }

  @Test
  void epsilonAndDelta_roundTrip_agree() {
    PrivacyEvent event = new SampledGaussian(0.02, 2).times(200);
    Accountant group = GroupPrivacy.of(TIGHT, 3);
    double epsilon = group.epsilon(event, 1e-6);
    assertThat(group.delta(event, epsilon)).isCloseTo(1e-6, within(1e-10));
  }

  @Test
  void of_oneRecord_isTheAccountantItself() {
    assertThat(GroupPrivacy.of(TIGHT, 1)).isSameAs(TIGHT);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> GroupPrivacy.of(TIGHT, 0))
        .withMessage("records must be at least 1, got 0");
  }

  /** Group privacy has the name, relation and evidence of its accountant for one record. */
  @Test
  void of_anyAccountant_keepsItsProperties() {
    for (Neighboring neighboring : Neighboring.values()) {
      for (Accountant single :
          new Accountant[] {TightAccountant.of(neighboring), GdpAccountant.of(neighboring)}) {
        Accountant group = GroupPrivacy.of(single, 3);
        assertThat(group.name()).isEqualTo(single.name());
        assertThat(group.neighboring()).isEqualTo(neighboring);
        assertThat(group.evidence()).isEqualTo(single.evidence());
        assertThat(group.supports(new Gaussian(1))).isEqualTo(single.supports(new Gaussian(1)));
      }
    }
  }

  @Test
  void epsilonAndDelta_noEventsOrNoNoise_areZeroOrMaximal() {
    Accountant group = GroupPrivacy.of(TIGHT, 3);
    assertThat(group.epsilon(new Gaussian(1).times(0), 1e-5)).isZero();
    assertThat(group.delta(new Gaussian(1).times(0), 1)).isZero();
    assertThat(group.epsilon(new SampledGaussian(0.1, 0), 1e-5)).isInfinite();
    assertThat(group.delta(new SampledGaussian(0.1, 0), 1)).isEqualTo(1);
    assertThat(group.epsilon(new SampledGaussian(0.1, 1), 0)).isInfinite();
    assertThat(group.epsilon(new SampledGaussian(1e-6, 1), 0.1)).isZero();
  }

  @Test
  void epsilon_composition_scalesEachPart() {
    PrivacyEvent parts =
        new PrivacyEvent.Composition(List.of(new Gaussian(8).times(3), new Gaussian(12)));
    PrivacyEvent larger =
        new PrivacyEvent.Composition(List.of(new Gaussian(2).times(3), new Gaussian(3)));
    assertThat(GroupPrivacy.of(TIGHT, 4).epsilon(parts, 1e-5))
        .isCloseTo(TIGHT.epsilon(larger, 1e-5), within(1e-12));
  }

  /**
   * At epsilon 0, delta is the total variation distance, a metric: the ends of a chain of k
   * neighbors are at most k times as far apart as two neighbors.
   */
  @Test
  void delta_epsilonZero_isAtMostKTimesThatOfOne() {
    PrivacyEvent event = new SampledGaussian(0.01, 4);
    double one = TIGHT.delta(event, 0);
    for (int k : new int[] {2, 3, 10}) {
      assertThat(GroupPrivacy.of(TIGHT, k).delta(event, 0))
          .isBetween(k * one, k * one * (1 + 1e-12));
    }
  }

  /**
   * Returns the integral over x of (p - e^eps r)+, where p is the mixture over the number of the k
   * records that were drawn.
   */
  private static double divergence(double q, double sigma, int k, double eps, boolean swapped) {
    double sum = 0;
    double dx = sigma / 500;
    for (double x = -12 * sigma; x < k + 12 * sigma; x += dx) {
      double mixture = 0;
      double binomial = Math.pow(1 - q, k);
      for (int j = 0; j <= k; j++) {
        mixture += binomial * Math.exp(Normal.logDensity((x - j) / sigma)) / sigma;
        binomial *= q / (1 - q) * (k - j) / (j + 1);
      }
      double plain = Math.exp(Normal.logDensity(x / sigma)) / sigma;
      double p = swapped ? plain : mixture;
      double r = swapped ? mixture : plain;
      sum += Math.max(0, p - Math.exp(eps) * r) * dx;
    }
    return sum;
  }
}
