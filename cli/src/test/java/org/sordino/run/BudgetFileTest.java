package org.sordino.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.sordino.Neighboring;
import org.sordino.PrivacyBudget;
import org.sordino.PrivacyEvent;
import org.sordino.accounting.ForeignRelease;
import org.sordino.accounting.GdpFilter;
import org.sordino.accounting.RenyiFilter;
import org.sordino.cli.Console;
import org.sordino.cli.Console.Outcome;

class BudgetFileTest {

  /** A single run has epsilon 0.94687; the filter admits seven of them in a budget of 3. */
  private static final PrivacyEvent RUN = new PrivacyEvent.SampledGaussian(0.01, 4).times(10_000);

  private static final GdpFilter FILTER = GdpFilter.of(limit(3), Neighboring.ADD_OR_REMOVE_ONE);

  @TempDir private Path folder;

  private Path file;
  private BudgetFile budget;

  @BeforeEach
  void create() {
    file = folder.resolve("people.budget");
    budget = BudgetFile.create(file, limit(3), Neighboring.ADD_OR_REMOVE_ONE, "people");
  }

  @Test
  void reserve_userAfterExample_isRefused(@TempDir Path folder) {
    Path file = folder.resolve("mixed.json");
    BudgetFile mixed = BudgetFile.create(file, limit(3), Neighboring.ADD_OR_REMOVE_ONE, "");
    mixed.reserve("a", "runs/a", RUN, "example");
    assertThatThrownBy(() -> mixed.reserve("b", "runs/b", RUN, "user"))
        .isInstanceOf(InvalidInputException.class)
        .hasMessageContaining("must protect the same unit, got user after example");
    mixed.reserve("b", "runs/b", RUN, "example");
  }

  @Test
  void reserve_withinTheBudget_isStored() {
    budget.reserve("a", "runs/a", RUN, "example");

    BudgetContents read = BudgetFile.open(file).read();
    double mu = FILTER.mu(RUN, 1);
    assertThat(read.runs())
        .containsExactly(
            new BudgetContents.Entry(
                "a",
                "runs/a",
                RUN,
                BudgetContents.State.PLANNED,
                "example",
                List.of(new BudgetContents.Charge(RUN, 1, mu))));
    assertThat(read.spent()).isBetween(read.tight().upper(), 1.02 * read.tight().upper());
  }

  @Test
  void reserve_beyondTheBudget_isRefusedAndChangesNothing() throws IOException {
    int fitting = fill();
    String before = Files.readString(file);

    assertThatThrownBy(() -> budget.reserve("more", "runs/more", RUN, "example"))
        .isInstanceOf(BudgetRefusedException.class)
        .hasMessage(
            "the run needs epsilon 0.951, but the budget has 0.902 left (delta 1e-5). Lower --epsilon,"
                + " train fewer steps, or add noise.");
    assertThat(Files.readString(file)).isEqualTo(before);
    assertThat(fitting).isEqualTo(7);
  }

  /** The i-th run has the i-th share of delta, and squares of mu add up. */
  @Test
  void spent_isTheEpsilonOfAllMusTogether() {
    fill();
    BudgetContents read = budget.read();
    List<Double> mus = new ArrayList<>();
    for (int i = 1; i <= read.runs().size(); i++) {
      mus.add(FILTER.mu(RUN, i));
    }
    double total = GdpFilter.total(mus);

    assertThat(read.spent()).isEqualTo(FILTER.epsilon(total)).isLessThanOrEqualTo(3);
    assertThat(read.left()).isEqualTo(FILTER.shareLeft(total));
    assertThat(read.epsilonLeft()).hasValue(FILTER.epsilonLeft(total));
    assertThat(read.tight().upper()).isLessThan(read.spent());
  }

  /** Old budgets count what was executed; new ones never lower the cost of a run. */
  @Test
  void settle_refundsTheUnusedCost_onlyInOldBudgets() throws IOException {
    PrivacyEvent executed = new PrivacyEvent.SampledGaussian(0.01, 4).times(100);
    BudgetFile old = old(3);
    old.reserve("a", "runs/a", RUN, "example");
    double planned = old.read().spent();
    old.settle("a", executed);
    assertThat(old.read().spent()).isLessThan(planned);

    budget.reserve("a", "runs/a", RUN, "example");
    planned = budget.read().spent();
    budget.settle("a", executed);
    assertThat(budget.read().spent()).isEqualTo(planned);
    assertThat(budget.read().tight().upper()).isLessThan(0.2);
    assertThat(budget.read().runs().get(0).state()).isEqualTo(BudgetContents.State.EXECUTED);
    assertThat(budget.read().runs().get(0).event()).isEqualTo(executed);
  }

