package org.sordino.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.sordino.json.Json;
import org.sordino.ledger.Ledger;
import org.sordino.table.DemoCensus;
import org.sordino.training.Safetensors;
import org.sordino.training.TrainingPlan;

class TrainCommandTest {

  @TempDir Path temp;

  private Path run() {
    return temp.resolve("run");
  }

  private Console.Outcome train(String arguments) {
    return Console.line("train " + arguments + " --out " + run());
  }

  private Path people(int count) {
    Path file = temp.resolve("people.csv");
    DemoCensus.write(file, count);
    return file;
  }

  @Test
  void demo_givesAModelWithAGuarantee() throws IOException {
    Console.Outcome outcome = train("--steps 60 --json");

    assertThat(outcome.code()).isZero();
    Map<String, ?> json = Json.readObject(outcome.out());
    assertThat((Double) json.get("epsilon")).isBetween(0.99, 1.0);
    assertThat(json.get("delta")).isEqualTo(1e-5);
    assertThat(json.get("steps")).isEqualTo(60L);
    assertThat(json.get("run")).isEqualTo(run().toString());
    Map<?, ?> test = (Map<?, ?>) json.get("test");
    assertThat((Double) test.get("accuracy"))
        .isCloseTo((Double) test.get("nonPrivateAccuracy"), within(0.05));
    assertThat(Json.readObject(Files.readString(run().resolve("results.json")))).isEqualTo(json);
  }

  @Test
  void runDirectory_holdsPlanLedgerModelStatementAndReport() throws IOException {
    train("--steps 30");

    for (String file :
        List.of(
            "run.json",
            "plan.json",
            "ledger.jsonl",
            "metrics.csv",
            "results.json",
            "model.safetensors",
            "model.json",
            "statement.md",
            "report.html",
            "checkpoint/state")) {
      assertThat(run().resolve(file)).isNotEmptyFile();
    }
    TrainingPlan plan = TrainingPlan.fromJson(Files.readString(run().resolve("plan.json")));
    assertThat(Ledger.read(run().resolve("ledger.jsonl")).event())
        .isEqualTo(plan.privacy().event());
    assertThat(Files.readAllLines(run().resolve("metrics.csv"))).hasSizeBetween(20, 40);
  }

  @Test
  void model_carriesItsPrivacyRecord() throws IOException {
    train("--steps 30");

    Safetensors model = Safetensors.ofBytes(Files.readAllBytes(run().resolve("model.safetensors")));
    assertThat(model.tensors().get("weight").shape()).containsExactly(1, 9);
    assertThat(model.tensors().get("bias").shape()).containsExactly(1);
    assertThat(model.metadata())
        .containsEntry("delta", "1.0E-5")
        .containsEntry("unit", "example")
        .containsEntry("neighbouring", "ADD_OR_REMOVE_ONE")
        .containsEntry("ledgerChain", Ledger.read(run().resolve("ledger.jsonl")).head().chain());
    assertThat(Double.parseDouble(model.metadata().get("epsilon"))).isBetween(0.99, 1.0);
  }

  @Test
  void text_showsPlanResultAndLocationOfTheReport() {
    Console.Outcome outcome = train("--steps 30");

    assertThat(outcome.out())
        .contains("logistic regression of employed on 9 features")
        .contains("noise      multiplier")
        .containsPattern("Accuracy   \\d\\d\\.\\d% on [0-9,]+ test records \\(not private\\); ")
        .containsPattern("; \\d\\d\\.\\d% without privacy")
        .contains("Privacy    (1.0000, 1e-5)-differentially private")
        .contains("report.html");
  }

