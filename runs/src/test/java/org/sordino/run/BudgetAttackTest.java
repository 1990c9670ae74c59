package org.sordino.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.sordino.Neighboring;
import org.sordino.PrivacyBudget;
import org.sordino.accounting.ForeignRelease;
import org.sordino.accounting.GdpFilter;
import org.sordino.accounting.RenyiFilter;
import org.sordino.accounting.TightAccountant;
import org.sordino.training.LinearModel;
import org.sordino.training.TrainingPlan;

/** Attempts to make a budget refuse an honest run, or to spend more than it allows. */
class BudgetAttackTest {

  private static final double DELTA = 1e-5;

  @TempDir private Path folder;

  private BudgetFile budget(double epsilon, PrivacyBudget foreign) {
    return BudgetFile.create(
        folder.resolve("attack.budget"),
        new PrivacyBudget(epsilon, DELTA),
        foreign,
        Neighboring.ADD_OR_REMOVE_ONE,
        "");
  }

  private BudgetFile budget(double epsilon) {
    return budget(epsilon, new PrivacyBudget(0, 0));
  }

  private static TrainingPlan plan(int population, int batch, double z, int steps) {
    return TrainingPlan.forLayout(LinearModel.logistic(2).layout())
        .population(population)
        .expectedBatch(batch)
        .steps(steps)
        .clip(1)
        .noiseMultiplier(z)
        .build();
  }

  /**
   * Runs that a Renyi filter refused, because its order was fixed when the budget was created. They
   * must cost at most 3% more than their exact epsilon.
   */
  @ParameterizedTest
  @CsvSource({
    "1000000, 1000, 0.8, 50000, 1.8, 50000",
    "60000, 512, 1.0084, 1755, 2.05, 10",
    "1000000, 10000, 4, 10000, 1.8, 1.1",
    "1000000, 10000, 4, 10000, 3, 1.5",
    "1000000, 10000, 4, 10000, 8, 3.3",
  })
  void honestRun_isChargedItsEpsilon(
      int population, int batch, double z, int steps, double epsilon, double renyiAtLeast) {
    TrainingPlan plan = plan(population, batch, z, steps);
    BudgetFile budget = budget(epsilon);
    budget.reserve(plan, "example", "attack");

    double spent = budget.read().spent();
    double tight = TightAccountant.of(Neighboring.ADD_OR_REMOVE_ONE).epsilon(plan.event(), DELTA);
    double renyi =
        RenyiFilter.of(budget.read().limit(), Neighboring.ADD_OR_REMOVE_ONE).spent(plan.event());
    print(
        "budget %s: GDP filter %.4f, Renyi filter %.4g, tight %.4f", epsilon, spent, renyi, tight);
    assertThat(renyi).isGreaterThan(renyiAtLeast);
    assertThat(spent).isBetween(tight, 1.03 * tight);
  }

  @Test
  void fourEqualRuns_costAtMost205() {
    TrainingPlan plan = plan(1_000_000, 10_000, 4, 10_000);
    BudgetFile budget = budget(2.05);
    for (int i = 0; i < 4; i++) {
      budget.reserve(plan, "example", "attack " + i);
    }
    print("four runs: %.4f, tight %.4f", budget.read().spent(), budget.read().tight().upper());
    assertThat(budget.read().spent()).isBetween(budget.read().tight().upper(), 2.05);
  }

  /**
   * The shares of delta shrink, so that no number of small runs adds up to more than the budget.
   */
  @Test
  void manySmallRuns_neverExceedTheBudget() {
    TrainingPlan small = plan(10_000, 2_000, 20, 10);
    BudgetFile budget = budget(0.5);
    int runs = 0;
    BudgetRefusedException refused = null;
    while (refused == null) {
      try {
        budget.reserve(small, "example", "attack");
        runs++;
      } catch (BudgetRefusedException e) {
        refused = e;
      }
    }
    double tight = budget.read().tight().upper();
    print("%d small runs: spent %.4f, tight %.4f", runs, budget.read().spent(), tight);
    assertThat(runs).isGreaterThan(5);
    assertThat(budget.read().spent()).isBetween(tight, 0.5);
    assertThat(refused).hasMessageMatching("the run needs epsilon 0\\.\\d+, but the budget has .*");
  }

  /** Without a part of its own, a release of epsilon 1 would cost as much as a Gaussian of 5.6. */
  @Test
  void releaseOfAnotherTool_costsItsEpsilonAndNoMore() {
    BudgetFile budget = budget(3, new PrivacyBudget(1, 1e-6));
    double before = budget.read().epsilonLeft().orElseThrow();
    budget.add("counts", ForeignRelease.of(new PrivacyBudget(1, 1e-6)));

    // A randomized response of epsilon 1 has delta(0) = tanh(1/2), that of a Gaussian of mu 1.231.
    double asGaussian =
        GdpFilter.of(new PrivacyBudget(3, DELTA), Neighboring.ADD_OR_REMOVE_ONE).epsilon(1.231);
    print("release of epsilon 1: spent %.4f, like a run %.2f", budget.read().spent(), asGaussian);
    assertThat(asGaussian).isGreaterThan(5.5);
    assertThat(budget.read().spent()).isBetween(1.0, 1.0001);
    assertThat(budget.read().epsilonLeft()).hasValue(before);
    assertThatThrownBy(() -> budget.add("one more", new ForeignRelease(1e-6, 0, 0)))
        .isInstanceOf(BudgetRefusedException.class);
    assertThatThrownBy(() -> budget.add("failure", new ForeignRelease(0, 1e-12, 0)))
        .isInstanceOf(BudgetRefusedException.class);
  }

  /** Adding a release must not let runs spend its part, and the other way round. */
  @Test
  void runsAndReleases_cannotSpendThePartOfTheOther() {
    BudgetFile budget = budget(2, new PrivacyBudget(1, 1e-6));
    TrainingPlan run = plan(1_000_000, 10_000, 4, 12_000); // epsilon 1.05
    assertThatThrownBy(() -> budget.reserve(run, "example", "attack"))
        .isInstanceOf(BudgetRefusedException.class)
        .hasMessageContaining("but the budget has 0.99");
    assertThatThrownBy(() -> budget.add("all", new ForeignRelease(1.5, 0, 0)))
        .isInstanceOf(BudgetRefusedException.class);
    assertThat(budget.read().spent()).isZero();
  }

  private static void print(String format, Object... values) {
    System.out.println("budget attack: " + String.format(Locale.ROOT, format, values));
  }
}
