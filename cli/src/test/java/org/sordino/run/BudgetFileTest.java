package org.sordino.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
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
import org.sordino.accounting.RdpAccountant;
import org.sordino.cli.Console;
import org.sordino.cli.Console.Outcome;

class BudgetFileTest {

  /** A single run has epsilon 0.94687; the filter admits three of them in a budget of 3. */
  private static final PrivacyEvent RUN = new PrivacyEvent.SampledGaussian(0.01, 4).times(10_000);

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
    assertThat(read.runs())
        .containsExactly(
            new BudgetContents.Entry("a", "runs/a", RUN, BudgetContents.State.PLANNED, "example"));
    assertThat(read.spent()).isBetween(read.tight().upper(), 3.0);
  }

  @Test
  void reserve_beyondTheBudget_isRefusedAndChangesNothing() throws IOException {
    int fitting = fill();
    String before = Files.readString(file);

    assertThatThrownBy(() -> budget.reserve("more", "runs/more", RUN, "example"))
        .isInstanceOf(BudgetRefusedException.class)
        .hasMessageContaining("budget of epsilon 3 at delta 1e-5")
        .hasMessageMatching(".*; (about \\d+% of its steps fit.*|less than 1% of its steps fit.*)");
    assertThat(Files.readString(file)).isEqualTo(before);
    assertThat(fitting).isBetween(3, 9);
  }

  /** The filter uses the divergence of the fixed order, never that of the best order. */
  @Test
  void spent_isTheSumOfDivergencesOfTheFixedOrder() {
    fill();
    BudgetContents read = budget.read();
    double order = read.order();
    double rdp = RdpAccountant.of(Neighboring.ADD_OR_REMOVE_ONE).rdp(RUN, order);
    double sum = read.runs().size() * rdp;
    double epsilon = sum + Math.log1p(-1 / order) - Math.log(1e-5 * order) / (order - 1);

    assertThat(read.spent()).isBetween(epsilon, epsilon + 1e-9);
    assertThat(read.tight().upper()).isLessThan(read.spent());
  }

  @Test
  void settle_refundsTheUnusedCost() {
    budget.reserve("a", "runs/a", RUN, "example");
    double planned = budget.read().spent();
    budget.settle("a", new PrivacyEvent.SampledGaussian(0.01, 4).times(100));

    assertThat(budget.read().spent()).isLessThan(planned);
    assertThat(budget.read().runs().get(0).state()).isEqualTo(BudgetContents.State.EXECUTED);
  }

  @Test
  void settle_moreThanReserved_isRecorded() {
    fill();
    budget.settle("run 0", RUN.times(20));

    assertThat(budget.read().spent()).isGreaterThan(3);
    assertThat(Console.run("budget", file.toString()).out()).contains("The budget is exceeded");
    assertThatThrownBy(() -> budget.reserve("b", "b", RUN, "example"))
        .isInstanceOf(BudgetRefusedException.class);
  }

  @Test
  void settle_unknownRun_isRefused() {
    assertThatThrownBy(() -> budget.settle("b", RUN)).isInstanceOf(InvalidInputException.class);
  }

  @Test
  void recount_replacesThePlannedCost_butNotOfASettledRun() {
    budget.reserve("a", "runs/a", RUN, "example");
    budget.recount("a", RUN.times(2));
    assertThat(budget.read().runs()).hasSize(1);
    assertThatThrownBy(() -> budget.recount("a", RUN.times(1_000_000)))
        .isInstanceOf(BudgetRefusedException.class);
    assertThat(budget.read().runs().get(0).event()).isEqualTo(RUN.times(2));

    budget.settle("a", RUN);
    assertThatThrownBy(() -> budget.recount("a", RUN)).isInstanceOf(InvalidInputException.class);
    assertThatThrownBy(() -> budget.recount("b", RUN)).isInstanceOf(InvalidInputException.class);
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
  void order_dependsOnTheBudgetAlone() {
    assertThat(BudgetContents.of(limit(3), Neighboring.ADD_OR_REMOVE_ONE, "").order())
        .isEqualTo(BudgetContents.of(limit(3), Neighboring.REPLACE_ONE, "other").order())
        .isLessThan(BudgetContents.of(limit(0.5), Neighboring.ADD_OR_REMOVE_ONE, "").order());
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
        .containsPattern("spent +\\d\\.\\d+ +Renyi filter of order")
        .containsPattern("tight +0\\.94687");
    assertThat(json.number("spent")).isEqualTo(budget.read().spent());
    assertThat(json.number("leftShare")).isBetween(0.5, 1.0);
    assertThat((List<?>) json.json().get("runs")).hasSize(1);
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
          --create --epsilon 1e-9 --delta 1e-9 | no event fits into this budget
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