  @Test
  void settle_moreThanReserved_isRecorded() {
    fill();
    budget.settle("run 0", RUN.times(20));

    assertThat(budget.read().spent()).isGreaterThan(3);
    assertThat(budget.read().runs().get(0).charges())
        .containsExactly(new BudgetContents.Charge(RUN.times(20), 1, FILTER.mu(RUN.times(20), 1)));
    assertThat(Console.run("budget", file.toString()).out()).contains("The budget is exceeded");
    assertThatThrownBy(() -> budget.reserve("b", "b", RUN, "example"))
        .isInstanceOf(BudgetRefusedException.class)
        .hasMessageContaining("but the budget has 0 left");
  }

  /** Less noise than reserved costs the epsilon of that noise, not both. */
  @Test
  void settle_lessNoiseThanReserved_countsTheSmallerNoise() {
    PrivacyEvent louder = new PrivacyEvent.SampledGaussian(0.01, 3.9).times(10_000);
    budget.reserve("a", "runs/a", RUN, "example");
    budget.settle("a", louder);
    assertThat(budget.read().spent())
        .isCloseTo(FILTER.epsilon(FILTER.mu(louder, 1)), within(1e-12));
  }

  @Test
  void settle_noNoise_isRecordedAsInfinite() {
    budget.reserve("a", "runs/a", RUN, "example");
    budget.settle("a", new PrivacyEvent.Gaussian(0));
    assertThat(budget.read().spent()).isInfinite();
    assertThat(budget.read().left()).isZero();
    assertThatThrownBy(() -> budget.reserve("b", "runs/b", RUN, "example"))
        .isInstanceOf(BudgetRefusedException.class)
        .hasMessageContaining("but the budget has 0 left");
    assertThat(Console.run("budget", file.toString()).out()).contains("The budget is exceeded");
  }

  @Test
  void settle_unknownRun_isRefused() {
    assertThatThrownBy(() -> budget.settle("b", RUN)).isInstanceOf(InvalidInputException.class);
  }

  /** Steps that a restart repeats are a mechanism of their own, with the next share of delta. */
  @Test
  void recount_addsACharge_butNotToASettledRun() {
    budget.reserve("a", "runs/a", RUN, "example");
    budget.reserve("b", "runs/b", RUN, "example");
    PrivacyEvent repeated = new PrivacyEvent.SampledGaussian(0.01, 4).times(600);
    PrivacyEvent all = new PrivacyEvent.Composition(List.of(RUN, repeated));
    budget.recount("a", all);
    budget.recount("a", all); // the same cost again adds nothing
    assertThatThrownBy(() -> budget.recount("a", RUN.times(1_000_000)))
        .isInstanceOf(BudgetRefusedException.class);

    BudgetContents.Entry run = budget.read().runs().get(0);
    assertThat(run.event()).isEqualTo(all);
    assertThat(run.charges()).extracting(BudgetContents.Charge::index).containsExactly(1L, 3L);
    assertThat(run.charges().get(1).mu()).isEqualTo(FILTER.mu(repeated, 3));
    double spent = budget.read().spent();
    budget.settle("a", all);
    assertThat(budget.read().spent()).isEqualTo(spent);
    assertThatThrownBy(() -> budget.recount("a", RUN)).isInstanceOf(InvalidInputException.class);
    assertThatThrownBy(() -> budget.recount("c", RUN)).isInstanceOf(InvalidInputException.class);
  }

  @Test
  void recount_inAnOldBudget_replacesTheCost() throws IOException {
    BudgetFile old = old(3);
    old.reserve("a", "runs/a", RUN, "example");
    old.recount("a", RUN.times(2));
    assertThat(old.read().runs()).hasSize(1);
    assertThatThrownBy(() -> old.recount("a", RUN.times(1_000_000)))
        .isInstanceOf(BudgetRefusedException.class)
        .hasMessageContaining("budget of epsilon 3 at delta 1e-5")
        .hasMessageMatching(".*; (about \\d+% of its steps fit.*|less than 1% of its steps fit.*)");
    assertThat(old.read().runs().get(0).event()).isEqualTo(RUN.times(2));
    assertThat(old.read().runs().get(0).charges()).isEmpty();
  }

  @Test
  void plainGaussians_needNoShareOfDelta() {
    budget.reserve("a", "", new PrivacyEvent.Gaussian(30).times(5), "example");
    budget.reserve("b", "", RUN, "example");
    assertThat(budget.read().runs())
        .flatExtracting(BudgetContents.Entry::charges)
        .extracting(BudgetContents.Charge::index)
        .containsExactly(0L, 1L);
  }

  @Test
  void reserve_sameIdTwice_isRefused() {
    budget.reserve("a", "runs/a", RUN, "example");
    assertThatThrownBy(() -> budget.reserve("a", "runs/a", RUN, "example"))
        .isInstanceOf(InvalidInputException.class);
  }

