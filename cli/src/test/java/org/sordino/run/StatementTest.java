package org.sordino.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sordino.Neighboring;
import org.sordino.PrivacyEvent;
import org.sordino.accounting.TightAccountant;
import org.sordino.cli.Console;
import org.sordino.cli.Console.Outcome;
import org.sordino.ledger.Head;
import org.sordino.ledger.Ledger;
import org.sordino.ledger.LedgerDamagedException;
import org.sordino.report.Decimals;

class StatementTest {

  @TempDir private Path folder;

  @Test
  void statement_finishedRun_describesWhatWasExecuted() {
    RunDirectory run = new RunDirectory(SampleRun.in(folder).make());
    double epsilon =
        TightAccountant.of(Neighboring.ADD_OR_REMOVE_ONE)
            .epsilonBracket(new PrivacyEvent.SampledGaussian(0.05, 4).times(60), 1e-5)
            .upper();

    String text = PrivacyStatement.of(run).markdown();

    assertThat(text)
        .contains("(" + Decimals.up(epsilon, 5) + ", 1e-5)-differential privacy")
        .contains("one example added or removed")
        .contains("60 steps with sampling rate 0.05 (3 epochs) and noise multiplier 4")
        .contains("expected batch size 800 of 16,000 records")
        .contains("counted in the data, not covered by the guarantee")
        .contains("The run is finished.")
        .containsPattern("gradient \\| weight, bias \\| clipped to the bound \\| 1\\.5 \\| 6\\.0")
        .containsPattern("rdp \\| [0-9.]+ \\| upper bound")
        .containsPattern("\\| 0\\.1% \\| [0-9.]+% \\|")
        .containsPattern(
            "If 1% of those .* wrongly accused, at most [0-9.]+% of those that were used")
        .contains("categories and classes were taken from the records")
        .contains("Hyperparameters", "budget file", "`--schema`", "General facts");
  }

  @Test
  void statement_declaredNumbers_areCalledDeclared() {
    assertThat(
            PrivacyStatement.of(new RunDirectory(SampleRun.in(folder).declared().make()))
                .markdown())
        .contains("declared as a public number")
        .doesNotContain("counted in the data");
  }

  @Test
  void statement_containsNoNumbersThatAreNotPrivate() throws IOException {
    RunDirectory run = new RunDirectory(SampleRun.in(folder).make());
    String text = PrivacyStatement.of(run).markdown();

    // The statement stays the same without these files, so it cannot depend on them.
    for (String name : List.of("results.json", "metrics.csv", "model.json", "model.safetensors")) {
      Files.delete(run.file(name));
    }
    assertThat(PrivacyStatement.of(run).markdown()).isEqualTo(text);
    assertThat(text).doesNotContain("65.4", "0.654", "67.8", "67.9", "0.678", "0.679", "4000");
  }

  @Test
  void statement_unfinishedRun_chargesTheWholePlan() {
    RunDirectory run = new RunDirectory(SampleRun.in(folder).steps(2_000_000).stopAt(3).make());
    PrivacyEvent planned = run.plan().event();

    PrivacyStatement statement = PrivacyStatement.of(run);

    assertThat(run.ledger().reserved()).isBetween(4L, 1_999_999L);
    assertThat(statement.guarantee().orElseThrow().epsilon())
        .isEqualTo(
            TightAccountant.of(Neighboring.ADD_OR_REMOVE_ONE)
                .epsilonBracket(planned, 1e-5)
                .upper());
    assertThat(statement.markdown())
        .contains("The run is not finished and is charged its whole plan.")
        .contains("2,000,000 steps with");
  }

  @Test
  void statement_restart_isReportedAndCounted() {
    RunDirectory run = new RunDirectory(SampleRun.in(folder).steps(2000).stopAt(3).make());
    long reserved = run.ledger().reserved();
    try (Ledger ledger = Ledger.resume(run.file("ledger.jsonl"), Head.NONE)) {
      ledger.restart(2, "the key of the run was not found");
      ledger.reserve(new PrivacyEvent.SampledGaussian(0.05, 4), 2, 10);
    }

    assertThat(PrivacyStatement.of(run).markdown())
        .contains("from step 2, because the key of the run was not found; the steps that were")
        .contains(Decimals.grouped(reserved + 10 + 2000 - 12) + " steps with");
  }

  @Test
  void statement_insecureSeed_statesNoGuarantee() throws IOException {
    RunDirectory run = new RunDirectory(SampleRun.in(folder).insecureSeed(42).make());

    Outcome outcome = Console.run("statement", folder.toString());

    assertThat(outcome.code()).isEqualTo(2);
    assertThat(outcome.out()).isEmpty();
    assertThat(outcome.err().lines()).hasSize(1);
    assertThat(outcome.err()).contains("no guarantee can be stated").contains("insecure seed 42");
    assertThat(Files.readString(run.file("statement.md")))
        .contains("There is no privacy guarantee for this run")
        .doesNotContain("satisfies", "-differential privacy for");
  }

  @Test
  void statement_noNoise_statesNoGuarantee() throws IOException {
    RunDirectory run = new RunDirectory(SampleRun.in(folder).noiseMultiplier(0).make());

    assertThat(Console.run("statement", folder.toString()).code()).isEqualTo(2);
    assertThat(Files.readString(run.file("statement.md"))).contains("without noise");
  }

  @Test
  void command_writesTheFileAndPrintsJson() throws IOException {
    RunDirectory run = new RunDirectory(SampleRun.in(folder).make());

    Outcome text = Console.run("statement", folder.toString());
    Outcome json = Console.run("statement", folder.toString(), "--json");

    assertThat(text.code()).isZero();
    assertThat(text.out()).isEqualTo(Files.readString(run.file("statement.md")));
    assertThat(json.number("epsilon"))
        .isEqualTo(((Map<?, ?>) json.json().get("tight")).get("upper"));
    assertThat(json.json()).containsEntry("delta", 1e-5).containsEntry("finished", true);
  }

  @Test
  void ledger_shortenedAfterTheStatement_isRefused() throws IOException {
    RunDirectory run = new RunDirectory(SampleRun.in(folder).make());
    Console.run("statement", folder.toString());
    List<String> lines = Files.readAllLines(run.file("ledger.jsonl"));
    Files.writeString(
        run.file("ledger.jsonl"), String.join("\n", lines.subList(0, lines.size() - 1)) + "\n");

    assertThatThrownBy(run::ledger)
        .isInstanceOf(LedgerDamagedException.class)
        .hasMessageContaining("the file was shortened");
    Outcome outcome = Console.run("statement", folder.toString());
    assertThat(outcome.code()).isEqualTo(4);
    assertThat(outcome.err()).contains("ledger.jsonl", "line " + lines.size());
  }

  @Test
  void statement_foreignPlan_isRefused() throws IOException {
    RunDirectory run = new RunDirectory(SampleRun.in(folder).make());
    String plan = Files.readString(run.file("plan.json"));
    Files.writeString(
        run.file("plan.json"), plan.replace("\"population\" : 16000", "\"population\" : 17000"));

    Outcome outcome = Console.run("statement", folder.toString());

    assertThat(outcome.code()).isEqualTo(4);
    assertThat(outcome.err()).contains("plan.json must be the plan of the ledger");
  }

  @Test
  void knownHead_ofOtherText_isNone() {
    assertThat(PrivacyStatement.headInText("Ledger head: many lines")).isEqualTo(Head.NONE);
    assertThat(
            PrivacyStatement.headInText("x\nLedger head: 7 lines, chain " + "0a".repeat(16) + "\n"))
        .isEqualTo(new Head(7, "0a".repeat(16)));
  }
}
