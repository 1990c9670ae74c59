package org.sordino.accounting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;

import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Compares the contour with closed forms: plain Gaussians and single steps. */
class ContourTest {

  private static void assertEncloses(
      Contour contour, DeltaCurve exact, double epsilon, double relativeWidth) {
    Bracket bracket = contour.delta(epsilon);
    Bracket truth = exact.delta(epsilon);
    assertThat(bracket.lower()).as("at %s", epsilon).isLessThanOrEqualTo(truth.upper());
    assertThat(bracket.upper()).as("at %s", epsilon).isGreaterThanOrEqualTo(truth.lower());
    assertThat(bracket.width())
        .as("at %s", epsilon)
        .isBetween(1e-15 * truth.upper(), relativeWidth * truth.upper());
  }

  @ParameterizedTest
  @EnumSource(Direction.class)
  void delta_plainGaussians_enclosesTheClosedForm(Direction direction) {
    List<Step> steps = List.of(new Step(1, 5, 3), new Step(1, 2, 10));
    DeltaCurve exact = GaussianCurve.gaussian(steps, direction);
    for (double delta : new double[] {1e-2, 1e-5, 1e-12, 1e-40}) {
      double epsilon = GaussianCurve.epsilon(exact, delta);
      Contour contour = Objects.requireNonNull(Contour.forDelta(steps, direction, delta));
      assertThat(contour.estimate()).isCloseTo(epsilon, withinPercentage(1));
      assertEncloses(contour, exact, epsilon, 1e-11);
      for (double factor : new double[] {0.95, 1.05}) {
        assertEncloses(contour, exact, factor * epsilon, 1e-9);
      }
      Contour there = Objects.requireNonNull(Contour.forEpsilon(steps, direction, epsilon));
      assertEncloses(there, exact, epsilon, 1e-11);
      assertThat(there.estimate()).isEqualTo(epsilon);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "REMOVE,0.5,5,0.1",
    "ADD,0.5,5,0.1",
    "REPLACE,0.5,5,0.2",
    "REMOVE,0.9,3,0.4",
    "ADD,0.9,3,0.3"
  })
  void delta_singleStep_enclosesTheClosedForm(
      Direction direction, double q, double sigma, double epsilon) {
    Step step = new Step(q, sigma, 1);
    DeltaCurve exact = GaussianCurve.singleStep(step, direction);
    Contour contour = Objects.requireNonNull(Contour.forEpsilon(List.of(step), direction, epsilon));
    assertEncloses(contour, exact, epsilon, 1e-10);
    assertEncloses(contour, exact, 0.97 * epsilon, 1e-8);
    double delta = exact.delta(epsilon).upper();
    Contour back = Objects.requireNonNull(Contour.forDelta(List.of(step), direction, delta));
    assertThat(back.estimate()).isCloseTo(epsilon, withinPercentage(3));
    assertEncloses(back, exact, epsilon, 1e-9);
  }

  /** Far from the epsilon of its line the bracket is wide but still valid. */
  @ParameterizedTest
  @EnumSource(Direction.class)
  void delta_farFromTheLine_staysABracket(Direction direction) {
    Step step = new Step(0.5, 5, 1);
    DeltaCurve exact = GaussianCurve.singleStep(step, direction);
    Contour contour = Objects.requireNonNull(Contour.forEpsilon(List.of(step), direction, 0.2));
    for (double epsilon : new double[] {0, 1e-3, 0.01, 0.5, 0.9, 2, 50, 1e4}) {
      Bracket bracket = contour.delta(epsilon);
      Bracket truth = exact.delta(epsilon);
      assertThat(bracket.lower()).as("at %s", epsilon).isLessThanOrEqualTo(truth.upper());
      assertThat(bracket.upper()).as("at %s", epsilon).isGreaterThanOrEqualTo(truth.lower());
      assertThat(bracket.method()).isEqualTo(Bracket.Method.CONTOUR);
    }
  }

  /**
   * A sampled and a plain step, in either order, give the same result, and more than the plain one
   * alone.
   */
  @Test
  void delta_sampledAndPlain_addUp() {
    Step sampled = new Step(0.1, 2, 50);
    Step plain = new Step(1, 4, 3);
    Contour one =
        Objects.requireNonNull(Contour.forDelta(List.of(sampled, plain), Direction.REMOVE, 1e-5));
    Contour other =
        Objects.requireNonNull(Contour.forDelta(List.of(plain, sampled), Direction.REMOVE, 1e-5));
    double epsilon = one.estimate();
    assertThat(one.delta(epsilon).upper())
        .isCloseTo(other.delta(epsilon).upper(), withinPercentage(1e-9));
    assertThat(one.delta(epsilon).lower())
        .isGreaterThan(
            GaussianCurve.gaussian(List.of(plain), Direction.REMOVE).delta(epsilon).upper());
  }

  /** Few steps at a tiny rate: the characteristic function hardly decays. */
  @Test
  void forDelta_tooMuchWork_returnsNull() {
    List<Step> steps = List.of(new Step(1e-6, 1, 3));
    assertThat(Contour.forDelta(steps, Direction.REMOVE, 1e-8)).isNull();
    assertThat(Contour.forEpsilon(steps, Direction.REMOVE, 0.1)).isNull();
  }

  /** Without a quadrature for some step there is no result and no exception. */
  @ParameterizedTest
  @EnumSource(Direction.class)
  void forDelta_hardlyAnyNoise_returnsNull(Direction direction) {
    Step hard = new Step(0.1, 0.001, 10);
    for (List<Step> steps : List.of(List.of(hard), List.of(new Step(0.01, 2, 100), hard))) {
      assertThat(Contour.forDelta(steps, direction, 1e-5)).isNull();
      assertThat(Contour.forEpsilon(steps, direction, 1)).isNull();
      assertThat(Contour.forEpsilon(steps, direction, 1, 1e-5)).isNull();
    }
  }

  /** The integrand overflows far to the left of its line, where delta is close to 1. */
  @Test
  void delta_overflow_isTheTrivialBracket() {
    List<Step> steps = List.of(new Step(1, 1 / 60.0, 1));
    Contour contour = Objects.requireNonNull(Contour.forDelta(steps, Direction.REMOVE, 1e-5));
    assertThat(contour.delta(0)).isEqualTo(new Bracket(0, 1, Bracket.Method.CONTOUR));
    assertEncloses(
        contour, GaussianCurve.gaussian(steps, Direction.REMOVE), contour.estimate(), 1e-9);
  }
}
