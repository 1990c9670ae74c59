package org.sordino.mechanism;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.sordino.PrivacyEvent;

class MechanismTest {

  private static final Layout LAYOUT =
      Layout.of(new Layout.Vector("a", 3), new Layout.Vector("b", 40), new Layout.Vector("c", 157));

  private static final List<VectorGroup> GROUPS =
      List.of(
          VectorGroup.flat("first", List.of("a", "c"), 0.7),
          VectorGroup.flat("second", List.of("b"), 2.5));

  private static Mechanism of(NoiseAllocation allocation, double z) {
    return Mechanism.of(LAYOUT, GROUPS, allocation, z);
  }

  @ParameterizedTest
  @EnumSource(NoiseAllocation.class)
  void everyAllocation_composesToTheMultiplier_neverBelow(NoiseAllocation allocation) {
    for (double z : new double[] {0.3, 1, 1.1, 7.123456, 1e4}) {
      Mechanism mechanism = of(allocation, z);
      double composed =
          PrivacyEvent.Gaussian.joint(
                  new double[] {0.7, 2.5},
                  new double[] {mechanism.groupDeviation(0), mechanism.groupDeviation(1)})
              .noiseMultiplier();
      assertThat(composed).isBetween(z, z * (1 + 1e-14));
    }
  }

  @Test
  void allocations_areThoseOfThePaper() {
    double z = 1.5;
    assertThat(of(NoiseAllocation.EQUAL, z).deviation(1))
        .isCloseTo(z * Math.hypot(0.7, 2.5), within(1e-12))
        .isEqualTo(of(NoiseAllocation.EQUAL, z).deviation(0));
    assertThat(of(NoiseAllocation.PROPORTIONAL, z).deviation(0))
        .isCloseTo(z * Math.sqrt(2) * 0.7, within(1e-12));
    assertThat(of(NoiseAllocation.DIMENSION_ADJUSTED, z).deviation(1))
        .isCloseTo(z * Math.sqrt(200 / 40.0) * 2.5, within(1e-12));
  }

  /** McMahan & Andrew 2018: |v1| at most 1, |v2| at most 100, and one of them is always zero. */
  @Test
  void jointClipping_beatsSeparateClipping_bySqrtTwo() {
    Layout two = Layout.of(new Layout.Vector("v1", 5), new Layout.Vector("v2", 5));
    double sigma = 3;
    Mechanism separate =
        Mechanism.withDeviations(
            two,
            List.of(
                VectorGroup.flat("1", List.of("v1"), 1), VectorGroup.flat("2", List.of("v2"), 100)),
            sigma,
            100 * sigma);
    Mechanism joint =
        Mechanism.withDeviations(
            two,
            List.of(VectorGroup.joint("both", List.of("v1", "v2"), List.of(1.0, 100.0), 1)),
            sigma);
    for (int vector = 0; vector < 2; vector++) {
      assertThat(joint.deviation(vector)).isEqualTo(separate.deviation(vector));
    }
    // The noise is equal on both, and neither rule changes such records,
    double[] weights = new double[4];
    double[] norms = {1 - 1e-9, 0, 0, 1e4 * (1 - 1e-9)};
    separate.clipping(100, 0, 0).weights(norms, weights);
    assertThat(weights).containsOnly(1);
    joint.clipping(100, 0, 0).weights(norms, weights);
    assertThat(weights).containsOnly(1);
    // but joint clipping has sqrt(2) times the noise multiplier.
    assertThat(joint.noiseMultiplier() / separate.noiseMultiplier())
        .isCloseTo(Math.sqrt(2), within(1e-12));
  }

  @Test
  void infiniteClipWithoutNoise_isNotNaN() {
    Mechanism mechanism =
        Mechanism.of(
            LAYOUT,
            List.of(VectorGroup.flat("all", LAYOUT.names(), Double.POSITIVE_INFINITY)),
            NoiseAllocation.EQUAL,
            0);
    double[] weights = new double[3];
    mechanism.clipping(1000, 0, 0).weights(new double[] {0, 1e100, 4}, weights);
    assertThat(weights).containsOnly(1);
    assertThat(mechanism.deviation(0)).isZero();
  }

