package org.sordino.accounting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.sordino.Neighboring;
import org.sordino.PrivacyBudget;
import org.sordino.PrivacyEvent;
import org.sordino.PrivacyEvent.Composition;
import org.sordino.PrivacyEvent.Gaussian;
import org.sordino.PrivacyEvent.SampledGaussian;

class RenyiFilterTest {

  private static final PrivacyEvent NONE = new Composition(List.of());
  private static final List<PrivacyEvent> EVENTS =
      List.of(
          new SampledGaussian(0.01, 1.1).times(1000),
          new SampledGaussian(0.001, 0.8).times(20_000),
          new Composition(List.of(new Gaussian(20), new SampledGaussian(0.05, 4).times(500))));
  private static final PrivacyEvent NEXT = new SampledGaussian(0.02, 2).times(3000);

  private static RenyiFilter filter(double epsilon, double delta) {
    return RenyiFilter.of(new PrivacyBudget(epsilon, delta), Neighboring.ADD_OR_REMOVE_ONE);
  }

  /**
   * Golden values, computed at commit 7fef5f5 by the budget-file filter that {@link RenyiFilter}
   * replaced.
   */
  @ParameterizedTest
  @CsvSource({
    "1, 1e-5, ADD_OR_REMOVE_ONE, 17.788, 0, 2471.4852815722506, 0, 0",
    "1, 1e-5, ADD_OR_REMOVE_ONE, 17.788, 2, 1.2334663315852152, 0, 0",
    "3, 1e-5, ADD_OR_REMOVE_ONE, 7.531, 0, 1.854127552231161, 0.6785124162219467, 0.8625695225923682",
    "3, 1e-5, ADD_OR_REMOVE_ONE, 7.531, 1, 1.6161869935886708, 0.8194056052292122, 1.0416821930062872",
    "3, 1e-5, ADD_OR_REMOVE_ONE, 7.531, 2, 1.629515025167215, 0.8115135968931624, 1.0316493539602074",
    "3, 1e-5, REPLACE_ONE, 7.531, 0, 2.705406912158902, 0.17443919541181138, 0.0647812549325728",
    "3, 1e-5, REPLACE_ONE, 7.531, 1, 2.0021555846160957, 0.5908596778062122, 0.21942678265042212",
    "3, 1e-5, REPLACE_ONE, 7.531, 2, 2.523341200186155, 0.28224687189651104, 0.10481765017938768",
    "0.5, 1e-6, REPLACE_ONE, 39.905, 2, 6.775306128422588, 0, 0",
    "8, 1e-7, ADD_OR_REMOVE_ONE, 4.981, 0, 3.7600666388540214, 0.9260194446826926, 4.904468300754498",
    "8, 1e-7, REPLACE_ONE, 4.981, 1, 3.8724384746591647, 0.9014769587219873, 1.3741621128955084",
    "0.1, 1e-5, ADD_OR_REMOVE_ONE, 125.451, 2, 454.60169499695166, 0, 0",
    "50, 1e-3, ADD_OR_REMOVE_ONE, 1.507, 1, 11.783077048480079, 0.9985212913946238, 149.26245366908054",
    "50, 1e-3, REPLACE_ONE, 1.507, 2, 11.96890245079875, 0.9936660961992244, 41.88536058947249",
  })
  void goldenValues_areThoseOfEarlierBudgets(
      double epsilon,
      double delta,
      Neighboring neighboring,
      double order,
      int event,
      double spent,
      double left,
      double fits) {
    RenyiFilter filter = RenyiFilter.of(new PrivacyBudget(epsilon, delta), neighboring);
    PrivacyEvent all = EVENTS.get(event);
    assertThat(filter.order()).isEqualTo(order);
    assertThat(filter.spent(all)).isCloseTo(spent, within(1e-12 * spent));
    assertThat(filter.admits(all)).isEqualTo(spent <= epsilon);
    assertThat(filter.shareLeft(all)).isCloseTo(left, within(1e-12));
    assertThat(filter.fittingShare(all, NEXT)).isCloseTo(fits, within(1e-12 * fits));
  }