  @Test
  void populationAndSchema_areDeclaredOrNot() throws IOException {
    Path people = people(500);
    train("--data " + people + " --label employed --epsilon 3 --steps 10");
    assertThat(Files.readString(run().resolve("run.json")))
        .contains("\"populationDeclared\" : false")
        .contains("\"schemaDeclared\" : false");

    Console.line(
        "train --population 600 --data %s --label employed --epsilon 3 --steps 10 --out %s"
            .formatted(people, temp.resolve("declared")));
    assertThat(Files.readString(temp.resolve("declared/run.json")))
        .contains("\"populationDeclared\" : true");
    assertThat(Files.readString(temp.resolve("declared/plan.json")))
        .contains("\"population\" : 600");
  }

  @Test
  void noiseMultiplierZero_andSeeds_stateNoGuarantee() throws IOException {
    Console.Outcome plain = train("--noise-multiplier 0 --steps 10 --json");
    assertThat(plain.out()).contains("\"epsilon\" : \"Infinity\"");

    Console.Outcome seeded =
        Console.line("train --insecure-seed 4 --steps 10 --out " + temp.resolve("seeded"));
    assertThat(seeded.out()).contains("NO guarantee: the randomness came from a seed");
    assertThat(Files.readString(temp.resolve("seeded/statement.md")))
        .doesNotContain("-differentially private.");
  }

  @Test
  void severalClasses_andNumbers_canBePredicted() throws IOException {
    SplittableRandom random = new SplittableRandom(2);
    StringBuilder text = new StringBuilder("x,colour,y\n");
    for (int i = 0; i < 800; i++) {
      double x = random.nextDouble();
      text.append(
          "%.4f,%s,%.4f\n".formatted(x, x < 0.3 ? "red" : x < 0.6 ? "green" : "blue", 3 * x));
    }
    Path file = Files.writeString(temp.resolve("t.csv"), text);
    Console.Outcome classes =
        train("--data " + file + " --label colour --epsilon 8 --holdout 0.2 --json");
    assertThat(classes.code()).isZero();
    assertThat(((Map<?, ?>) Json.readObject(classes.out()).get("test")).get("confusion"))
        .asInstanceOf(org.assertj.core.api.InstanceOfAssertFactories.LIST)
        .hasSize(3);

    Console.Outcome numbers =
        Console.line(
            "train --data %s --label y --epsilon 8 --holdout 0.2 --json --out %s"
                .formatted(file, temp.resolve("numbers")));
    assertThat(numbers.code()).isZero();
    assertThat(numbers.out()).contains("rootMeanSquareError");
  }