  @Test
  void reserve_fromManyThreads_neverExceedsTheBudget() {
    int fitting = fillCount();
    long taken =
        IntStream.range(0, 24)
            .parallel()
            .filter(
                i -> {
                  try {
                    BudgetFile.open(file).reserve("run " + i, "runs/" + i, RUN, "example");
                    return true;
                  } catch (BudgetRefusedException e) {
                    return false;
                  }
                })
            .count();

    assertThat(taken).isEqualTo(fitting);
    assertThat(budget.read().runs()).hasSize(fitting);
  }

  @Test
  void link_toABudget_remainsALink() throws IOException {
    Path link = Files.createSymbolicLink(folder.resolve("link"), file);

    BudgetFile.open(link).reserve("a", "runs/a", RUN, "example");

    assertThat(Files.isSymbolicLink(link)).isTrue();
    assertThat(budget.read().runs()).hasSize(1);
  }

  @Test
  void create_twice_isRefused() {
    Outcome outcome =
        Console.run("budget", file.toString(), "--create", "--epsilon", "9", "--delta", "1e-5");

    assertThat(outcome.code()).isEqualTo(2);
    assertThat(outcome.err()).contains("is never reset");
  }

  @Test
  void command_showsTheFilterAndTheTightSum() {
    budget.reserve("a", "runs/a", RUN, "example");

    Outcome text = Console.run("budget", file.toString());
    Outcome json = Console.run("budget", file.toString(), "--json");

    assertThat(text.code()).isZero();
    assertThat(text.out())
        .contains("budget of epsilon 3 at delta 1e-5 for people")
        .containsPattern("a +planned +epsilon +0\\.94687 alone +runs/a")
        .containsPattern("spent +0\\.949\\d+ +GDP filter, which enforces the budget")
        .containsPattern("tight +0\\.94687")
        .containsPattern("renyi +1\\.5\\d+ +Renyi filter of version 0.1")
        .containsPattern("left +2\\.7\\d+ +epsilon of one more run; 8\\d\\.\\d+% of the budget");
    assertThat(json.number("spent")).isEqualTo(budget.read().spent()).isEqualTo(json.number("gdp"));
    assertThat(json.number("renyi"))
        .isEqualTo(RenyiFilter.of(limit(3), Neighboring.ADD_OR_REMOVE_ONE).spent(RUN));
    assertThat(json.number("leftShare")).isBetween(0.5, 1.0);
    assertThat(json.number("leftEpsilon")).isBetween(2.7, 2.8);
    assertThat((List<?>) json.json().get("runs")).hasSize(1);
  }

  @Test
  void command_ofAnOldBudget_showsBothFilters() throws IOException {
    BudgetFile old = old(3);
    old.reserve("a", "runs/a", RUN, "example");

    String name = folder.resolve("old.budget").toString();
    assertThat(Console.run("budget", name).out())
        .containsPattern(
            "spent +1\\.5\\d+ +Renyi filter of order 7\\.531, which enforces the budget")
        .containsPattern("gdp +0\\.949\\d+ +GDP filter of new budgets, for comparison");
    Outcome json = Console.run("budget", name, "--json");
    assertThat(json.number("gdp")).isCloseTo(FILTER.epsilon(FILTER.mu(RUN, 1)), within(1e-12));
    assertThat(json.json()).doesNotContainKeys("filter", "releases", "leftEpsilon");
    Outcome release = Console.run("budget", name, "--add", "--gaussian", "20");
    assertThat(release.code()).isEqualTo(2);
    assertThat(release.err()).contains("must use the GDP filter to include releases");
  }