  /** For a plain Gaussian the divergence is alpha / (2 z^2), so everything has a closed form. */
  @ParameterizedTest
  @ValueSource(doubles = {2, 10, 40})
  void plainGaussian_hasTheClosedForm(double z) {
    RenyiFilter filter = new RenyiFilter(new PrivacyBudget(3, 1e-5), Neighboring.REPLACE_ONE, 4);
    double rdp = 4 * 4 / (2 * z * z); // replacing a record moves the sum by twice the bound
    double conversion = Math.log(0.75) - Math.log(4e-5) / 3;
    assertThat(filter.spent(new Gaussian(z)))
        .isGreaterThanOrEqualTo(rdp + conversion)
        .isCloseTo(rdp + conversion, within(1e-12));
    double left = Math.max(0, 3 - conversion - rdp);
    assertThat(filter.shareLeft(new Gaussian(z))).isCloseTo(left / (3 - conversion), within(1e-12));
  }

  /** The chosen order allows a larger rho than any other, up to its rounding. */
  @ParameterizedTest
  @CsvSource({"0.05,1e-5", "1,1e-5", "3,1e-9", "20,1e-3"})
  void order_isTheOneWithTheMostRoomForSmallSteps(double epsilon, double delta) {
    double chosen = filter(epsilon, delta).order();
    double most = rho(epsilon, delta, chosen);
    assertThat(most).isPositive();
    for (double order = 1.005; order < 20_000; order *= 1.003) {
      assertThat(rho(epsilon, delta, order)).isLessThanOrEqualTo(most * (1 + 1e-4));
    }
    assertThat(chosen * 1000).isCloseTo(Math.rint(chosen * 1000), within(1e-9));
  }

  private static double rho(double epsilon, double delta, double order) {
    double conversion = Math.log(1 - 1 / order) - Math.log(delta * order) / (order - 1);
    return (epsilon - conversion) / order;
  }

  @Test
  void nothingSpent_leavesEverything() {
    RenyiFilter filter = filter(1, 1e-5);
    assertThat(filter.spent(NONE)).isZero();
    assertThat(filter.shareLeft(NONE)).isEqualTo(1);
    assertThat(filter.admits(NONE)).isTrue();
  }

  /**
   * The epsilon at a fixed order is at least that of the best order, so the filter costs more,
   * never less.
   */
  @ParameterizedTest
  @EnumSource(Neighboring.class)
  void spent_isAtLeastTheEpsilonOfTheBestOrderAndTheTightOne(Neighboring neighboring) {
    RenyiFilter filter = RenyiFilter.of(new PrivacyBudget(3, 1e-5), neighboring);
    for (PrivacyEvent event : EVENTS) {
      assertThat(filter.spent(event))
          .isGreaterThanOrEqualTo(RdpAccountant.of(neighboring).epsilon(event, 1e-5) * (1 - 1e-12))
          .isGreaterThanOrEqualTo(TightAccountant.of(neighboring).epsilon(event, 1e-5));
    }
  }

  @Test
  void moreSteps_spendMoreAndLeaveLess() {
    RenyiFilter filter = filter(8, 1e-5);
    double spent = 0;
    double left = 1;
    for (int steps = 100; steps <= 2000; steps += 100) {
      PrivacyEvent all = new SampledGaussian(0.02, 2).times(steps);
      assertThat(filter.spent(all)).isGreaterThan(spent);
      assertThat(filter.shareLeft(all)).isLessThan(left);
      spent = filter.spent(all);
      left = filter.shareLeft(all);
    }
  }

