package org.sordino.accounting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.assertj.core.api.Assertions.withinPercentage;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.sordino.Neighboring;
import org.sordino.accounting.LatticePlan.Quality;

/** A plan does not affect validity, but a poor plan makes brackets wide or slow. */
class LatticePlanTest {

  private static final TightAccountant TIGHT = TightAccountant.of(Neighboring.ADD_OR_REMOVE_ONE);

  @ParameterizedTest
  @CsvSource({
    "1,0,1,1,1e-5",
    "1,0,0.1,50,1e-8",
    "0.01,0,0.25,10000,1e-5",
    "0.04,0,0.6666666667,2500,1e-8"
  })
  void epsilonAndDelta_bySaddlePoint_areAboutRight(
      double a, double b, double kappa, double count, double delta) {
    List<LossShape> shapes = List.of(new LossShape(a, b, kappa));
    List<Double> counts = List.of(count);
    double exact = TIGHT.epsilon(List.of(new Step(a, 1 / kappa, (long) count)), delta);
    assertThat(LatticePlan.epsilon(shapes, counts, delta)).isCloseTo(exact, withinPercentage(3));
    assertThat(Math.log(LatticePlan.delta(shapes, counts, exact)))
        .isCloseTo(Math.log(delta), within(0.3));
  }

  @Test
  void epsilon_harmless_isZero() {
    assertThat(LatticePlan.epsilon(List.of(new LossShape(1e-6, 0, 1)), List.of(1.0), 1e-2))
        .isZero();
    assertThat(LatticePlan.delta(List.of(new LossShape(1, 0, 5)), List.of(10.0), 0.1))
        .isBetween(0.3, 0.5);
  }

  /** The tilt balances delta on the left against the moments on the right. */
  @ParameterizedTest
  @CsvSource({"COARSE", "FINE", "FINEST"})
  void of_gaussian_hasTheWindowAndMeshItNeeds(Quality quality) {
    double mu = 1;
    double epsilon = 4.8;
    LossShape shape = new LossShape(1, 0, mu);
    LatticePlan plan = LatticePlan.of(List.of(shape), List.of(1.0), epsilon, 1e-5, quality);
    LatticeCells.Layout at = plan.layout(0);
    double logSmall = Math.log(1e-5) + Math.log(1e-7);
    double window = plan.size() * plan.mesh();
    assertThat(Integer.bitCount(plan.size())).isEqualTo(1);
    assertThat(plan.epsilon()).isEqualTo(epsilon);
    // e^(-c W) folds in from the left; 1.05 is the margin
    assertThat(plan.tilt() * window).isBetween(-1.0499 * logSmall, -1.3 * logSmall);
    // from the right: log M(c2) - c2 least - (c2 - c) W for the best c2 is equally small
    double[] tilted = moments(shape, plan.tilt(), at.first(), at.last());
    double deviation = Math.sqrt(tilted[2]);
    double reach = quality == Quality.COARSE ? 0.25 * epsilon : 0.8 * epsilon;
    double deviations = quality == Quality.COARSE ? 6 : 2;
    double least = Math.max(reach, epsilon - deviations * deviation);
    double best = Double.POSITIVE_INFINITY;
    for (double f = 1.0 / 16; f < 100; f *= 1.5) {
      double c2 = plan.tilt() * (1 + f);
      best =
          Math.min(
              best,
              (moments(shape, c2, at.first(), at.last())[0] - c2 * least - logSmall)
                  / (f * plan.tilt()));
    }
    assertThat(window).isBetween(0.95 * best, 1.2 * best);
    double fineness = quality == Quality.COARSE ? 100 : 1600;
    double wanted = Math.min(epsilon / 4, deviation) / fineness;
    assertThat(plan.mesh()).isBetween(wanted / 2.1, wanted * 1.05);
    assertThat(plan.expectedWidth())
        .isCloseTo(plan.mesh() * plan.mesh() * plan.tilt() / 8 / epsilon, withinPercentage(1e-9));
    assertThat(plan.directTerms()).isZero();
  }

