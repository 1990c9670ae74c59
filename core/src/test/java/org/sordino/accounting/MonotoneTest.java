package org.sordino.accounting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.assertj.core.api.Assertions.withinPercentage;

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
  void minimum_infiniteStart_isPassed() {
    Minimum valley =
        Minimum.ofValley(x -> x < 4 ? Double.POSITIVE_INFINITY : Math.abs(x - 6), 0, 20, 1);
    assertThat(valley.value()).isCloseTo(0, within(1e-5));
  }
}