  @Test
  void plan_reachesMechanismsWithoutAnOption() throws IOException {
    Path plan =
        Files.writeString(
            temp.resolve("plan.json"),
            """
            {"groups": [{"name": "both", "vectors": ["weight", "bias"],
                         "scales": [1, 0.5], "bound": 1.2}],
             "optimiser": {"kind": "adam", "learningRate": 0.05, "beta1": 0.9, "beta2": 0.99,
                           "epsilon": 1e-6, "noiseCorrection": true}}
            """);

    assertThat(train("--plan " + plan + " --epsilon 2 --steps 10").code()).isZero();

    TrainingPlan used = TrainingPlan.fromJson(Files.readString(run().resolve("plan.json")));
    assertThat(used.mechanism().groups().get(0).scales()).containsExactly(1.0, 0.5);
    assertThat(used.optimizer().toString()).contains("noiseCorrection=true");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--epsilon 0 | --epsilon must be above 0",
        "--delta 2 | --delta must be above 0 and below 1",
        "--clip -1 | --clip must be above 0",
        "--epochs 1 --steps 1 | --steps and --epochs cannot be combined",
        "--epsilon 1 --noise-multiplier 1 | cannot be combined unless",
        "--decay decoupled | --decay needs --weight-decay",
        "--holdout 1 | --holdout must be above 0 and below 1",
        "--test a --holdout 0.1 | --test and --holdout cannot be combined",
        "--label x | --data is missing",
        "--data nowhere.csv --label y --epsilon 1 | --data must be a file that exists",
        "--plan nowhere.json | --plan must be a file that exists",
        "--momentum 0.5 --optimizer adam | --momentum requires --optimizer sgd",
        "--schedule up | --schedule must be constant, linear or cosine",
        "--model tree | --model must be linear, mlp, mnist-cnn",
        "--batch 1e9 | at most the population"
      })
  void badOptions_areOneLineAndLeaveNothingBehind(String options, String message) {
    Console.Outcome outcome = train(options);

    assertThat(outcome.code()).isEqualTo(Main.BAD_INPUT);
    assertThat(outcome.err()).contains(message).hasLineCount(1);
    assertThat(run()).doesNotExist();
  }

  @Test
  void unreadableRecords_leaveNoRunBehind() throws IOException {
    Path ragged = Files.writeString(temp.resolve("ragged.csv"), "a,y\n1,0\n2,1,3\n");

    Console.Outcome outcome = train("--data " + ragged + " --label y --epsilon 1");

    assertThat(outcome.code()).isEqualTo(Main.BAD_INPUT);
    assertThat(outcome.err()).contains("ragged.csv").contains("3").hasLineCount(1);
    assertThat(run()).doesNotExist();
  }

  @Test
  void aRunIsNotOverwritten() {
    train("--steps 5");

    Console.Outcome again = train("--steps 5");

    assertThat(again.code()).isEqualTo(Main.BAD_INPUT);
    assertThat(again.err()).contains("--out must be a new run directory");
  }

  @Test
  void finishedRun_canBeResumed_andStaysTheSame() throws IOException {
    train("--steps 20 --json");
    byte[] model = Files.readAllBytes(run().resolve("model.safetensors"));

    Console.Outcome resumed = Console.line("resume " + run() + " --json");

    assertThat(resumed.code()).isZero();
    assertThat(Files.readAllBytes(run().resolve("model.safetensors"))).isEqualTo(model);
  }

  static Stream<String> damages() {
    return Stream.of("removed", "swapped", "edited", "cut");
  }

  @ParameterizedTest
  @org.junit.jupiter.params.provider.MethodSource("damages")
  void damagedLedger_isNamedByLine_andNothingIsTouched(String damage) throws IOException {
    train("--steps 20");
    Path ledger = run().resolve("ledger.jsonl");
    List<String> lines = new java.util.ArrayList<>(Files.readAllLines(ledger));
    switch (damage) {
      case "removed" -> lines.remove(1);
      case "swapped" -> java.util.Collections.swap(lines, 1, 2);
      case "edited" -> lines.set(1, lines.get(1).replace("20", "10"));
      default -> lines.set(lines.size() - 1, lines.get(lines.size() - 1).substring(0, 30));
    }
    Files.write(ledger, lines);
    for (String command : List.of("resume ", "statement ", "report ")) {
      Console.Outcome outcome = Console.line(command + run());
      assertThat(outcome.code()).as(command).isEqualTo(Main.DAMAGED_RUN);
      assertThat(outcome.err()).contains("ledger.jsonl, line ").hasLineCount(1);
    }
    assertThat(Files.readAllLines(ledger)).isEqualTo(lines);
  }

  @Test
  void secondProcessOnARun_isRefused() {
    train("--steps 20");
    try (Ledger held = Ledger.resume(run().resolve("ledger.jsonl"), org.sordino.ledger.Head.NONE)) {
      assertThat(held.head().lines()).isPositive();
      Console.Outcome outcome = Console.line("resume " + run());
      assertThat(outcome.code()).isEqualTo(Main.DAMAGED_RUN);
      assertThat(outcome.err()).hasLineCount(1);
    }
  }

  @Test
  void plan_trainsNothing_andShowsTheEffectOfSettings() {
    Console.Outcome outcome = Console.line("plan --steps 100 --json");

    assertThat(outcome.code()).isZero();
    Map<String, ?> json = Json.readObject(outcome.out());
    assertThat((Double) json.get("epsilon")).isBetween(0.99, 1.0);
    assertThat((List<?>) json.get("knobs")).hasSize(7);
    assertThat(Path.of("runs")).doesNotExist();
  }
}