  /** Half of epsilon 3 and a tenth of delta are for other tools, the rest is for runs. */
  @Test
  void releases_useUpTheirPart_andGaussiansTheRunsPart() {
    Path other = folder.resolve("other.budget");
    String name = "budget " + other + " ";
    assertThat(
            Console.line(name + "--create --epsilon 3 --delta 1e-5 --foreign-epsilon 1.5").code())
        .isZero();
    assertThat(BudgetFile.open(other).read().foreign().delta()).isEqualTo(1e-6);
    assertThat(Console.line(name + "--add --epsilon-delta 1,5e-7").code()).isZero();
    assertThat(Console.line(name + "--add --zcdp 0.001 --data counts").code()).isZero();
    Outcome gaussian = Console.line(name + "--add --gaussian 20 --json");
    assertThat(gaussian.code()).as(gaussian.err()).isZero();

    double zcdp = ForeignRelease.zcdp(0.001, 1e-7).epsilon();
    GdpFilter filter = (GdpFilter) BudgetFile.open(other).read().filter();
    assertThat(gaussian.number("spent"))
        .isCloseTo(1 + zcdp + filter.epsilon(1 / 20.0), within(1e-9));
    assertThat(gaussian.json().get("renyi")).isNull();
    assertThat(gaussian.number("tight")).isLessThan(gaussian.number("spent"));
    assertThat(Console.line(name).out())
        .containsPattern("release +epsilon 1.000, delta 5e-7 +\\(1,5e-7\\)-DP")
        .containsPattern("release +epsilon 0\\.\\d+, delta 1e-7 +counts")
        .containsPattern("release +mu 0.05\\d* +Gaussian mechanism, noise 20")
        .containsPattern("other +1\\.2\\d+ +of epsilon 1.5 for releases of other tools");

    Outcome tooMuch = Console.line(name + "--add --epsilon-delta 1");
    assertThat(tooMuch.code()).isEqualTo(3);
    assertThat(tooMuch.err())
        .contains("the release needs epsilon 1.00 and delta 0, but the budget has epsilon 0.29")
        .contains("--foreign-epsilon");
    Outcome tooLoud = Console.line(name + "--add --gaussian 1");
    assertThat(tooLoud.code()).isEqualTo(3);
    assertThat(tooLoud.err()).contains("the release needs epsilon 4.", "but the budget has 1.4");
    Outcome none = Console.line("budget " + file + " --add --epsilon-delta 0.1");
    assertThat(none.code()).isEqualTo(3);
    assertThat(none.err()).contains("the budget has epsilon 0 and delta 0 left for releases");
  }

  @Test
  void command_creates() {
    Path other = folder.resolve("other.budget");

    Outcome outcome =
        Console.run(
            "budget", other.toString(), "--create", "--epsilon", "1", "--delta", "1e-6", "--json");

    assertThat(outcome.code()).isZero();
    assertThat(outcome.json())
        .containsEntry("epsilon", 1.0)
        .containsEntry("neighbouring", "add-remove")
        .containsEntry("runs", List.of());
    budget.reserve("a", "runs/a", RUN, "example");
    budget.add("counts", ForeignRelease.gaussian(30));
    assertThat(BudgetContents.fromJson(budget.read().toJson())).isEqualTo(budget.read());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          --create --epsilon 1              | --create needs --epsilon and --delta
          --create --epsilon 0 --delta 1e-5 | --epsilon must be finite and above 0
          --create --epsilon 1 --delta 2    | --delta must be above 0 and below 1
          --epsilon 1                       | need --create
          --json                            | an existing file
          """)
  void command_badInput_isCode2(String options, String message) {
    String name = folder.resolve("new.budget").toString();

    Outcome outcome = Console.line("budget " + name + " " + options);

    assertThat(outcome.code()).isEqualTo(2);
    assertThat(outcome.err()).contains(message);
  }

  @ParameterizedTest
  @CsvSource({
    "planned, unknown",
    "gdp, renyi",
    "charges, other",
    "'\"index\" : 1', '\"index\" : -1'",
    "'\"version\" : 2', '\"version\" : 1'",
    "'\"version\" : 2', '\"version\" : 3'",
    "'\"foreignEpsilon\" : 0.0', '\"foreignEpsilon\" : 9.0'",
    "epsilon, Epsilon",
    "sampled-gaussian, shuffled",
    "{, [",
    "'\"noiseMultiplier\" : 4.0', '\"noiseMultiplier\" : 1e400'"
  })
  void damagedFile_isCode4(String from, String to) throws IOException {
    budget.reserve("a", "runs/a", RUN, "example");
    Files.writeString(file, Files.readString(file).replace(from, to));

    Outcome outcome = Console.run("budget", file.toString());

    assertThat(outcome.code()).isEqualTo(4);
    assertThat(outcome.err()).contains("people.budget").contains("is damaged");
    assertThat(outcome.err().lines()).hasSize(1);
  }

  /** Creates a budget as version 0.1 did. */
  private BudgetFile old(double epsilon) throws IOException {
    RenyiFilter filter = RenyiFilter.of(limit(epsilon), Neighboring.ADD_OR_REMOVE_ONE);
    Path old = folder.resolve("old.budget");
    BudgetContents empty = new BudgetContents(filter, "", List.of(), List.of());
    return BudgetFile.open(Files.writeString(old, empty.toJson() + "\n"));
  }

  private int fill() {
    for (int i = 0; ; i++) {
      try {
        budget.reserve("run " + i, "runs/" + i, RUN, "example");
      } catch (BudgetRefusedException e) {
        return i;
      }
    }
  }

  /** Counts the runs that fit, using a copy of the budget. */
  private int fillCount() {
    BudgetContents trial = budget.read();
    for (int i = 0; ; i++) {
      try {
        trial = trial.reserve("run " + i, "", RUN, "example");
      } catch (BudgetRefusedException e) {
        return i;
      }
    }
  }

  private static PrivacyBudget limit(double epsilon) {
    return new PrivacyBudget(epsilon, 1e-5);
  }
}
