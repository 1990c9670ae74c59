package org.sordino.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sordino.cli.Console.Outcome;

class AccountCommandTest {

  private static final String PAPER = "account --sampling-rate 0.01 --noise-multiplier 4";

  @Test
  void account_paperSetting_givesThePaperNumbers() {
    Outcome outcome = Console.line(PAPER + " --steps 10000 --delta 1e-5 --json");

    assertThat(outcome.code()).isZero();
    assertThat(outcome.err()).isEmpty();
    assertThat(outcome.number("moments")).isCloseTo(1.258574741, within(1e-9));
    assertThat(outcome.number("strongPaper")).isCloseTo(9.339065244, within(1e-9));
    assertThat(outcome.number("strong")).isCloseTo(16.84, within(0.005));
    assertThat(outcome.number("rdp")).isBetween(0.9469, 1.0355);
    assertThat(outcome.number("gdp")).isCloseTo(0.94244, within(1e-5));
    assertThat(outcome.number("naive")).isGreaterThan(outcome.number("strong"));
    Map<?, ?> tight = (Map<?, ?>) outcome.json().get("tight");
    assertThat((Double) tight.get("lower")).isCloseTo(0.94686680076438, within(1e-9));
    assertThat((Double) tight.get("upper")).isCloseTo(0.94686680076438, within(1e-9));
    assertThat(tight.get("method")).isEqualTo("contour");
  }

  @Test
  void account_json_containsTheSettingAndTheKindOfEachNumber() {
    Map<String, @Nullable Object> json =
        Console.line(PAPER + " --steps 1e4 --delta 1e-5 --json").json();

    assertThat(json)
        .containsEntry("samplingRate", 0.01)
        .containsEntry("noiseMultiplier", 4.0)
        .containsEntry("steps", 10000L)
        .containsEntry("delta", 1e-5)
        .containsEntry("answer", "epsilon")
        .containsEntry("neighbouring", "add-remove");
    assertThat((Map<?, ?>) json.get("evidence"))
        .hasToString(
            "{tight=guarantee, rdp=upper bound, moments=upper bound, strong=upper bound,"
                + " naive=upper bound, strongPaper=not a bound, gdp=approximation}");
    assertThat((List<?>) json.get("attacker")).hasSize(3);
  }

  @Test
  void account_table_showsEveryAccountantAndItsKind() {
    Outcome outcome = Console.line(PAPER + " --steps 10000 --delta 1e-5");

    assertThat(outcome.out())
        .containsPattern("tight +0\\.94687 +guarantee")
        .containsPattern("strongPaper +9\\.3391 +not a bound")
        .containsPattern("gdp +0\\.94244 +approximation")
        .contains("one record added or removed")
        .contains("The run is (0.94687, 1e-5)-differentially private.")
        .contains("rate of 0.1%, the true positive rate is at most 0.229%");
  }

  @Test
  void account_epsilonGiven_computesTheDeltaOfThatEpsilon() {
    Outcome there = Console.line(PAPER + " --steps 10000 --epsilon 0.94686680076438 --json");
    Map<?, ?> tight = (Map<?, ?>) there.json().get("tight");

    assertThat(there.json()).containsEntry("answer", "delta");
    assertThat((Double) tight.get("upper")).isCloseTo(1e-5, within(1e-13));
    assertThat(there.number("rdp")).isGreaterThan(1e-5).isLessThan(1e-4);
  }

  @Test
  void account_attacker_isBetweenGuessingAndTheBoundOfEpsilon() {
    Outcome outcome = Console.line(PAPER + " --steps 10000 --delta 1e-5 --json");

    for (Object item : (List<?>) outcome.json().get("attacker")) {
      Map<?, ?> attack = (Map<?, ?>) item;
      double falsePositives = (Double) attack.get("falsePositiveRate");
      double truePositives = (Double) attack.get("truePositiveRate");
      assertThat(truePositives)
          .isGreaterThan(falsePositives)
          .isLessThanOrEqualTo(Math.exp(0.94687) * falsePositives + 1e-5);
    }
  }

  @Test
  void account_populationBatchEpochs_meanTheSameAsRateAndSteps() {
    String rest = " --noise-multiplier 1.3 --delta 1e-5 --json";
    Outcome friendly = Console.line("account --population 60000 --batch 256 --epochs 50" + rest);
    Outcome exact = Console.line("account --sampling-rate 256/60000 --steps 11719" + rest);

    assertThat(friendly.code()).isZero();
    assertThat(friendly.out()).isEqualTo(exact.out());
    assertThat(friendly.json()).containsEntry("steps", 11719L);
  }

  @Test
  void account_replaceOne_costsMoreAndIsDescribed() {
    Outcome addRemove = Console.line(PAPER + " --steps 100 --delta 1e-5 --json");
    Outcome replace = Console.line(PAPER + " --steps 100 --delta 1e-5 --json --replace-one");

    assertThat(replace.json()).containsEntry("neighbouring", "replace-one");
    assertThat(upper(replace)).isGreaterThan(1.5 * upper(addRemove));
    assertThat(Console.line(PAPER + " --steps 100 --delta 1e-5 --replace-one").out())
        .contains("one record replaced");
  }

  @Test
  void account_group_costsMoreThanOneRecordAndIsDescribed() {
    Outcome one = Console.line(PAPER + " --steps 100 --delta 1e-5 --json");
    Outcome three = Console.line(PAPER + " --steps 100 --delta 1e-5 --json --group 3");

    assertThat(three.json()).containsEntry("records", 3L);
    assertThat(upper(three)).isGreaterThan(2 * upper(one));
    assertThat(Console.line(PAPER + " --steps 100 --delta 1e-5 --group 3").out())
        .contains("up to 3 records added or removed")
        .contains("a person's records");
  }

  @Test
  void account_noSteps_costsNothing() {
    Outcome outcome = Console.line(PAPER + " --steps 0 --delta 1e-5 --json");

    assertThat(upper(outcome)).isZero();
    assertThat(outcome.number("naive")).isZero();
    assertThat(Console.line(PAPER + " --steps 0 --delta 1e-5").code()).isZero();
  }

  @Test
  void account_noNoise_isInfiniteAndNotPrivate() {
    String line = "account --sampling-rate 0.01 --noise-multiplier 0 --steps 10 --delta 1e-5";

    assertThat(Console.line(line).out()).contains("not private").contains("infinite");
    assertThat(((Map<?, ?>) Console.line(line + " --json").json().get("tight")).get("upper"))
        .isEqualTo("Infinity");
  }

  @Test
  void account_curve_writesAPageWithAllAccountants(@TempDir Path folder) throws IOException {
    Path file = folder.resolve("a curve.html");

    Outcome outcome =
        Console.run(
            "account",
            "--sampling-rate",
            "0.01",
            "--noise-multiplier",
            "4",
            "--steps",
            "40",
            "--delta",
            "1e-5",
            "--curve",
            file.toString());

    assertThat(outcome.code()).isZero();
    assertThat(outcome.err()).contains("wrote");
    assertThat(Files.readString(file))
        .contains("\"tight\"", "\"rdp\"", "\"moments\"", "\"strong\"", "\"naive\"")
        .contains("strongPaper, not a bound", "gdp, approximation");
  }

  private static double upper(Outcome outcome) {
    return (Double) ((Map<?, ?>) outcome.json().get("tight")).get("upper");
  }
}
