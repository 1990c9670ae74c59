package org.sordino.accounting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.assertj.core.api.Assertions.withinPercentage;

import java.util.ArrayList;
import java.util.List;
import java.util.function.DoubleUnaryOperator;
import java.util.function.ToDoubleFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MonotoneTest {

  @ParameterizedTest
  @ValueSource(doubles = {1e-290, 1e-12, 0.3, 1, 7, 1e6, 1e290})
  void leastRoot_fallingFunction_isFoundFromAnyGuess(double root) {
    for (double guess : new double[] {1e-300, 1, 1e300}) {
      double found = Monotone.leastRoot(x -> Math.log(root) - Math.log(x), guess);
      assertThat(found).isCloseTo(root, withinPercentage(1e-10));
    }
  }

  @Test
  void leastRoot_answer_satisfiesTheCondition() {
    for (double shift = 0.1; shift < 50; shift *= 1.3) {
      double target = shift;
      double found = Monotone.leastRoot(x -> Math.exp(-x) - Math.exp(-target), 1);
      assertThat(Math.exp(-found) - Math.exp(-target)).isLessThanOrEqualTo(0);
    }
  }

  @Test
  void leastRoot_jump_isFound() {
    double found = Monotone.leastRoot(x -> x < 0.7 ? Double.POSITIVE_INFINITY : -1, 0, 1);
    assertThat(found).isCloseTo(0.7, within(1e-14)).isGreaterThanOrEqualTo(0.7);
  }

  @Test
  void leastRoot_noneOrImmediate_isInfiniteOrZero() {
    assertThat(Monotone.leastRoot(x -> 1, 1)).isInfinite();
    assertThat(Monotone.leastRoot(x -> -1, 1)).isZero();
  }

  @Test
  void minimum_ofScanAndOfValley_agree() {
    Minimum scan = Minimum.of(x -> (x - 3.3) * (x - 3.3) + 2, -10, 10, 11);
    Minimum valley = Minimum.ofValley(x -> (x - 3.3) * (x - 3.3) + 2, -10, 10, 1);
    assertThat(scan.at()).isCloseTo(3.3, within(1e-5));
    assertThat(scan.value()).isCloseTo(2, within(1e-10));
    assertThat(valley.at()).isCloseTo(3.3, within(1e-5));
    assertThat(valley.value()).isCloseTo(2, within(1e-10));
  }

  @Test
  void minimum_infiniteStart_isSkipped() {
    Minimum valley =
        Minimum.ofValley(x -> x < 4 ? Double.POSITIVE_INFINITY : Math.abs(x - 6), 0, 20, 1);
    assertThat(valley.value()).isCloseTo(0, within(1e-5));
  }

  /** Returns the number of evaluations of f, the cost of a search. */
  private static int evaluations(
      DoubleUnaryOperator f, ToDoubleFunction<DoubleUnaryOperator> search) {
    int[] count = {0};
    double found =
        search.applyAsDouble(
            x -> {
              count[0]++;
              return f.applyAsDouble(x);
            });
    assertThat(found).isNotNaN();
    return count[0];
  }

  @Test
  void leastRoot_smoothFunctions_takeFewEvaluations() {
    assertThat(evaluations(x -> 3 - x, f -> Monotone.leastRoot(f, 0, 10, 1e-12)))
        .isLessThanOrEqualTo(3);
    assertThat(evaluations(x -> Math.exp(-x) - 0.05, f -> Monotone.leastRoot(f, 0, 10, 1e-12)))
        .isLessThanOrEqualTo(23);
    assertThat(evaluations(x -> 2 - Math.exp(x), f -> Monotone.leastRoot(f, 0, 10, 1e-12)))
        .isLessThanOrEqualTo(24);
    assertThat(evaluations(x -> 1 - x * x * x, f -> Monotone.leastRoot(f, 0, 10, 1e-12)))
        .isLessThanOrEqualTo(24);
  }

  /** Without a slope the search bisects, and steps inward once one end has converged. */
  @Test
  void leastRoot_jumps_takeAsManyEvaluationsAsBisectionsAllow() {
    double inf = Double.POSITIVE_INFINITY;
    assertThat(evaluations(x -> x < 0.7 ? inf : -1, f -> Monotone.leastRoot(f, 0, 1, 1e-12)))
        .isLessThanOrEqualTo(42);
    assertThat(evaluations(x -> x < 0.7 ? 1 : -1e9, f -> Monotone.leastRoot(f, 0, 1, 1e-12)))
        .isLessThanOrEqualTo(117);
    assertThat(evaluations(x -> x < 0.7 ? 1e9 : -1, f -> Monotone.leastRoot(f, 0, 1, 1e-12)))
        .isLessThanOrEqualTo(117);
  }

  @Test
  void leastRoot_atTheEndsOfItsRange_isExact() {
    assertThat(Monotone.leastRoot(x -> -x, 1)).as("0 at 0").isZero();
    assertThat(Monotone.leastRoot(x -> x > 0 ? -1 : 1, 1)).isBetween(0x1p-1001, 0x1p-997);
    assertThat(Monotone.leastRoot(x -> 2 - x)).isCloseTo(2, within(1e-14));
    assertThat(Monotone.leastRoot(x -> 4 - x, 4)).as("the guess").isEqualTo(4);
    assertThat(Monotone.leastRoot(x -> 16 - x, 4)).isEqualTo(16);
    assertThat(Monotone.leastRoot(x -> 1 - x, 4)).isEqualTo(1);
  }

  @Test
  void minimum_scan_evaluatesEvenlySpacedPointsAndBothEnds() {
    List<Double> asked = new ArrayList<>();
    DoubleUnaryOperator f =
        x -> {
          asked.add(x);
          return Math.abs(x - 7.2);
        };
    Minimum found = Minimum.of(f, 0, 10, 11);
    assertThat(asked.subList(0, 11)).containsExactly(0., 1., 2., 3., 4., 5., 6., 7., 8., 9., 10.);
    assertThat(asked).hasSizeLessThanOrEqualTo(44);
    assertThat(asked).allMatch(x -> x >= 0 && x <= 10);
    assertThat(found.at()).isCloseTo(7.2, within(2e-6));
    assertThat(asked.subList(11, asked.size())).allMatch(x -> x > 6 && x < 8);
  }

  @Test
  void minimum_valley_endsAfterTwoRises() {
    List<Double> asked = new ArrayList<>();
    DoubleUnaryOperator f =
        x -> {
          asked.add(x);
          return x == 3 ? 2.5 : Math.abs(x - 5); // a single bump does not end the scan
        };
    Minimum.ofValley(f, 0, 100, 1, 1e-3);
    assertThat(asked.subList(0, 8)).containsExactly(0., 1., 2., 3., 4., 5., 6., 7.);
    assertThat(asked.subList(8, asked.size())).allMatch(x -> x > 4 && x < 6);
    assertThat(asked).hasSizeLessThanOrEqualTo(26);
    asked.clear();
    Minimum.ofValley(f, 0, 6, 1, 1e-3);
    assertThat(asked.subList(0, 7)).containsExactly(0., 1., 2., 3., 4., 5., 6.);
  }

  @Test
  void minimum_atAnEnd_isFound() {
    assertThat(Minimum.of(x -> x, 2, 3, 5)).isEqualTo(new Minimum(2, 2));
    assertThat(Minimum.of(x -> -x, 2, 3, 5)).isEqualTo(new Minimum(3, -3));
  }
}
