package org.sordino.accounting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class InversionTest {

  private static final Bracket.Method METHOD = Bracket.Method.CONTOUR;

  /** Returns the curve delta = e^(-epsilon), up to a relative error. */
  private static DeltaCurve exponential(double error) {
    return e ->
        new Bracket(Math.exp(-e) * (1 - error), Math.min(1, Math.exp(-e) * (1 + error)), METHOD);
  }

  @ParameterizedTest
  @ValueSource(doubles = {10, 13.81, 13.815510557964274, 13.82, 20, 400, 1e7})
  void epsilon_anyGuess_enclosesTheRootAsNarrowlyAsTheCurve(double guess) {
    for (double error : new double[] {1e-12, 1e-6, 1e-2}) {
      Bracket bracket = Inversion.epsilon(exponential(error), 1e-6, guess);
      double truth = -Math.log(1e-6);
      assertThat(bracket.upper())
          .isCloseTo(truth + Math.log1p(error), within(1e-12 * (guess + truth)));
      assertThat(bracket.upper()).isGreaterThanOrEqualTo(truth);
      assertThat(bracket.lower()).isBetween(truth - 3 * error - 1e-10 * (guess + truth), truth);
      assertThat(bracket.method()).isEqualTo(METHOD);
    }
  }

  /**
   * If the guess is far too small, the search covers twice the guess for the lower end and 1e6
   * times for the upper end.
   */
  @Test
  void epsilon_guessFarTooSmall_isWideButValid() {
    Bracket small = Inversion.epsilon(exponential(0), 1e-6, 0.1);
    assertThat(small.lower()).isEqualTo(0.2);
    assertThat(small.upper()).isCloseTo(-Math.log(1e-6), within(1e-11));
    assertThat(Inversion.epsilon(exponential(0), 1e-6, 1e-9).upper()).isInfinite();
    assertThat(Inversion.epsilon(exponential(0), 1e-6, 1e-4).upper()).isFinite();
  }

  @Test
  void epsilon_deltaReachedAtZero_isZero() {
    DeltaCurve curve = e -> new Bracket(0.1, 0.25, METHOD);
    assertThat(Inversion.epsilon(curve, 0.25, 1)).isEqualTo(new Bracket(0, 0, METHOD));
    assertThat(Inversion.epsilon(curve, 0.2, 1).upper()).isInfinite();
  }

  @Test
  void epsilon_noGuess_isTheTrivialBracket() {
    Bracket nothing = new Bracket(0, Double.POSITIVE_INFINITY, METHOD);
    assertThat(Inversion.epsilon(exponential(0), 1e-6, Double.POSITIVE_INFINITY))
        .isEqualTo(nothing);
    assertThat(Inversion.epsilon(exponential(0), 1e-6, Double.NaN)).isEqualTo(nothing);
  }

  @Test
  void epsilon_trivialLowerEnd_isZeroBelow() {
    DeltaCurve curve = e -> new Bracket(0, Math.exp(-e), METHOD);
    Bracket bracket = Inversion.epsilon(curve, 1e-6, 10);
    assertThat(bracket.lower()).isZero();
    assertThat(bracket.upper()).isCloseTo(-Math.log(1e-6), within(1e-11));
  }

  /** A poor search only widens the bracket: every end is verified. */
  @Test
  void epsilon_jumps_endsAreVerified() {
    DeltaCurve curve = e -> new Bracket(e < 2 ? 0.5 : 0.01, e < 3 ? 0.7 : 0.02, METHOD);
    Bracket bracket = Inversion.epsilon(curve, 0.1, 1);
    assertThat(bracket.upper()).isCloseTo(3, within(1e-12)).isGreaterThanOrEqualTo(3);
    assertThat(bracket.lower()).isCloseTo(2, within(2e-3)).isLessThan(2);
  }

  /** One evaluation of a curve may take a millisecond or a second, so the search must need few. */
  @ParameterizedTest
  @ValueSource(doubles = {10, 13.8, 13.815510557964274, 20})
  void epsilon_goodGuess_takesFewEvaluations(double guess) {
    int[] count = {0};
    DeltaCurve exponential = exponential(1e-12);
    DeltaCurve counted =
        e -> {
          count[0]++;
          return exponential.delta(e);
        };
    Inversion.epsilon(counted, 1e-6, guess);
    assertThat(count[0]).isLessThanOrEqualTo(55);
  }
}
