package org.sordino.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sordino.Neighboring;
import org.sordino.PrivacyEvent;
import org.sordino.accounting.RdpAccountant;
import org.sordino.cli.Console.Outcome;
import org.sordino.ledger.Header;
import org.sordino.ledger.Ledger;
import org.sordino.report.ExecutedRun;
import org.sordino.run.SampleRun;

/** {@code account --ledger}: an executed run costs the same as the planned run. */
class LedgerAccountTest {

  private static final String SAME =
      "account --sampling-rate 0.05 --noise-multiplier 4 --steps 60 --delta 1e-5";

  @TempDir private Path folder;

  @Test
  void ledgerOfARun_costsWhatTheSameOptionsCost() {
    SampleRun.in(folder).make();

    Outcome ledger = Console.run("account", "--ledger", ledger());
    Outcome options = Console.line(SAME);

    assertThat(ledger.code()).isZero();
    assertThat(ledger.out().replaceFirst("ledger: .*\n", ""))
        .isEqualTo(options.out().replace("one record", "one example"));
    assertThat(json().get("tight")).isEqualTo(Console.line(SAME + " --json").json().get("tight"));
    assertThat(json()).containsEntry("finished", true).containsEntry("randomness", "secure");
  }

  @Test
  void ledgerAlone_needsDelta() throws IOException {
    SampleRun.in(folder).make();
    Path alone = Files.copy(folder.resolve("ledger.jsonl"), folder.resolve("alone.jsonl"));

    Outcome without = Console.run("account", "--ledger", alone.toString());
    Outcome with = Console.run("account", "--ledger", alone.toString(), "--delta", "1e-6");

    assertThat(without.code()).isEqualTo(2);
    assertThat(without.err()).contains("--delta (or --epsilon) is missing");
    assertThat(with.out()).contains("1e-6)-differentially private");
    String head =
        with.out().lines().filter(line -> line.startsWith("ledger: ")).findFirst().orElseThrow();
    assertThat(Console.run("statement", folder.toString()).out())
        .contains(head.replace("ledger: ", "| Ledger | "));
  }

  @Test
  void ledgerWithRunOptions_isRefused() {
    SampleRun.in(folder).make();

    Outcome outcome = Console.run("account", "--ledger", ledger(), "--steps", "7");

    assertThat(outcome.code()).isEqualTo(2);
    assertThat(outcome.err()).contains("--ledger and --steps cannot be combined");
  }

  @Test
  void ledgerWithGroup_protectsPeople() {
    SampleRun.in(folder).make();

    assertThat(Console.run("account", "--ledger", ledger(), "--group", "2").out())
        .contains("up to 2 examples added or removed");
  }

  @Test
  void insecureLedger_getsNumbersButNoGuarantee() {
    SampleRun.in(folder).insecureSeed(7).make();

    Outcome outcome = Console.run("account", "--ledger", ledger());

    assertThat(outcome.out())
        .contains("No privacy guarantee: the randomness of this run was insecure seed 7")
        .doesNotContain("differentially private");
    assertThat(((Map<?, ?>) json().get("evidence")).get("tight")).isEqualTo("no guarantee");
  }

  @Test
  void damagedLedger_isCode4WithFileAndLine() throws IOException {
    SampleRun.in(folder).make();
    String text = Files.readString(Path.of(ledger()));
    Files.writeString(Path.of(ledger()), text.replaceFirst("\"count\":60", "\"count\":59"));

    Outcome outcome = Console.run("account", "--ledger", ledger());

    assertThat(outcome.code()).isEqualTo(4);
    assertThat(outcome.err().lines()).hasSize(1);
    assertThat(outcome.err()).contains("ledger.jsonl, line 2: the checksum is wrong");
  }

  @Test
  void missingLedger_isBadInput() {
    Outcome outcome = Console.run("account", "--ledger", "/no/such/ledger.jsonl");

    assertThat(outcome.code()).isEqualTo(2);
    assertThat(outcome.err()).contains("--ledger must be a file that exists");
  }

  @Test
  void executed_stepByStep_endsWithTheWholeLedger() {
    ExecutedRun executed = ExecutedRun.of(mixed(), 1);
    RdpAccountant rdp = RdpAccountant.of(Neighboring.ADD_OR_REMOVE_ONE);

    assertThat(executed.steps()).isEqualTo(10 + 7);
    assertThat(rdp.epsilon(executed.after(17), 1e-5))
        .isEqualTo(rdp.epsilon(executed.event(), 1e-5));
    double last = 0;
    for (long step = 0; step <= 17; step++) {
      double epsilon = rdp.epsilon(executed.after(step), 1e-5);
      assertThat(epsilon).isGreaterThanOrEqualTo(last);
      last = epsilon;
    }
    assertThat(executed.json()).doesNotContainKey("samplingRate").containsKey("event");
    assertThat(executed.describe())
        .contains("1 private query of all records with noise multiplier");
  }

  private org.sordino.ledger.LedgerContents mixed() {
    PrivacyEvent step = new PrivacyEvent.SampledGaussian(0.1, 2);
    Header header = Header.of("r", Neighboring.ADD_OR_REMOVE_ONE, "example", 9, Header.SECURE);
    try (Ledger ledger = Ledger.inMemory(header)) {
      ledger.query("mean", new PrivacyEvent.Gaussian(5));
      ledger.reserve(step, 0, 10);
      ledger.restart(4, "test");
      ledger.reserve(step, 4, 20);
      ledger.finish(11);
      return ledger.contents();
    }
  }

  private String ledger() {
    return folder.resolve("ledger.jsonl").toString();
  }

  private Map<String, @Nullable Object> json() {
    List<String> args = List.of("account", "--ledger", ledger(), "--json");
    return Console.run(args.toArray(new String[0])).json();
  }
}
