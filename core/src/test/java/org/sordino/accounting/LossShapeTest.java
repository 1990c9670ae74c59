package org.sordino.accounting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.assertj.core.api.Assertions.withinPercentage;

import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
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
  void point_ofTheLoss_invertsTheLoss(LossShape shape) {
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

  @ParameterizedTest
  @MethodSource("shapes")
  void slope_anywhere_isTheDerivativeOfTheLoss(LossShape shape) {
    for (double z = -3; z < 3.5; z += 0.5) {
      double h = 1e-5;
      double rise = (shape.loss(z + h) - shape.loss(z - h)) / (2 * h);
      assertThat(shape.kappa() * shape.slope(z)).isCloseTo(rise, within(1e-7 * shape.kappa()));
    }
  }

  /** The difference p - e^l r at the end is the derivative of the area. */
  @ParameterizedTest
  @MethodSource("shapes")
  void gain_wideCell_isTheDerivativeOfAbove(LossShape shape) {
    double l = shape.loss(-0.4);
    for (double w : new double[] {0.3, 1.7}) {
      double h = 1e-5;
      double rise = (shape.above(0.2, l, -0.4, w + h) - shape.above(0.2, l, -0.4, w - h)) / (2 * h);
      assertThat(shape.gain(0.2, l, -0.4, w)).isCloseTo(rise, withinPercentage(1e-3));
    }
  }

  @Test
  void loss_hugeExponents_doesNotOverflow() {
    LossShape remove = new LossShape(0.3, 0, 50);
    assertThat(remove.loss(40)).isCloseTo(750 + Math.log(0.3), within(1e-10));
    assertThat(remove.loss(35.2)).isCloseTo(510 + Math.log(0.3), within(1e-10));
    assertThat(remove.loss(-40)).isCloseTo(Math.log(0.7), within(1e-15));
    assertThat(remove.mirrored().loss(-40)).isCloseTo(-750 - Math.log(0.3), within(1e-10));
    assertThat(new LossShape(1, 0, 50).loss(-30)).isEqualTo(-2750);
    assertThat(new LossShape(0.9999, 0, 3).loss(-1))
        .isCloseTo(Math.log(1e-4 + 0.9999 * Math.exp(-7.5)), within(1e-12));
  }

  @Test
  void point_hugeLosses_invertsTheLoss() {
    LossShape remove = new LossShape(0.3, 0, 50);
    assertThat(remove.loss(remove.point(720))).isCloseTo(720, within(1e-10));
    assertThat(remove.loss(remove.point(690))).isCloseTo(690, within(1e-10));
    LossShape replace = new LossShape(1e-3, 1e-3, 20);
    for (double l : new double[] {0.1, 30, 90, 400}) {
      assertThat(replace.loss(replace.point(l))).isCloseTo(l, within(1e-11 * l));
      assertThat(replace.point(-l)).isEqualTo(-replace.point(l));
    }
    assertThat(remove.point(Math.log(0.7) - 1e-9)).isEqualTo(Double.NEGATIVE_INFINITY);
    assertThat(remove.mirrored().point(-Math.log(0.7) + 1e-9)).isEqualTo(Double.POSITIVE_INFINITY);
    assertThat(new LossShape(1, 0, 2).point(3)).isCloseTo(2.5, within(1e-15));
  }

  @Test
  void logWeight_ofTheShiftedNormal_isMinusItsLogarithm() {
    assertThat(new LossShape(0.01, 0, 1).logWeight()).isEqualTo(-Math.log(0.01));
    assertThat(new LossShape(0, 0.02, 1).logWeight()).isEqualTo(-Math.log(0.02));
    assertThat(new LossShape(0.03, 0.03, 1).logWeight()).isEqualTo(-Math.log(0.03));
    assertThat(new LossShape(1, 0, 1).logWeight()).isZero();
  }

  /** Each part of the derivation of pointError, at arguments where that part dominates. */
  @Test
  void pointError_eachPart_isIncluded() {
    double u = Bracket.U;
    LossShape plain = new LossShape(1, 0, 2);
    assertThat(plain.pointError(5, 3.5))
        .isCloseTo(8 * u * (5 + 2 * (3.5 + 2)), withinPercentage(1e-9));
    LossShape remove = new LossShape(0.01, 0, 2); // l is ill-conditioned near its lower edge
    double edge = Math.log(0.99) * 0.999;
    assertThat(remove.pointError(edge, -9))
        .isCloseTo(8 * u * (-edge + Math.expm1(-edge)), withinPercentage(1e-3));
    LossShape add = new LossShape(0, 0.01, 2);
    assertThat(add.pointError(-edge, 9))
        .isCloseTo(remove.pointError(edge, -9), withinPercentage(1e-3));
    LossShape replace = new LossShape(0.5, 0.5, 1);
    assertThat(replace.pointError(1, 2)).isBetween(8 * u * 2, 8 * u * 7);
  }

  /**
   * Panels are chosen so that 4 or 8 nodes are exact to rounding; an inaccurate cell would show
   * here.
   */
  @ParameterizedTest
  @MethodSource("shapes")
  void mass_cellsOfAnyWidth_addUp(LossShape shape) {
    for (double w : new double[] {1e-3, 0.003, 0.02, 0.3, 4}) {
      double whole = shape.mass(0, 1, w);
      double parts = 0;
      double other = 0;
      for (int i = 0; i < 64; i++) {
        parts += shape.mass(0, 1 + i * w / 64, w / 64);
        other += shape.otherMass(0, 1 + i * w / 64, w / 64);
      }
      assertThat(whole).isCloseTo(parts, withinPercentage(2e-13));
      assertThat(shape.otherMass(0, 1, w)).isCloseTo(other, withinPercentage(2e-13));
    }
  }
}
