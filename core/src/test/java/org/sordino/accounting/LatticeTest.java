package org.sordino.accounting;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.DoubleUnaryOperator;
import java.util.function.IntConsumer;
import java.util.stream.IntStream;
import org.apache.commons.numbers.gamma.Erfc;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class LatticeTest {

  // Contour quadrature by mpmath, 40 digits; alias and truncation below 1e-22. T = 1: closed form.
  @Tag("heavy")
  @ParameterizedTest
  @CsvSource({
    "REMOVE, 0.01, 4, 10000, 1e-5, 0.94686680076438044846, 1e-6",
    "ADD, 0.01, 4, 10000, 1e-5, 0.93703642540205788354, 1e-6",
    "REMOVE, 0.0042666666666666667, 1.3, 11719, 1e-5, 1.6507827097220504307, 1e-6",
    "ADD, 0.0042666666666666667, 1.3, 11719, 1e-5, 1.5787244730199508971, 1e-6",
    "REMOVE, 0.001, 0.8, 50000, 1e-5, 1.771015324016247035, 1e-5",
    "ADD, 0.001, 0.8, 50000, 1e-5, 1.6311809548105484518, 1e-5",
    "REMOVE, 0.04, 1.5, 2500, 1e-5, 7.194511457383806585, 2e-6",
    "ADD, 0.04, 1.5, 2500, 1e-5, 6.5894912273720179615, 2e-6",
    "REMOVE, 0.01, 4, 100, 1e-5, 0.079513803041019916855, 1e-8",
    "ADD, 0.01, 4, 100, 1e-5, 0.073071614289618046212, 1e-8",
    "REMOVE, 0.01, 4, 10000, 1e-10, 1.5282184766639526221, 1e-6",
    "REMOVE, 0.04, 1.5, 2500, 1e-8, 9.4272639247931669332, 2e-6",
    "REMOVE, 0.01, 1, 1000, 1e-5, 1.8282366665165768426, 2e-6",
    "ADD, 0.0001, 1, 1000000, 1e-5, 0.45562865390944474323, 2e-5",
    "REMOVE, 0.0001, 1, 1000000, 1e-5, 0.45921000623411707144, 2e-5",
    "REMOVE, 0.5, 1, 1, 1e-5, 3.5339979854489548906, 2e-6",
    "REMOVE, 0.01, 1, 1, 1e-6, 0.36394783961550852438, 2e-6",
    "REMOVE, 0.1, 0.5, 1, 1e-5, 6.5755398062758058273, 1e-5",
  })
  void delta_golden_bracketsEpsilon(
      Direction direction,
      double q,
      double sigma,
      long count,
      double delta,
      double expected,
      double width) {
    double[] epsilon = epsilon(List.of(new Step(q, sigma, count)), direction, delta);

    assertThat(epsilon[0]).isLessThanOrEqualTo(expected);
    assertThat(epsilon[1]).isGreaterThanOrEqualTo(expected);
    assertThat(epsilon[1] - epsilon[0]).isLessThanOrEqualTo(width);
  }

  // Certified brackets from an independent prototype.
  @Tag("heavy")
  @ParameterizedTest
  @CsvSource({
    "0.001, 0.3, 1000, 18.1432, 18.1447",
    "0.01, 0.3, 100, 26.83470, 26.83472",
    "0.1, 0.5, 10, 12.26123930, 12.26123938"
  })
  void delta_noiseWeakerThanOneRecord_overlapsTheKnownBracket(
      double q, double sigma, long count, double least, double most) {
    double[] epsilon = epsilon(List.of(new Step(q, sigma, count)), Direction.REMOVE, 1e-5);

    assertThat(epsilon[0]).isLessThanOrEqualTo(most);
    assertThat(epsilon[1]).isGreaterThanOrEqualTo(least);
    assertThat(epsilon[1] - epsilon[0]).isLessThan(3e-5);
  }

  // Same provenance as for epsilon above.
  @Tag("heavy")
  @ParameterizedTest
  @CsvSource({
    "REMOVE, 0.01, 4, 10000, 0.5, 0.0030275936508374247896",
    "ADD, 0.01, 4, 10000, 0.5, 0.0029340051978243143315",
    "REMOVE, 0.01, 4, 10000, 1.5, 1.9508775546186192871e-10",
    "ADD, 0.01, 4, 10000, 1.5, 1.1009214007352823852e-10",
    "REMOVE, 0.04, 1.5, 2500, 4, 0.010366784506206206565",
    "ADD, 0.001, 0.8, 50000, 1.5, 0.00003648416447759107735"
  })
  void forEpsilon_golden_bracketsDelta(
      Direction direction, double q, double sigma, long count, double epsilon, double expected) {
    List<Step> steps = List.of(new Step(q, sigma, count));

    Bracket delta = Lattice.forEpsilon(steps, direction, epsilon).delta(epsilon);

    assertThat(delta.lower()).isLessThanOrEqualTo(expected);
    assertThat(delta.upper()).isGreaterThanOrEqualTo(expected);
    assertThat(delta.width()).isLessThan(1e-4 * expected);
  }

  @ParameterizedTest
  @CsvSource({
    "0.5, 1, 0.01",
    "0.9, 0.3, 20",
    "0.1, 5, 0.05",
    "1e-3, 1, 0.01",
    "1e-6, 0.5, 1e-5",
    "1e-6, 100, 1e-8",
    "1, 2, 1.5"
  })
  void delta_oneStep_agreesWithTheClosedForm(double q, double sigma, double epsilon) {
    List<Step> steps = List.of(new Step(q, sigma, 1));

    Bracket remove = Lattice.forEpsilon(steps, Direction.REMOVE, epsilon).delta(epsilon);

    assertBrackets(remove, oneStep(q, sigma, epsilon), 1e-3);
  }

  @Tag("heavy")
  @ParameterizedTest
  @CsvSource({"0.5, 1, 1", "0.2, 0.5, 3", "0.01, 1, 0.2", "1e-3, 0.4, 2"})
  void delta_twoSteps_agreesWithDirectIntegration(double q, double sigma, double epsilon) {
    List<Step> steps = List.of(new Step(q, sigma, 2));

    Bracket remove = Lattice.forEpsilon(steps, Direction.REMOVE, epsilon).delta(epsilon);

    LossShape shape = new LossShape(q, 0, 1 / sigma);
    double expected =
        integrate(z -> shape.mass(0, z, 1e-3) * oneStep(q, sigma, epsilon - shape.loss(z + 5e-4)));
    assertBrackets(remove, expected, 1e-3);
  }

  @Test
  void delta_twoStepsAdd_agreesWithDirectIntegration() {
    double q = 0.5;
    double epsilon = 0.8;
    Bracket add =
        Lattice.forEpsilon(List.of(new Step(q, 1, 2)), Direction.ADD, epsilon).delta(epsilon);

    LossShape shape = new LossShape(0, q, 1);
    double expected =
        integrate(
            z -> {
              double e = epsilon - shape.loss(z + 5e-4);
              double one = 1 - Math.exp(e) + Math.exp(e) * oneStep(q, 1, -e); // swapped pair
              return shape.mass(0, z, 1e-3) * one;
            });
    assertBrackets(add, expected, 1e-3);
  }

  @ParameterizedTest
  @CsvSource({"0.5, 1, 1", "0.1, 0.5, 4", "1e-3, 2, 1e-3"})
  void delta_oneStepReplace_agreesWithDirectIntegration(double q, double sigma, double epsilon) {
    List<Step> steps = List.of(new Step(q, sigma, 1));

    Bracket replace = Lattice.forEpsilon(steps, Direction.REPLACE, epsilon).delta(epsilon);

    LossShape shape = new LossShape(q, q, 1 / sigma);
    double from = shape.point(epsilon);
    assertBrackets(replace, shape.above(0, epsilon, from, 12), 1e-3);
  }

  @ParameterizedTest
  @EnumSource(Direction.class)
  void delta_plainGaussians_agreesWithTheClosedForm(Direction direction) {
    List<Step> steps = List.of(new Step(1, 2, 3), new Step(1, 5, 10), new Step(1, 40, 100_000));
    double mu = Math.sqrt(3 / 4.0 + 10 / 25.0 + 100_000 / 1600.0);
    mu *= direction == Direction.REPLACE ? 2 : 1;
    double epsilon = mu * mu / 2 + 4 * mu;

    Bracket delta = Lattice.forEpsilon(steps, direction, epsilon).delta(epsilon);

    assertBrackets(delta, gaussian(mu, epsilon), 1e-3);
  }

  /** Narrow near the requested delta, and a valid bracket everywhere. */
  @ParameterizedTest
  @CsvSource({"1,1,1e-5", "1,4,1e-2", "0.5,1,1e-4", "0.3,3,1e-6"})
  void forDelta_oneStep_enclosesTheClosedForm(double q, double sigma, double delta) {
    Step step = new Step(q, sigma, 1);
    DeltaCurve exact = GaussianCurve.singleStep(step, Direction.REMOVE);
    double epsilon = GaussianCurve.epsilon(exact, delta);
    Lattice lattice = Lattice.forDelta(List.of(step), Direction.REMOVE, delta);
    for (double factor : new double[] {0, 0.1, 0.5, 0.9, 0.99, 1, 1.01, 1.1, 2, 10, 1000}) {
      Bracket bracket = lattice.delta(factor * epsilon);
      Bracket truth = exact.delta(factor * epsilon);
      assertThat(bracket.lower()).as("%s", factor).isLessThanOrEqualTo(truth.upper());
      assertThat(bracket.upper()).as("%s", factor).isGreaterThanOrEqualTo(truth.lower());
      if (factor >= 0.9 && factor <= 1.1) {
        assertThat(bracket.width()).as("%s", factor).isLessThan(1e-3 * truth.upper());
      }
    }
  }

  /** Epsilon is 0 at this delta, and the lattice proves it. */
  @ParameterizedTest
  @EnumSource(Direction.class)
  void forDelta_harmlessStep_provesThatEpsilonIsZero(Direction direction) {
    Lattice lattice = Lattice.forDelta(List.of(new Step(0.01, 5, 1)), direction, 1e-2);
    assertThat(lattice.delta(0).upper()).isLessThanOrEqualTo(1e-2);
    assertThat(lattice.delta(0).upper())
        .isGreaterThanOrEqualTo(
            GaussianCurve.singleStep(new Step(0.01, 5, 1), direction).delta(0).lower());
  }

  @Tag("heavy")
  @ParameterizedTest
  @EnumSource(Direction.class)
  void delta_stepsSplitOrShuffled_overlapsTheWhole(Direction direction) {
    double[] whole =
        epsilon(List.of(new Step(0.01, 1, 900), new Step(0.02, 2, 500)), direction, 1e-6);
    double[] split =
        epsilon(
            List.of(new Step(0.02, 2, 500), new Step(0.01, 1, 400), new Step(0.01, 1, 500)),
            direction,
            1e-6);

    assertThat(split[0]).isLessThanOrEqualTo(whole[1]);
    assertThat(whole[0]).isLessThanOrEqualTo(split[1]);
    assertThat(split[1] - split[0]).isLessThan(1e-4);
  }

  @Tag("heavy")
  @Test
  void delta_mixedScales_liesBetweenItsPartsAndTheirSum() {
    List<Step> strong = List.of(new Step(0.1, 0.5, 10));
    List<Step> both =
        List.of(new Step(0.1, 0.5, 10), new Step(1, 30, 1), new Step(1e-6, 50, 1_000_000));

    double[] alone = epsilon(strong, Direction.REMOVE, 1e-5);
    double[] mixed = epsilon(both, Direction.REMOVE, 1e-5);

    assertThat(mixed[1]).isGreaterThan(alone[0]);
    assertThat(mixed[0]).isLessThan(alone[1] + 0.2);
    assertThat(mixed[1] - mixed[0]).isLessThan(1e-3);
  }

  @Tag("heavy")
  @ParameterizedTest
  @ValueSource(doubles = {1e-15, 1e-30, 1e-100})
  void delta_tiny_isStillBracketedTightly(double delta) {
    double[] epsilon = epsilon(List.of(new Step(0.04, 1.5, 2500)), Direction.REMOVE, delta);

    assertThat(epsilon[0]).isGreaterThan(12);
    assertThat(epsilon[1] - epsilon[0]).isBetween(0.0, 1e-3 * epsilon[0]);
  }

  @Tag("heavy")
  @Test
  void delta_ofAnyEpsilon_isOrderedAndFallsWithEpsilon() {
    Lattice lattice = Lattice.forDelta(List.of(new Step(0.01, 1, 1000)), Direction.REMOVE, 1e-5);

    Bracket previous = lattice.delta(0);
    for (double epsilon = 0; epsilon < 100; epsilon = epsilon * 1.3 + 1e-3) {
      Bracket delta = lattice.delta(epsilon);
      assertThat(delta.upper()).isBetween(delta.lower(), 1.0);
      assertThat(delta.lower()).isBetween(0.0, previous.upper());
      previous = delta;
    }
    assertThat(lattice.delta(1e300).lower()).isZero();
  }

  @Tag("heavy")
  @ParameterizedTest
  @CsvSource({"1e-6, 1, 1, 1e-5", "1e-6, 100, 1000000, 1e-2", "0.001, 0.3, 5, 1e-2"})
  void delta_harmlessSteps_provesEpsilonZero(double q, double sigma, long count, double delta) {
    for (Direction direction : Direction.values()) {
      assertThat(epsilon(List.of(new Step(q, sigma, count)), direction, delta)[1]).isZero();
    }
  }

  @Tag("heavy")
  @Test
  void delta_thinnedGrid_hasNarrowBrackets() {
    assertThat(tooWide(499)).isEmpty();
  }

  @Tag("slow")
  @Test
  void delta_everyEleventhPointOfTheGrid_hasNarrowBrackets() {
    assertThat(tooWide(11)).isEmpty();
  }

  /**
   * Checks every n-th point of the grid and returns those with a bracket on epsilon that is too
   * wide.
   */
  private static List<String> tooWide(int n) {
    double[] rates = {1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 0.5, 0.9, 1};
    double[] sigmas = {0.3, 0.5, 0.8, 1, 2, 5, 10, 30, 100};
    long[] counts = {1, 2, 10, 100, 1000, 10_000, 100_000, 1_000_000};
    List<Direction> directions = List.of(Direction.REMOVE, Direction.ADD, Direction.REPLACE);
    double[] deltas = {1e-2, 1e-5, 1e-8, 1e-12};
    List<String> failures = Collections.synchronizedList(new ArrayList<>());
    IntConsumer check =
        i -> {
          Direction direction = directions.get(i % 3);
          double delta = deltas[i / 3 % 4];
          Step step = new Step(rates[i / 864], sigmas[i / 96 % 9], counts[i / 12 % 8]);
          double[] epsilon = epsilon(List.of(step), direction, delta);
          double width = epsilon[1] - epsilon[0];
          // The hardest corner: the rare losses of this many steps span a window too wide for the
          // mesh.
          boolean corner =
              direction == Direction.REPLACE && delta < 1e-10 && step.count() >= 10_000;
          double tolerance = corner ? 1e-1 : 1e-2;
          if (!(width >= 0 && width <= Math.max(1e-6, tolerance * epsilon[0]))) {
            failures.add(
                step + " " + direction + " " + delta + ": " + epsilon[0] + ", " + epsilon[1]);
          }
        };
    IntStream.range(0, 9 * 9 * 8 * 4 * 3).filter(i -> i % n == 0).parallel().forEach(check);
    return failures;
  }

  private static void assertBrackets(Bracket bracket, double expected, double relativeWidth) {
    double rounding = 1e-6 * expected; // direct integration is no more accurate
    assertThat(bracket.lower()).isLessThanOrEqualTo(expected + rounding);
    assertThat(bracket.upper()).isGreaterThanOrEqualTo(expected - rounding);
    assertThat(bracket.width()).isLessThanOrEqualTo(relativeWidth * expected);
  }

  /** Returns the lower and upper bound of epsilon, by bisection. */
  private static double[] epsilon(List<Step> steps, Direction direction, double delta) {
    Lattice lattice = Lattice.forDelta(steps, direction, delta);
    return new double[] {
      invert(e -> lattice.delta(e).lower(), delta), invert(e -> lattice.delta(e).upper(), delta)
    };
  }

  private static double invert(DoubleUnaryOperator curve, double delta) {
    if (curve.applyAsDouble(0) <= delta) {
      return 0;
    }
    double high = 1;
    while (curve.applyAsDouble(high) > delta) {
      high *= 2;
    }
    double low = 0;
    for (int i = 0; i < 80; i++) {
      double middle = (low + high) / 2;
      if (curve.applyAsDouble(middle) > delta) {
        low = middle;
      } else {
        high = middle;
      }
    }
    return high;
  }

  /** Returns delta of one REMOVE step at any real epsilon, in closed form. */
  private static double oneStep(double q, double sigma, double epsilon) {
    double y = Math.expm1(epsilon) / q;
    return y <= -1 ? -Math.expm1(epsilon) : q * gaussian(1 / sigma, Math.log1p(y));
  }

  /** Returns delta of a mu-GDP mechanism (Balle and Wang 2018, arXiv:1805.06530, theorem 8). */
  private static double gaussian(double mu, double epsilon) {
    return phi(mu / 2 - epsilon / mu) - Math.exp(epsilon) * phi(-mu / 2 - epsilon / mu);
  }

  private static double phi(double x) {
    return Erfc.value(-x / Math.sqrt(2)) / 2;
  }

  /** Returns the sum of a function over cells of width 1e-3. */
  private static double integrate(DoubleUnaryOperator cell) {
    double sum = 0;
    for (int i = -12_000; i < 16_000; i++) {
      sum += cell.applyAsDouble(i * 1e-3);
    }
    return sum;
  }
}
