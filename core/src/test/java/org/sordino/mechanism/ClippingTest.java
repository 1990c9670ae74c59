package org.sordino.mechanism;

import static java.lang.Double.NaN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.math.BigDecimal;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Checks the rule in exact arithmetic: for any norms, the contribution to the sum is within the
 * bound.
 */
class ClippingTest {

  private static final List<String> NAMES = List.of("a", "b", "c");

  private static final Layout LAYOUT =
      new Layout(NAMES.stream().map(name -> new Layout.Vector(name, 1)).toList());

  static Stream<VectorGroup> groups() {
    return Stream.of(
        VectorGroup.flat("flat", NAMES, 1),
        VectorGroup.flat("small", NAMES, 1e-20),
        VectorGroup.flat("large", NAMES, 3e25),
        VectorGroup.automatic("automatic", NAMES, 0.3, 0.01),
        VectorGroup.joint("joint", NAMES, List.of(1.0, 100.0, 1e-7), 1.3));
  }

  /** 1,000 random records of one number per vector; products and sums in exact arithmetic. */
  @ParameterizedTest
  @MethodSource("groups")
  void weightedVectors_stayWithinTheBound_exactly(VectorGroup group) {
    Clipping clipping = clipping(group, 0);
    SplittableRandom random = new SplittableRandom(7);
    double[] weights = new double[3];
    for (int i = 0; i < 1000; i++) {
      double[] v = new double[3];
      double[] squares = new double[3];
      for (int j = 0; j < 3; j++) {
        v[j] = group.scales().get(j) * group.bound() * Math.exp(random.nextDouble(-9, 9));
        squares[j] = Math.nextUp(v[j] * v[j]);
      }
      clipping.weights(squares, weights);
      BigDecimal sum = BigDecimal.ZERO;
      for (int j = 0; j < 3; j++) {
        BigDecimal scaled =
            new BigDecimal(weights[j] * v[j]).divide(new BigDecimal(group.scales().get(j)), MC);
        sum = sum.add(scaled.multiply(scaled));
      }
      assertThat(sum).isLessThanOrEqualTo(new BigDecimal(group.bound()).pow(2));
    }
  }

  private static final java.math.MathContext MC = new java.math.MathContext(60);

  @Test
  void smallRecords_areUnchanged_andLargeOnesAreScaledToTheBound() {
    Clipping clipping = clipping(VectorGroup.flat("flat", NAMES, 2), 0);
    double[] weights = new double[6];
    clipping.weights(new double[] {1, 1, 1, 16, 0, 0}, weights);
    assertThat(weights[0]).isEqualTo(1);
    assertThat(weights[3]).isBetween(0.5 * (1 - 1e-14), 0.5);
  }

  @Test
  void automatic_isTheFormulaOfThePaper() {
    Clipping clipping = clipping(VectorGroup.automatic("g", NAMES, 2, 0.5), 0);
    double[] weights = new double[3];
    clipping.weights(new double[] {4, 4, 1}, weights);
    assertThat(weights[0]).isBetween(2 / 3.5 * (1 - 1e-14), 2 / 3.5);
  }

  /** The largest weight is 1, or S / gamma for automatic clipping. */
  @Test
  void reach_isTheShareOfTheBoundAtTheLargestWeight() {
    double[] squares = {0, 0.04, 0};
    assertThat(clipping(VectorGroup.flat("flat", NAMES, 2), 0).reach(squares))
        .isCloseTo(0.1, within(1e-12));
    assertThat(clipping(VectorGroup.automatic("automatic", NAMES, 0.3, 0.01), 0).reach(squares))
        .isCloseTo(20, within(1e-12));
    List<Double> scales = List.of(1.0, 100.0, 1e-7);
    assertThat(clipping(VectorGroup.joint("joint", NAMES, scales, 1.3), 0).reach(squares))
        .isCloseTo(0.2 / 130, within(1e-12));
    assertThat(clipping(VectorGroup.flat("flat", NAMES, 2), 0).reach(new double[] {0, 0, NaN}))
        .isNaN();
  }

  /**
   * The norm of a clipped record plus the rounding of its larger gradient stays within the bound.
   */
  @Test
  void lowered_leavesRoomForTheRoundingOfLargerGradients() {
    double[] weights = new double[3];
    double slack = 0.125;
    Clipping clipping = clipping(VectorGroup.flat("flat", NAMES, 1), slack);
    for (double reach : new double[] {0, 1e-3, 1, 3, 4.5, 9, 1e6}) {
      clipping.lowered(reach).weights(new double[] {4, 0, 0}, weights);
      double record = 2 * weights[0];
      clipping.lowered(reach).weights(new double[] {0, 0, 0}, weights); // the largest weight
      double decay = weights[0] * reach / (1 + slack);
      assertThat(record + slack * (record + decay)).isBetween(0.5, 1 + 1e-15);
    }
  }

  @Test
  void recordsThatAreNotFinite_haveNoWeight() {
    for (VectorGroup group : groups().toList()) {
      Clipping clipping = clipping(group, 0);
      for (double bad : new double[] {Double.NaN, Double.POSITIVE_INFINITY}) {
        double[] weights = {9, 9, 9};
        clipping.weights(new double[] {1, bad, 1}, weights);
        assertThat(weights).containsOnly(0);
      }
    }
  }

  @Test
  void slack_clipsTighter() {
    double[] weights = new double[3];
    clipping(VectorGroup.flat("g", NAMES, 1), 0.01).weights(new double[] {100, 0, 0}, weights);
    assertThat(weights[0]).isBetween(0.1 / 1.01 * (1 - 1e-14), 0.1 / 1.01);
  }

  private static Clipping clipping(VectorGroup group, double slack) {
    return Mechanism.of(LAYOUT, List.of(group), NoiseAllocation.EQUAL, 1).clipping(1000, 0, slack);
  }
}
