package org.sordino.accounting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.assertj.core.api.Assertions.withinPercentage;

import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class LossShapeTest {

  static Stream<LossShape> shapes() {
    return Stream.of(
        new LossShape(0.01, 0, 1),
        new LossShape(0, 0.01, 1),
        new LossShape(0.01, 0.01, 1),
        new LossShape(1e-6, 0, 0.01),
        new LossShape(1e-6, 1e-6, 2),
        new LossShape(0.9, 0, 3),
        new LossShape(0, 0.9, 3),
        new LossShape(0.5, 0.5, 20),
        new LossShape(1, 0, 2));
  }

  @ParameterizedTest
  @MethodSource("shapes")
  void point_ofTheLoss_isWhereItWas(LossShape shape) {
    for (double z = -4; z < 4.5; z += 0.25) {
      double l = shape.loss(z);
      double back = shape.loss(shape.point(l));
      assertThat(back).isCloseTo(l, within(2 * shape.pointError(l, z)));
    }
  }

  @ParameterizedTest
  @MethodSource("shapes")
  void aboveAndBelow_wideCell_equalTheClosedForms(LossShape shape) {
    double z = -1;
    double end = 1.5;
    double p = shape.massBelow(end) - shape.massBelow(z);
    double r = shape.otherBelow(end) - shape.otherBelow(z);
    double low = shape.loss(z);
    double high = shape.loss(end);

    assertThat(shape.mass(0, z, end - z)).isCloseTo(p, withinPercentage(1e-11));
    assertThat(shape.otherMass(0, z, end - z)).isCloseTo(r, withinPercentage(1e-11));
    double tolerance = 1e-14 * (p + Math.exp(high) * r); // the closed forms cancel
    assertThat(shape.above(0, low, z, end - z)).isCloseTo(p - Math.exp(low) * r, within(tolerance));
    assertThat(shape.below(0, high, end, end - z))
        .isCloseTo(Math.exp(high) * r - p, within(tolerance));
  }

  @ParameterizedTest
  @MethodSource("shapes")
  void above_narrowCell_isHalfTheWidthTimesTheGainAtItsEnd(LossShape shape) {
    double w = 1e-9;
    double l = shape.loss(0.5);

    double expected = shape.gain(0, l, 0.5, w) * w / 2;

    assertThat(shape.above(0, l, 0.5, w)).isCloseTo(expected, withinPercentage(1e-5));
  }
}