  @Test
  void units_holdTheSumOfAllRecordsAndTheNoise() {
    for (long population : new long[] {1, 1000, 60_000, 1_000_000_000L, 1_000_000_000_000L}) {
      for (double z : new double[] {0, 1, 1e6}) {
        Clipping clipping = of(NoiseAllocation.EQUAL, z).clipping(population, 0, 0);
        for (int vector = 0; vector < 3; vector++) {
          double bound = vector == 1 ? 2.5 : 0.7;
          double deviation = of(NoiseAllocation.EQUAL, z).deviation(vector);
          double largest = (4.0 * population * bound + 16 * deviation) / clipping.unit(vector);
          assertThat(largest).isLessThan(0x1p63);
          assertThat(clipping.unit(vector))
              .isEqualTo(Math.scalb(1.0, Math.getExponent(clipping.unit(vector))));
          assertThat(clipping.unit(vector)).isLessThan(bound * 0x1p-15);
        }
      }
    }
  }

  @Test
  void groupsThatDoNotPartitionTheVectors_areRefusedByName() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> mechanism(VectorGroup.flat("g", List.of("a", "b"), 1)))
        .withMessageContaining("missing: [c]");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> mechanism(VectorGroup.flat("g", List.of("a", "b", "c", "d"), 1)))
        .withMessageContaining("group g names the vector d");
    assertThatIllegalArgumentException()
        .isThrownBy(
            () ->
                mechanism(
                    VectorGroup.flat("g", List.of("a", "b", "c"), 1),
                    VectorGroup.flat("h", List.of("b"), 1)))
        .withMessageContaining("vector b must be in exactly one group, got g and h");
  }

  @Test
  void groupOfGradientsAndMetrics_isRefusedByName() {
    Layout layout =
        Layout.of(
            new Layout.Vector("a", 3),
            new Layout.Vector("metric.loss", 1, Layout.Role.METRIC),
            new Layout.Vector("metric.unclipped", 1, Layout.Role.METRIC));
    VectorGroup loss = VectorGroup.flat("loss", List.of("metric.loss"), 1);
    VectorGroup mixed = VectorGroup.flat("mixed", List.of("a", "metric.unclipped"), 1);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Mechanism.of(layout, List.of(loss, mixed), NoiseAllocation.EQUAL, 1))
        .withMessageContaining("group mixed must contain either only metrics or no metrics");
  }

  private static Mechanism mechanism(VectorGroup... groups) {
    return Mechanism.of(LAYOUT, List.of(groups), NoiseAllocation.EQUAL, 1);
  }

  @Test
  void wrongNumbers_areRefused() {
    assertThatIllegalArgumentException().isThrownBy(() -> of(NoiseAllocation.EQUAL, Double.NaN));
    assertThatIllegalArgumentException().isThrownBy(() -> of(NoiseAllocation.EQUAL, -1));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> VectorGroup.flat("g", List.of("a"), Double.NaN));
    assertThatIllegalArgumentException().isThrownBy(() -> VectorGroup.flat("g", List.of("a"), 0));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> VectorGroup.joint("g", List.of("a", "b"), List.of(1.0, 1.0), 1.5))
        .withMessageContaining("[1, sqrt(2)]");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> VectorGroup.joint("g", List.of("a", "b"), List.of(1.0), 1));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> VectorGroup.automatic("g", List.of("a"), 1, 0));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> mechanism(VectorGroup.flat("g", LAYOUT.names(), 1.0 / 0)))
        .withMessageContaining("must be finite if noise is added");
  }

  @Test
  void lessNoiseThanPlanned_orAMissingVector_isDetected() {
    Mechanism mechanism = of(NoiseAllocation.PROPORTIONAL, 2);
    double[] executed = {mechanism.deviation(0), mechanism.deviation(1), mechanism.deviation(2)};
    mechanism.verify(executed);
    assertThatIllegalStateException()
        .isThrownBy(() -> mechanism.verify(new double[] {executed[0], executed[1]}));
    executed[1] = Math.nextDown(executed[1]);
    assertThatIllegalStateException()
        .isThrownBy(() -> mechanism.verify(executed))
        .withMessageContaining("vector b");
  }
}
