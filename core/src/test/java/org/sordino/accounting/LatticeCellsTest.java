package org.sordino.accounting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.assertj.core.api.Assertions.withinPercentage;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.sordino.accounting.LatticeCells.Layout;

/** Compares one step on a coarse lattice with the step itself: fast, and close to the formulas. */
class LatticeCellsTest {

  private static final double MESH = 0.03125;
  private static final double TILT = 1.5;

  /** Far more points than any lattice here, so that nothing folds over. */
  private static final int RING = 1 << 12;

  static Stream<LossShape> shapes() {
    return Stream.of(
        new LossShape(0.2, 0, 1),
        new LossShape(0, 0.2, 1),
        new LossShape(0.2, 0.2, 1),
        new LossShape(0.01, 0, 2),
        new LossShape(0, 0.9, 1.5),
        new LossShape(0.6, 0.6, 0.4),
        new LossShape(1, 0, 0.7));
  }

  private static Layout layout(LossShape shape) {
    double bulk = shape.loss(shape.a() > 0.5 ? shape.kappa() : 0);
    double first = shape.a() == 1 ? shape.kappa() - 9.5 : -9.5;
    double last = shape.kappa() + 8;
    double[] moments = moments(shape, first, last);
    return new Layout(MESH, TILT, moments[0], moments[1], bulk, first, last, false, 100);
  }

  /** Returns log E[e^(TILT L)] and the mean of L under that weight, by a plain sum. */
  private static double[] moments(LossShape shape, double first, double last) {
    double sum = 0;
    double mean = 0;
    double step = 1e-2;
    for (double z = first; z < last; z += step) {
      double l = shape.loss(z + step / 2);
      double weight = shape.mass(TILT * l, z, step);
      sum += weight;
      mean += weight * l;
    }
    return new double[] {Math.log(sum), mean / sum};
  }

  private static LatticeCells lower(LossShape shape) {
    return LatticeCells.lower(shape, layout(shape));
  }

  private static LatticeCells upper(LossShape shape) {
    return LatticeCells.upper(shape, layout(shape), lower(shape).offset());
  }

  /** A loss and its mass, without tilt. */
  private record Point(double loss, double mass) {}

  private static List<Point> points(LatticeCells cells, Layout at) {
    double[] ring = new double[RING];
    cells.addTo(ring, 1);
    List<Point> points = new ArrayList<>();
    for (int j = -RING / 2; j < RING / 2; j++) {
      double loss = cells.offset() + j * MESH;
      double tilted = ring[Math.floorMod(j, RING)];
      if (tilted != 0) {
        points.add(new Point(loss, tilted * Math.exp(at.scale() - TILT * loss)));
      }
    }
    return points;
  }

  private static double delta(LatticeCells cells, List<Point> points, double epsilon) {
    double delta = cells.infinite();
    for (Point point : points) {
      delta += Math.max(0, point.mass * -Math.expm1(epsilon - point.loss));
    }
    return delta;
  }

  /** Returns delta of the step itself. */
  private static double delta(LossShape shape, double epsilon) {
    double z = shape.point(epsilon);
    if (z == Double.NEGATIVE_INFINITY) {
      return -Math.expm1(epsilon);
    }
    return z == Double.POSITIVE_INFINITY
        ? 0
        : shape.massAbove(z) - Math.exp(epsilon) * (1 - shape.otherBelow(z));
  }

  @ParameterizedTest
  @MethodSource("shapes")
  void upper_anyEpsilon_isAboveTheStepByTheSquareOfTheMesh(LossShape shape) {
    LatticeCells cells = upper(shape);
    List<Point> points = points(cells, layout(shape));
    for (double epsilon = -3; epsilon < 4; epsilon += 0.037) {
      double exact = delta(shape, epsilon);
      assertThat(delta(cells, points, epsilon))
          .as("%s", epsilon)
          .isBetween(exact - 1e-13, exact + MESH * MESH);
    }
  }

  @ParameterizedTest
  @MethodSource("shapes")
  void lower_anyEpsilon_isBelowTheStepByTheSquareOfTheMesh(LossShape shape) {
    LatticeCells cells = lower(shape);
    List<Point> points = points(cells, layout(shape));
    for (double epsilon = -3; epsilon < 4; epsilon += 0.037) {
      double exact = delta(shape, epsilon);
      assertThat(delta(cells, points, epsilon))
          .as("%s", epsilon)
          .isBetween(exact - MESH * MESH, exact + 1e-13);
    }
  }