  @Test
  void shares_addUp() {
    RenyiFilter filter = filter(3, 1e-5);
    double first = 1 - filter.shareLeft(EVENTS.get(0));
    double second = 1 - filter.shareLeft(EVENTS.get(1));
    double both = 1 - filter.shareLeft(new Composition(List.of(EVENTS.get(0), EVENTS.get(1))));
    assertThat(both).isCloseTo(first + second, within(1e-12));
  }

  @Test
  void fittingShare_isAdmittedAndALittleMoreIsNot() {
    RenyiFilter filter = filter(3, 1e-5);
    PrivacyEvent spent = EVENTS.get(0);
    PrivacyEvent step = new SampledGaussian(0.02, 2);
    double steps = 3000 * filter.fittingShare(spent, step.times(3000));
    assertThat(steps).isBetween(1.0, 3000.0);
    assertThat(filter.admits(new Composition(List.of(spent, step.times((long) steps - 1)))))
        .isTrue();
    assertThat(filter.admits(new Composition(List.of(spent, step.times((long) steps + 1)))))
        .isFalse();
  }

  @Test
  void nothingFits_whenTheBudgetIsUsedUp() {
    RenyiFilter filter = filter(1, 1e-5);
    PrivacyEvent tooMuch = EVENTS.get(0);
    assertThat(filter.admits(tooMuch)).isFalse();
    assertThat(filter.shareLeft(tooMuch)).isZero();
    assertThat(filter.fittingShare(tooMuch, NEXT)).isZero();
    assertThat(filter.fittingShare(tooMuch, NONE)).isZero();
  }

  @Test
  void noiselessEvent_neverFits() {
    RenyiFilter filter = filter(1, 1e-5);
    assertThat(filter.spent(new Gaussian(0))).isInfinite();
    assertThat(filter.admits(new Gaussian(0))).isFalse();
    assertThat(filter.shareLeft(new Gaussian(0))).isZero();
    assertThat(filter.fittingShare(NONE, new Gaussian(0))).isZero();
  }

  /**
   * An analyst picks each event after seeing the earlier results, here at random. For any choice,
   * the filter stops in time, and the admitted events are within the limit by any accountant.
   */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4})
  void adaptivelyChosenEvents_stopWithinTheLimit(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    RenyiFilter filter = filter(2, 1e-5);
    List<PrivacyEvent> admitted = new ArrayList<>();
    int refused = 0;
    while (refused < 3) {
      double z = random.nextDouble(1.5, 6);
      PrivacyEvent next =
          random.nextInt(4) == 0
              ? new Gaussian(10 * z)
              : new SampledGaussian(random.nextDouble(0.005, 0.03), z).times(50);
      List<PrivacyEvent> all = new ArrayList<>(admitted);
      all.add(next);
      if (filter.admits(new Composition(all))) {
        admitted.add(next);
      } else {
        refused++;
      }
    }
    PrivacyEvent all = new Composition(admitted);
    assertThat(admitted).hasSizeGreaterThan(3);
    assertThat(filter.spent(all)).isLessThanOrEqualTo(2);
    assertThat(RdpAccountant.of(Neighboring.ADD_OR_REMOVE_ONE).epsilon(all, 1e-5))
        .isLessThanOrEqualTo(2);
  }

  @ParameterizedTest
  @CsvSource({"1e-9,1e-9", "1,0", "0,1e-5"})
  void of_budgetTooSmallForAnything_isRefused(double epsilon, double delta) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> filter(epsilon, delta))
        .withMessageContaining("epsilon of a budget must be larger at this delta")
        .withMessageContaining("no event fits into this budget");
  }

  @ParameterizedTest
  @ValueSource(doubles = {1, 0, Double.NaN, Double.POSITIVE_INFINITY})
  void order_outsideItsRange_isRefused(double order) {
    assertThatIllegalArgumentException()
        .isThrownBy(
            () -> new RenyiFilter(new PrivacyBudget(1, 1e-5), Neighboring.ADD_OR_REMOVE_ONE, order))
        .withMessageContaining("order must be above 1 and finite");
  }
}
