package org.sordino.mechanism;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigDecimal;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The rule against exact arithmetic: whatever the norms, what enters the sum is within the bound.
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
  void smallRecords_areNotTouched_andLargeOnesEndAtTheBound() {
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

  /** The largest weight is 1, or S / gamma = 30 where automatic. */
  @Test
  void minor_isASixteenthOfTheBoundAtTheLargestWeight() {
    double[] squares = new double[3];
    for (double size : new double[] {0.99, 1.01}) {
      squares[1] = Math.pow(size / 16, 2);
      assertThat(clipping(VectorGroup.flat("flat", NAMES, 1), 0).isMinor(squares))
          .isEqualTo(size < 1);
      squares[1] = Math.pow(size * 0.3 / 30 / 16, 2);
      assertThat(clipping(VectorGroup.automatic("automatic", NAMES, 0.3, 0.01), 0).isMinor(squares))
          .isEqualTo(size < 1);
      squares[1] = Math.pow(size * 100 * 1.3 / 16, 2);
      List<Double> scales = List.of(1.0, 100.0, 1e-7);
      assertThat(clipping(VectorGroup.joint("joint", NAMES, scales, 1.3), 0).isMinor(squares))
          .isEqualTo(size < 1);
    }
    squares[2] = Double.NaN;
    assertThat(clipping(VectorGroup.flat("flat", NAMES, 1), 0).isMinor(squares)).isFalse();
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