  /** Both preserve the total mass under p and, up to the mass at infinite loss, under r. */
  @ParameterizedTest
  @MethodSource("shapes")
  void upperAndLower_masses_addUpUnderBothDataSets(LossShape shape) {
    for (LatticeCells cells : new LatticeCells[] {upper(shape), lower(shape)}) {
      List<Point> points = points(cells, layout(shape));
      double p = cells.infinite();
      double r = 0;
      for (Point point : points) {
        p += point.mass;
        r += point.mass * Math.exp(-point.loss);
      }
      assertThat(p).isCloseTo(1, within(2e-12));
      assertThat(r).isCloseTo(1, within(2e-12));
      assertThat(cells.infinite()).isBetween(0.0, 1e-12);
    }
  }

  @ParameterizedTest
  @MethodSource("shapes")
  void logMoment_moreTilt_equalsThePlainSum(LossShape shape) {
    Layout at = layout(shape);
    for (LatticeCells cells : new LatticeCells[] {upper(shape), lower(shape)}) {
      List<Point> points = points(cells, at);
      for (double more : new double[] {0, 0.3, 2}) {
        double sum = 0;
        for (Point point : points) {
          sum += point.mass * Math.exp((TILT + more) * point.loss - at.scale());
        }
        assertThat(cells.logMoment(more)).isCloseTo(Math.log(sum), within(1e-12));
      }
      assertThat(cells.logMoment(0)).as("scaled to about 1").isCloseTo(0, within(1e-2));
    }
  }

  @ParameterizedTest
  @MethodSource("shapes")
  void characteristic_anyFrequency_equalsTheDefinition(LossShape shape) {
    int size = 1 << 9;
    for (LatticeCells cells : new LatticeCells[] {upper(shape), lower(shape)}) {
      double factor = Math.exp(-cells.logMoment(0));
      double[] ring = new double[size];
      cells.addTo(ring, factor);
      long j0 = cells.middle();
      for (int k : new int[] {0, 1, 7, 255, 256}) {
        double re = -1;
        double im = 0;
        for (int j = 0; j < size; j++) {
          double angle = 2 * Math.PI * Math.floorMod((j - j0) * k, (long) size) / size;
          re += ring[j] * Math.cos(angle);
          im += ring[j] * Math.sin(angle);
        }
        double[] actual = cells.characteristic(k, size, j0, factor);
        assertThat(actual[0]).isCloseTo(re, within(1e-12));
        assertThat(actual[1]).isCloseTo(im, within(1e-12));
        assertThat(actual[2]).isBetween(Math.abs(re) + Math.abs(im) - 1e-12, 3.0);
      }
    }
  }

  @ParameterizedTest
  @MethodSource("shapes")
  void middle_ofTheLattice_isNextToTheWeightedMean(LossShape shape) {
    LatticeCells cells = upper(shape);
    double loss = cells.offset() + cells.middle() * MESH;
    assertThat(loss).isCloseTo(layout(shape).center(), within(MESH / 2 + 1e-12));
  }

  @ParameterizedTest
  @MethodSource("shapes")
  void errors_ofALattice_areRoundingErrors(LossShape shape) {
    for (LatticeCells cells : new LatticeCells[] {upper(shape), lower(shape)}) {
      Layout at = layout(shape);
      double span = Math.max(-at.first(), at.last()) + shape.kappa();
      assertThat(cells.shift()).isBetween(1e-16, 1e-11);
      // the exponent of the outermost cell, z^2/2 and more, is rounded
      assertThat(cells.relativeError()).isBetween(8 * Bracket.U * (span * span + 8), 1e-11);
      assertThat(cells.count()).isBetween(20, 3000);
    }
  }

  /** Cells get wider away from the mass, and the bounds remain valid. */
  @ParameterizedTest
  @MethodSource("shapes")
  void upperAndLower_coarserFarOut_stillEncloseTheStep(LossShape shape) {
    Layout fine = layout(shape);
    Layout at =
        new Layout(
            MESH,
            TILT,
            fine.scale(),
            fine.center(),
            fine.bulk(),
            fine.first(),
            fine.last(),
            true,
            4);
    LatticeCells low = LatticeCells.lower(shape, at);
    LatticeCells up = LatticeCells.upper(shape, at, low.offset());
    assertThat(up.count()).isLessThanOrEqualTo(upper(shape).count());
    List<Point> lowPoints = points(low, at);
    List<Point> upPoints = points(up, at);
    for (double epsilon = -3; epsilon < 4; epsilon += 0.137) {
      double exact = delta(shape, epsilon);
      assertThat(delta(up, upPoints, epsilon)).isBetween(exact - 1e-13, exact * 1.1 + 1e-3);
      assertThat(delta(low, lowPoints, epsilon)).isBetween(exact * 0.9 - 1e-3, exact + 1e-13);
    }
  }