  @Test
  void of_manySteps_usesDirectSumsAndFewerCells() {
    LossShape shape = new LossShape(0.01, 0, 0.25);
    LatticePlan few = plan(shape, 29_999);
    LatticePlan many = plan(shape, 30_000);
    assertThat(many.layout(0).fineness()).isEqualTo(200);
    assertThat(few.layout(0).fineness()).isEqualTo(1600);
    LatticePlan most = plan(shape, 10_000_000);
    assertThat(most.directTerms()).isEqualTo(2_500_000);
    assertThat(plan(shape, 10).directTerms()).isZero();
  }

  private static LatticePlan plan(LossShape shape, double count) {
    double epsilon = LatticePlan.epsilon(List.of(shape), List.of(count), 1e-5);
    return LatticePlan.of(List.of(shape), List.of(count), epsilon, 1e-5, Quality.FINE);
  }

  @Test
  void of_severalParts_shareTheLattice() {
    List<LossShape> shapes = List.of(new LossShape(0.01, 0, 1), new LossShape(1, 0, 0.1));
    List<Double> counts = List.of(100.0, 3.0);
    double epsilon = LatticePlan.epsilon(shapes, counts, 1e-5);
    LatticePlan plan = LatticePlan.of(shapes, counts, epsilon, 1e-5, Quality.FINE);
    assertThat(plan.size()).isLessThanOrEqualTo(1 << 19);
    assertThat(plan.parts()).hasSize(2);
    assertThat(plan.parts().get(0).first()).isEqualTo(-9.5);
    assertThat(plan.parts().get(1).first()).isEqualTo(0.1 - 9.5);
    for (int i = 0; i < 2; i++) {
      LatticeCells.Layout at = plan.layout(i);
      LossShape shape = shapes.get(i);
      assertThat(at.mesh()).isEqualTo(plan.mesh());
      assertThat(at.tilt()).isEqualTo(plan.tilt());
      double[] moments = moments(shape, plan.tilt(), at.first(), at.last());
      assertThat(at.scale()).isCloseTo(moments[0], within(1e-3));
      assertThat(at.center()).isCloseTo(moments[1], within(1e-2 * Math.abs(moments[1]) + 1e-3));
      assertThat(at.bulk()).isEqualTo(shape.loss(i == 0 ? 0 : 0.1));
      assertThat(at.keepsTail()).isFalse();
      assertThat(shape.massAbove(at.last())).isCloseTo(1e-12 / 103, withinPercentage(1));
    }
  }

  /** A loss beyond epsilon plus everything that could compensate for it counts as infinite. */
  @Test
  void of_rareHugeLosses_endsTheRangeBeforeThem() {
    LossShape shape = new LossShape(0.01, 0, 3);
    LatticePlan plan = LatticePlan.of(List.of(shape), List.of(5.0), 0.5, 1e-2, Quality.FINE);
    LatticeCells.Layout at = plan.layout(0);
    double cap = 0.5 - Math.log(1e-7) - 5 * Math.log1p(-0.01);
    if (at.keepsTail()) {
      assertThat(at.last()).isCloseTo(shape.point(cap), within(1e-9));
    } else {
      assertThat(at.last()).isLessThanOrEqualTo(shape.point(cap));
    }
    LossShape huge = new LossShape(0.01, 0, 20);
    LatticePlan capped = LatticePlan.of(List.of(huge), List.of(5.0), 0.5, 1e-2, Quality.FINE);
    assertThat(capped.layout(0).keepsTail()).isTrue();
    assertThat(capped.layout(0).last()).isCloseTo(huge.point(cap), within(1e-9));
  }

  private static double[] moments(LossShape shape, double tilt, double first, double last) {
    double sum = 0;
    double mean = 0;
    double square = 0;
    double step = 1e-2;
    for (double z = first; z < last; z += step) {
      double l = shape.loss(z + step / 2);
      double weight = shape.mass(tilt * l, z, step);
      sum += weight;
      mean += weight * l;
      square += weight * l * l;
    }
    mean /= sum;
    return new double[] {Math.log(sum), mean, square / sum - mean * mean};
  }
}
