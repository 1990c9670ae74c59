package org.sordino.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sordino.json.Json;
import org.sordino.ledger.Ledger;
import org.sordino.table.DemoCensus;
import org.sordino.training.Safetensors;

/** Commands on networks. Uses tables, which need no data set. */
class NetworkTrainTest {

  @TempDir Path temp;

  @Test
  void mlpOnATable_trainsPredictsAndEvaluates() throws IOException {
    Path people = temp.resolve("people.csv");
    DemoCensus.write(people, 400);
    Path run = temp.resolve("run");

    Console.Outcome trained =
        Console.line(
            "train --data %s --label employed --epsilon 8 --model mlp --steps 12 --batch 100 --json --out %s"
                .formatted(people, run));

    assertThat(trained.code()).as(trained.err()).isZero();
    Safetensors model = Safetensors.ofBytes(Files.readAllBytes(run.resolve("model.safetensors")));
    assertThat(model.tensors()).hasSize(4);
    Console.Outcome evaluated =
        Console.line("evaluate --run %s --data %s --json".formatted(run, people));
    assertThat(evaluated.code()).as(evaluated.err()).isZero();
    assertThat(evaluated.number("accuracy")).isBetween(0.3, 1.0);
    Console.Outcome predicted = Console.line("predict --run %s --data %s".formatted(run, people));
    assertThat(predicted.out().lines()).hasSize(401);
  }

  @Test
  void architecturesThatDoNotFit_areRefusedByLayer_beforeRecordsAreRead() throws IOException {
    Path unknown =
        Files.writeString(
            temp.resolve("unknown.json"),
            "{\"input\": [9], \"layers\": [{\"type\": \"quantum\", \"name\": \"q1\"}]}");
    Console.Outcome outcome =
        Console.line(
            "train --data %s --label x --epsilon 1 --model %s --out %s"
                .formatted(temp.resolve("unknown.json"), unknown, temp.resolve("run")));
    assertThat(outcome.code()).isEqualTo(Main.BAD_INPUT);
    assertThat(outcome.err()).contains("quantum").hasLineCount(1);
    assertThat(temp.resolve("run")).doesNotExist();
  }

  @Test
  void tinyClippingBound_isRefusedBeforeRecordsAreRead() throws IOException {
    Path people = temp.resolve("people.csv");
    DemoCensus.write(people, 40);
    Path run = temp.resolve("run");
    for (String command : new String[] {"plan", "train --out " + run}) {
      Console.Outcome outcome =
          Console.line(
              "%s --data %s --label employed --epsilon 8 --population 40 --model mlp --clip 1e-28"
                  .formatted(command, people));
      assertThat(outcome.code()).isEqualTo(Main.BAD_INPUT);
      assertThat(outcome.err())
          .contains("must be at least 1e-12 for sums in float32, got 1.0E-28; use a larger bound")
          .hasLineCount(1);
    }
    assertThat(run).doesNotExist();
  }

  @Test
  void missingDataSet_isNamedWithItsOrigin() {
    Console.Outcome outcome =
        Console.line("train --data %s --epsilon 1 --model mnist-cnn".formatted(temp));
    assertThat(outcome.code()).isEqualTo(Main.BAD_INPUT);
    assertThat(outcome.err()).contains("train-images-idx3-ubyte").hasLineCount(1);
  }

  /** Kills the training of a network; the resumed run ends with the same weights. */
  @Test
  @Tag("slow")
  void killedNetwork_resumesToTheSameBits() throws Exception {
    Path people = temp.resolve("people.csv");
    DemoCensus.write(people, 3000);
    String arguments =
        "train --data %s --label employed --noise-multiplier 1 --model mlp --steps 3000 --batch 300 --insecure-seed 5 --out "
            .formatted(people);
    Path calm = temp.resolve("calm");
    assertThat(Console.line(arguments + calm).code()).isZero();
    for (int kill = 1; kill <= 3; kill++) {
      Path run = temp.resolve("killed" + kill);
      Process process = start(arguments + run);
      waitForReservations(run, kill);
      process.destroyForcibly().waitFor(30, TimeUnit.SECONDS);
      assertThat(run.resolve("model.safetensors")).doesNotExist();
      Console.Outcome resumed = Console.line("resume " + run);
      assertThat(resumed.code()).as(resumed.err()).isZero();
      assertThat(tensors(run)).isEqualTo(tensors(calm));
      assertThat(Ledger.read(run.resolve("ledger.jsonl")).event())
          .isEqualTo(Ledger.read(calm.resolve("ledger.jsonl")).event());
    }
  }

  private Process start(String arguments) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), Main.class.getName()));
    command.addAll(List.of(arguments.split(" ")));
    return new ProcessBuilder(command)
        .redirectErrorStream(true)
        .redirectOutput(temp.resolve("child.log").toFile())
        .start();
  }

  /** Waits until steps are running: until a time after the first reservation. */
  private static void waitForReservations(Path run, int kill) throws Exception {
    Path ledger = run.resolve("ledger.jsonl");
    for (int i = 0; i < 600; i++) {
      if (Files.exists(ledger) && Files.readString(ledger).contains("\"reserve\"")) {
        Thread.sleep(150L * kill);
        return;
      }
      Thread.sleep(50);
    }
    throw new AssertionError(
        "the run did not start: " + Files.readString(run.resolveSibling("child.log")));
  }

  private static Map<String, ?> tensors(Path run) throws IOException {
    Safetensors model = Safetensors.ofBytes(Files.readAllBytes(run.resolve("model.safetensors")));
    Map<String, Object> bits = new java.util.LinkedHashMap<>();
    model
        .tensors()
        .forEach(
            (name, tensor) ->
                bits.put(
                    name, Json.write(java.util.Arrays.stream(tensor.values()).boxed().toList())));
    return bits;
  }
}