  /**
   * If the range ends early, the mass beyond is at infinite loss in the upper bound and in a
   * separate cell in the lower bound.
   */
  @ParameterizedTest
  @MethodSource("shapes")
  void upperAndLower_rangeCutShort_keepTheTail(LossShape shape) {
    Layout whole = layout(shape);
    Layout at =
        new Layout(
            MESH, TILT, whole.scale(), whole.center(), whole.bulk(), whole.first(), 1.2, true, 100);
    LatticeCells low = LatticeCells.lower(shape, at);
    LatticeCells up = LatticeCells.upper(shape, at, low.offset());
    assertThat(up.infinite()).isCloseTo(shape.massAbove(1.2), withinPercentage(1e-9));
    List<Point> lowPoints = points(low, at);
    List<Point> upPoints = points(up, at);
    double mass = 0;
    for (Point point : lowPoints) {
      mass += point.mass;
    }
    double expected = shape.a() == 0 ? shape.massBelow(1.2) : 1; // the mirrored pair has none
    assertThat(mass).isBetween(expected - 2 * MESH, 1 + 1e-12);
    if (shape.b() == 0) { // rounded down to the nearest point
      double end = shape.loss(1.2);
      assertThat(lowPoints.get(lowPoints.size() - 1).loss).isBetween(end - 3 * MESH, end);
    }
    for (double epsilon = -2; epsilon < 2; epsilon += 0.137) {
      double exact = delta(shape, epsilon);
      assertThat(delta(up, upPoints, epsilon)).isGreaterThanOrEqualTo(exact - 1e-13);
      assertThat(delta(low, lowPoints, epsilon)).isLessThanOrEqualTo(exact + 1e-13);
    }
  }

  @Test
  void upper_hardlyAnyNoise_revealsTheRecord() {
    LossShape shape = new LossShape(0.3, 0.1, LossShape.REVEALING);
    Layout at = new Layout(MESH, TILT, 0, 0, 0, -9.5, 60, false, 100);
    double loss = Math.log(0.7 / 0.9);
    for (double offset : new double[] {0.001, 0.02, -0.029}) {
      LatticeCells cells = LatticeCells.upper(shape, at, offset);
      assertThat(cells.infinite()).isEqualTo(0.3);
      assertThat(cells.count()).isEqualTo(1);
      List<Point> points = points(cells, at);
      assertThat(points.get(0).mass).isCloseTo(0.7, within(1e-14));
      assertThat(points.get(0).loss).isBetween(loss, loss + MESH);
    }
    LossShape all = new LossShape(1, 0, LossShape.REVEALING);
    assertThat(LatticeCells.upper(all, at, 0).count()).isZero();
    assertThat(LatticeCells.upper(all, at, 0).infinite()).isEqualTo(1);
  }

  /** More cells than the initial size of the arrays. */
  @Test
  void upper_manyCells_keepsThemAll() {
    LossShape shape = new LossShape(1, 0, 0.7);
    Layout at = layout(shape);
    Layout fine =
        new Layout(
            1e-3, TILT, at.scale(), at.center(), at.bulk(), at.first(), at.last(), false, 1e9);
    LatticeCells cells = LatticeCells.upper(shape, fine, 0);
    assertThat(cells.count()).isGreaterThan(1 << 13);
    assertThat(cells.logMoment(0)).isCloseTo(0, within(1e-5));
  }

  /** Cells grow with the distance from the bulk or the center, whichever is nearer. */
  @Test
  void upper_fineness_setsHowManyCells() {
    LossShape shape = new LossShape(1, 0, 2);
    Layout at = layout(shape);
    double[] counts = new double[3];
    for (int i = 0; i < 3; i++) {
      double fineness = new double[] {2, 8, 32}[i];
      Layout grown =
          new Layout(1e-3, TILT, at.scale(), 6, 2, at.first(), at.last(), false, fineness);
      counts[i] = LatticeCells.upper(shape, grown, 0).count() / 2.0;
    }
    // the sum, over 3 branches, of fineness times the log of the distance over the distance where a
    // cell is one mesh
    assertThat(counts[0]).isBetween(50.0, 150.0);
    assertThat(counts[1] / counts[0]).isBetween(2.5, 4.0);
    assertThat(counts[2] / counts[1]).isBetween(2.5, 4.0);
  }

  /** Mass to the left of the range moves up to its first cell. */
  @Test
  void upper_rangeBeginsLate_keepsTheMassBefore() {
    LossShape shape = new LossShape(0.2, 0, 1);
    Layout at = layout(shape);
    Layout late =
        new Layout(MESH, TILT, at.scale(), at.center(), at.bulk(), -1, at.last(), false, 100);
    LatticeCells cells = LatticeCells.upper(shape, late, 0.003);
    double mass = cells.infinite();
    for (Point point : points(cells, late)) {
      mass += point.mass;
      assertThat(point.loss).isGreaterThan(shape.loss(-1) - MESH);
    }
    assertThat(mass).isCloseTo(1, within(1e-11)).isGreaterThanOrEqualTo(1);
    assertThat(shape.massBelow(-1)).isGreaterThan(0.1);
  }
}
