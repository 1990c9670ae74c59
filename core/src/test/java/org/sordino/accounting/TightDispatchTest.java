package org.sordino.accounting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.sordino.Neighboring;
import org.sordino.PrivacyEvent;
import org.sordino.PrivacyEvent.Composition;
import org.sordino.PrivacyEvent.Gaussian;
import org.sordino.PrivacyEvent.SampledGaussian;
import org.sordino.accounting.Bracket.Method;

/** Tests the choice of the method, and the trivial cases that need no method. */
class TightDispatchTest {

  private static final TightAccountant TIGHT = TightAccountant.of(Neighboring.ADD_OR_REMOVE_ONE);
  private static final RdpAccountant RDP = RdpAccountant.of(Neighboring.ADD_OR_REMOVE_ONE);
  private static final Bracket NOTHING = new Bracket(0, 0, Method.CLOSED_FORM);

  @Test
  void tight_properties_areAsDocumented() {
    assertThat(TIGHT.name()).isEqualTo("tight");
    assertThat(TIGHT.evidence()).isEqualTo(Accountant.Evidence.BOUND);
    assertThat(TIGHT.neighboring()).isEqualTo(Neighboring.ADD_OR_REMOVE_ONE);
  }

  @ParameterizedTest
  @EnumSource(Direction.class)
  void brackets_trivialCases_haveTrivialAnswers(Direction direction) {
    PrivacyEvent none = new Gaussian(1).times(0);
    PrivacyEvent bare = new SampledGaussian(0.1, 0).times(2);
    PrivacyEvent some = new SampledGaussian(0.1, 1).times(2);
    Bracket unbounded = new Bracket(0, Double.POSITIVE_INFINITY, Method.CLOSED_FORM);
    assertThat(TIGHT.epsilonBracket(none, 1e-5, direction)).isEqualTo(NOTHING);
    assertThat(TIGHT.epsilonBracket(none, 0, direction)).isEqualTo(NOTHING);
    assertThat(TIGHT.epsilonBracket(some, 1, direction)).isEqualTo(NOTHING);
    assertThat(TIGHT.epsilonBracket(some, 0, direction)).isEqualTo(unbounded);
    assertThat(TIGHT.epsilonBracket(bare, 1e-5, direction)).isEqualTo(unbounded);
    assertThat(TIGHT.deltaBracket(none, 0, direction)).isEqualTo(NOTHING);
    assertThat(TIGHT.deltaBracket(some, Double.POSITIVE_INFINITY, direction)).isEqualTo(NOTHING);
    assertThat(TIGHT.deltaBracket(bare, 1, direction))
        .isEqualTo(new Bracket(0, 1, Method.CLOSED_FORM));
  }

