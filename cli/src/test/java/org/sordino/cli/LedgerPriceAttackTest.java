package org.sordino.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.sordino.PrivacyEvent;
import org.sordino.ledger.Entry;
import org.sordino.ledger.Head;
import org.sordino.ledger.Ledger;
import org.sordino.ledger.LedgerContents;
import org.sordino.ledger.Realized;
import org.sordino.run.BudgetFile;
import org.sordino.run.SampleRun;
import org.sordino.training.TrainingPlan;

/**
 * A program reserves 6 steps with noise multiplier 4 and runs 3 or 4 of them with an eighth of the
 * noise, which its ledger says. Everything that states a cost must state that of the ledger.
 */
class LedgerPriceAttackTest {

  private static final String BAD_STEPS =
      "account --sampling-rate 0.05 --steps 3 --delta 1e-5 --json --noise-multiplier ";

  @TempDir private Path folder;
  private Path run;

  @BeforeEach
  void make() {
    run = SampleRun.in(folder.resolve("run")).steps(6).make();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true}) // whether the last line of the ledger is as planned again
  void lessNoise_isChargedEverywhere(boolean hidden) throws IOException {
    double honest = tight(Console.run("account", "--ledger", ledger(), "--json").json());

    spoil(hidden);

    double least = tight(Console.line(BAD_STEPS + "0.5").json()); // the 3 of them alone
    double account = tight(Console.run("account", "--ledger", ledger(), "--json").json());
    Console.Outcome statement = Console.run("statement", run.toString(), "--json");
    double stated = tight(statement.json());
    double budget = budget();
    System.out.printf(
        "some of 6 steps with an eighth of the noise: reserved %.4f, 3 of them alone %.4f,"
            + " account %.4f, statement %.4f, budget %.4f%n",
        honest, least, account, stated, budget);
    assertThat(least).isGreaterThan(5 * honest);
    assertThat(account).isBetween(least, 1.1 * least);
    assertThat(stated).isEqualTo(account);
    assertThat(budget).isGreaterThanOrEqualTo(account);
    assertThat(Console.run("statement", run.toString()).out())
        .contains("noise multiplier 0.500000 instead of 4; epsilon is computed from the noise");
  }

  /** Less noise is charged, but more noise, or another bound, is another plan. */
  @Test
  void otherBounds_areAnotherPlan() throws IOException {
    rewrite(new Realized("gradient", 3, 12));
    Console.Outcome statement = Console.run("statement", run.toString());
    assertThat(statement.code()).isEqualTo(4);
    assertThat(statement.err()).contains("plan.json must be the plan of the ledger");
  }

  /** Honest ledgers of earlier versions imply at least the reserved noise, to the last bit. */
  @Test
  void frozenLedgers_costAsReserved() throws IOException, URISyntaxException {
    Path frozen =
        Path.of(Objects.requireNonNull(getClass().getResource("/runs-0.1/README.md")).toURI())
            .resolveSibling("");
    List<Path> ledgers;
    try (Stream<Path> files = Files.walk(frozen)) {
      ledgers = files.filter(file -> file.endsWith("ledger.jsonl")).toList();
    }
    assertThat(ledgers).hasSizeGreaterThan(15);
    for (Path file : ledgers) {
      LedgerContents contents = Ledger.read(file);
      Set<PrivacyEvent> reserved = new HashSet<>();
      for (Entry entry : contents.entries()) {
        if (entry instanceof Entry.Reserve reserve) {
          reserved.add(reserve.perStep());
        }
      }
      for (LedgerContents.Part part : contents.parts()) {
        assertThat(part.steps() == 0 || reserved.contains(part.event()))
            .as(file.toString())
            .isTrue();
      }
    }
  }

  private double budget() throws IOException {
    Path file = folder.resolve("people.budget");
    Console.run("budget", file.toString(), "--create", "--epsilon", "100", "--delta", "1e-5");
    BudgetFile budget = BudgetFile.open(file);
    TrainingPlan plan = TrainingPlan.fromJson(Files.readString(run.resolve("plan.json")));
    budget.reserve(plan, "example", run).settle(Ledger.read(run.resolve("ledger.jsonl")));
    return budget.read().tight().upper();
  }

  private void spoil(boolean hidden) throws IOException {
    Realized planned = realized(Ledger.read(run.resolve("ledger.jsonl")));
    Realized less = new Realized(planned.group(), planned.bound(), planned.deviation() / 8);
    if (hidden) {
      rewrite(planned, less, planned);
    } else {
      rewrite(planned, less);
    }
  }

  private static Realized realized(LedgerContents contents) {
    return contents.entries().stream()
        .filter(Entry.RealizedEntry.class::isInstance)
        .map(entry -> ((Entry.RealizedEntry) entry).groups().get(0))
        .findFirst()
        .orElseThrow();
  }

  /** Writes the ledger of a program that used these values from steps 0, 2 and 5 on. */
  private void rewrite(Realized... values) throws IOException {
    LedgerContents contents = Ledger.read(run.resolve("ledger.jsonl"));
    List<Path> old = new ArrayList<>(List.of(run.resolve("ledger.jsonl")));
    try (Stream<Path> files = Files.walk(run.resolve("checkpoint"))) {
      files.sorted(Comparator.reverseOrder()).forEach(old::add); // it contains the old head
    }
    for (Path file : old) {
      Files.delete(file);
    }
    try (Ledger ledger = Ledger.create(run.resolve("ledger.jsonl"), contents.header())) {
      for (Entry entry : contents.entries()) {
        if (entry instanceof Entry.Reserve reserve) {
          ledger.reserve(reserve.perStep(), reserve.from(), reserve.count());
        }
      }
      for (int i = 0; i < values.length; i++) {
        ledger.realized(Math.max(0, 3 * i - 1), List.of(values[i]));
      }
      ledger.finish(6);
      assertThat(ledger.head()).isNotEqualTo(Head.NONE);
    }
  }

  private String ledger() {
    return run.resolve("ledger.jsonl").toString();
  }

  private static double tight(Map<String, ?> json) {
    return (Double) ((Map<?, ?>) json.get("tight")).get("upper");
  }
}