  @ParameterizedTest
  @ValueSource(doubles = {-1, 1.5, Double.NaN})
  void brackets_invalidArguments_areRefused(double bad) {
    PrivacyEvent event = new Gaussian(1).times(0);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> TIGHT.epsilonBracket(event, bad, Direction.ADD));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> TIGHT.deltaBracket(event, -Math.abs(bad), Direction.ADD));
  }

  /** Plain Gaussians and single steps are exact. */
  @ParameterizedTest
  @EnumSource(Direction.class)
  void brackets_closedFormExists_equalIt(Direction direction) {
    PrivacyEvent plain = new Composition(List.of(new Gaussian(3).times(5), new Gaussian(2)));
    DeltaCurve plainCurve = GaussianCurve.gaussian(Step.of(plain), direction);
    assertThat(TIGHT.deltaBracket(plain, 0.7, direction)).isEqualTo(plainCurve.delta(0.7));
    SampledGaussian single = new SampledGaussian(0.2, 1.5);
    DeltaCurve singleCurve = GaussianCurve.singleStep(new Step(0.2, 1.5, 1), direction);
    assertThat(TIGHT.deltaBracket(single, 0.1, direction)).isEqualTo(singleCurve.delta(0.1));
    for (PrivacyEvent event : List.of(plain, single)) {
      Bracket epsilon = TIGHT.epsilonBracket(event, 1e-3, direction);
      assertThat(epsilon.method()).isEqualTo(Method.CLOSED_FORM);
      assertThat(epsilon.width()).isLessThan(1e-12);
      assertThat(TIGHT.deltaBracket(event, epsilon.upper(), direction).upper())
          .isLessThanOrEqualTo(1e-3);
    }
    Bracket two = TIGHT.deltaBracket(single.times(2), 0.1, direction);
    assertThat(two.method()).as("no closed form for two steps").isNotEqualTo(Method.CLOSED_FORM);
    assertThat(two.lower()).isGreaterThan(singleCurve.delta(0.1).upper());
  }

  /** An added record changes the loss by at most -log(1-q) in each step, and delta ends there. */
  @ParameterizedTest
  @CsvSource({"0.1,2,20", "0.3,1,10"})
  void deltaBracket_added_endsAtTheLargestLossOfAllSteps(double q, double sigma, long count) {
    PrivacyEvent event = new SampledGaussian(q, sigma).times(count);
    double largest = -count * Math.log1p(-q);
    for (double factor : new double[] {1.000001, 2, 100}) {
      assertThat(TIGHT.deltaBracket(event, factor * largest, Direction.ADD)).isEqualTo(NOTHING);
      assertThat(TIGHT.deltaBracket(event, factor * largest, Direction.REMOVE).lower())
          .as("no such end for a removed record")
          .isGreaterThanOrEqualTo(0);
    }
    for (double factor : new double[] {0.1, 0.3, 0.5}) {
      assertThat(TIGHT.deltaBracket(event, factor * largest, Direction.ADD).lower())
          .as("%s", factor)
          .isPositive();
    }
    assertThat(TIGHT.deltaBracket(event, 1.000001 * largest, Direction.REMOVE).lower())
        .isPositive();
  }

  /** Few steps at a tiny rate: the contour has no result, and the lattice computes both values. */
  @Test
  void brackets_contourHasNoResult_comeFromTheLattice() {
    PrivacyEvent event = new SampledGaussian(1e-4, 1).times(2);
    Bracket delta = TIGHT.deltaBracket(event, 0.1, Direction.REMOVE);
    assertThat(delta.method()).isEqualTo(Method.LATTICE);
    DeltaCurve one = GaussianCurve.singleStep(new Step(1e-4, 1, 1), Direction.REMOVE);
    // From one step to two, delta can only grow; a loss above 0.1 almost always comes from one
    // step.
    assertThat(delta.lower()).isBetween(one.delta(0.1).upper(), 2.1 * one.delta(0.1).upper());
    assertThat(delta.upper()).isLessThan(RDP.delta(event, 0.1));
    assertThat(delta.width()).isLessThan(1e-2 * delta.upper());
    Bracket epsilon = TIGHT.epsilonBracket(event, delta.upper(), Direction.REMOVE);
    assertThat(epsilon.method()).isEqualTo(Method.LATTICE);
    assertThat(epsilon.lower()).isLessThanOrEqualTo(0.1);
    assertThat(epsilon.width()).isLessThan(1e-2 * epsilon.upper());
    assertThat(epsilon.upper()).isLessThan(RDP.epsilon(event, delta.upper()));
  }

  /**
   * For noise or rates beyond the lattice, and deltas below it, the upper end is RDP and the lower
   * end 0.
   */
  @ParameterizedTest
  @CsvSource({"1e-3,0.004,1e-5", "1e-13,1,1e-15", "1e-6,1,1e-60"})
  void epsilonBracket_beyondBothMethods_isRdp(double q, double sigma, double delta) {
    PrivacyEvent event = new SampledGaussian(q, sigma).times(2);
    Bracket bracket = TIGHT.epsilonBracket(event, delta, Direction.REMOVE);
    assertThat(bracket.lower()).isZero();
    assertThat(bracket.upper()).isEqualTo(RDP.epsilon(event, delta));
  }
}
