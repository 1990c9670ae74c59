package org.sordino.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sordino.cli.Console.Outcome;
import org.sordino.json.Json;
import org.sordino.mechanism.Layout;
import org.sordino.run.SampleRun;
import org.sordino.table.DemoCensus;
import org.sordino.table.Schema;
import org.sordino.training.LinearModel;
import org.sordino.training.Safetensors;

/** {@code predict}, {@code evaluate} and {@code schema}. */
class ModelCommandsTest {

  private static final String PEOPLE =
      """
      x,colour,income
      1,red,10
      9,blue,90
      5,"a, b",50
      """;

  @TempDir private Path folder;

  @Test
  void predict_demoRun_agreesWithEvaluate() throws IOException {
    String run = SampleRun.in(folder.resolve("run")).make().toString();
    Path people = folder.resolve("people.csv");
    DemoCensus.write(people, 500);
    Path scores = folder.resolve("scores.csv");

    Outcome predict =
        Console.run(
            "predict", "--run", run, "--data", people.toString(), "--out", scores.toString());
    Outcome evaluate = Console.run("evaluate", "--run", run, "--data", people.toString(), "--json");

    assertThat(predict.code()).as(predict.err()).isZero();
    List<String> lines = Files.readAllLines(scores);
    assertThat(lines).hasSize(501);
    assertThat(lines.get(0)).isEqualTo("prediction,p(0),p(1)");
    List<String> truths =
        Files.readAllLines(people).stream().skip(1).map(line -> line.split(",", -1)[5]).toList();
    long right = 0;
    for (int i = 0; i < truths.size(); i++) {
      String[] fields = lines.get(i + 1).split(",", -1);
      right += fields[0].equals(truths.get(i)) ? 1 : 0;
      assertThat(Double.parseDouble(fields[1]) + Double.parseDouble(fields[2]))
          .isBetween(1 - 1e-12, 1 + 1e-12);
    }
    assertThat(evaluate.number("accuracy")).isEqualTo(right / 500.0).isGreaterThan(0.55);
    assertThat(evaluate.json())
        .containsEntry("note", "not private")
        .containsEntry("records", 500L)
        .containsKeys("auc", "logLoss", "confusion");
  }

  @Test
  void predict_softmax_givesEveryClassInTheOrderOfRows() throws IOException {
    Path run =
        run(
            """
            {"origin":"public","columns":[{"name":"x","kind":"numeric","min":0,"max":10}],
             "label":{"column":"colour","kind":"category","values":["a, b","blue","red"],
              "positive":"red"}}
            """,
            LinearModel.softmax(1, 3),
            new double[] {0, 5, -5, 0.1, 0, 0});
    Path data = Files.writeString(folder.resolve("new.csv"), PEOPLE);

    Outcome outcome = Console.run("predict", "--run", run.toString(), "--data", data.toString());

    assertThat(outcome.code()).as(outcome.err()).isZero();
    assertThat(outcome.out()).startsWith("prediction,\"p(a, b)\",p(blue),p(red)\nred,");
    assertThat(outcome.out().lines().skip(1).map(line -> line.substring(0, 4)))
        .containsExactly("red,", "blue", "\"a, ");
  }

  @Test
  void regression_isInTheUnitOfTheLabel() throws IOException {
    Path run =
        run(
            """
            {"origin":"public","columns":[{"name":"x","kind":"numeric","min":1,"max":9}],
             "label":{"column":"income","kind":"numeric","min":10,"max":90}}
            """,
            LinearModel.regression(1),
            new double[] {1, 0});
    Path data = Files.writeString(folder.resolve("new.csv"), PEOPLE);
    String[] where = {"--run", run.toString(), "--data", data.toString()};

    Outcome predict = Console.run("predict", where[0], where[1], where[2], where[3]);
    Outcome evaluate = Console.run("evaluate", where[0], where[1], where[2], where[3]);

    assertThat(predict.out()).isEqualTo("prediction\n10.0\n90.0\n50.0\n");
    assertThat(evaluate.out()).contains("NOT private").containsPattern("square error +0");
  }

  @Test
  void evaluate_text_hasTheConfusionMatrixAndIsMarkedNotPrivate() {
    String run = SampleRun.in(folder.resolve("run")).make().toString();
    Path people = folder.resolve("people.csv");
    DemoCensus.write(people, 300);

    assertThat(Console.run("evaluate", "--run", run, "--data", people.toString()).out())
        .contains("Results on 300 records (NOT private)")
        .containsPattern("accuracy +\\d\\d\\.\\d+%")
        .containsPattern("AUC +0\\.\\d+")
        .contains("truth \\ prediction");
  }

  @Test
  void model_ofAnUnfinishedRun_isRefusedWithTheCommandToFinishIt() throws IOException {
    Path run = SampleRun.in(folder.resolve("run")).make();
    Files.delete(run.resolve("model.json"));

    Outcome outcome = Console.run("predict", "--run", run.toString(), "--data", "x.csv");

    assertThat(outcome.code()).isEqualTo(2);
    assertThat(outcome.err()).contains("sordino resume");
  }

  @Test
  void model_damaged_isCode4() throws IOException {
    Path run = SampleRun.in(folder.resolve("run")).make();
    byte[] whole = Files.readAllBytes(run.resolve("model.safetensors"));
    String json = Files.readString(run.resolve("model.json"));
    for (int length : new int[] {0, 7, 40, whole.length - 1}) {
      Files.write(run.resolve("model.safetensors"), java.util.Arrays.copyOf(whole, length));
      assertDamaged(run);
    }
    Files.write(run.resolve("model.safetensors"), whole);
    for (String wrong :
        List.of(
            "{",
            "{}",
            json.replace("logistic", "mlp"),
            json.replace("\"inputs\" : 9", "\"inputs\" : 8"),
            json.replace("\"schema\"", "\"scheme\""))) {
      Files.writeString(run.resolve("model.json"), wrong);
      assertDamaged(run);
    }
  }

  private static void assertDamaged(Path run) {
    Outcome outcome = Console.run("predict", "--run", run.toString(), "--data", "x.csv");
    assertThat(outcome.code()).as(outcome.err()).isEqualTo(4);
    assertThat(outcome.err()).contains("is damaged").doesNotContain("Exception");
    assertThat(outcome.err().lines()).hasSize(1);
  }

  @Test
  void schema_isDraftedAndNeverOverwritten() throws IOException {
    Path people = folder.resolve("people.csv");
    DemoCensus.write(people, 300);
    Path out = folder.resolve("schema.json");
    String[] line = {"schema", people.toString(), "--label", "employed", "--out", out.toString()};

    Outcome first = Console.run(line);
    Outcome second = Console.run(line);

    assertThat(first.code()).as(first.err()).isZero();
    assertThat(Schema.load(out).drafted()).isTrue();
    assertThat(Schema.load(out).requireLabel().column()).isEqualTo("employed");
    assertThat(second.code()).isEqualTo(2);
    assertThat(second.err()).contains("--out must be a new file");
  }

  @Test
  void schema_withoutHeaderAndWithTabs_isPrinted() throws IOException {
    Path file = Files.writeString(folder.resolve("t.tsv"), "1\ta\n2\tb\n3\ta\n4\tb\n");

    Outcome outcome = Console.run("schema", file.toString(), "--no-header", "--delimiter", "tab");

    assertThat(outcome.code()).as(outcome.err()).isZero();
    assertThat(outcome.out()).contains("\"c1\"", "\"c2\"").doesNotContain("label");
    assertThat(Console.run("schema", file.toString(), "--delimiter", "tabs").err())
        .contains("--delimiter must be one character");
    assertThat(Console.run("schema", folder.resolve("no.csv").toString()).code()).isEqualTo(2);
  }

  private Path run(String schema, LinearModel model, double[] theta) throws IOException {
    Path run = Files.createDirectory(folder.resolve("made"));
    Files.writeString(run.resolve("run.json"), "{}");
    Files.writeString(
        run.resolve("model.json"),
        Json.write(
            Map.of(
                "task",
                "table",
                "model",
                Map.of(
                    "kind",
                    model.kind().name().toLowerCase(java.util.Locale.ROOT),
                    "inputs",
                    (long) model.inputs(),
                    "outputs",
                    (long) model.outputs()),
                "schema",
                Json.readObject(schema))));
    Layout layout = model.layout();
    int weights = layout.offset(1);
    Files.write(
        run.resolve("model.safetensors"),
        new Safetensors(
                Map.of(
                    "weight",
                    tensor(List.of(model.outputs(), model.inputs()), theta, 0, weights),
                    "bias",
                    tensor(List.of(model.outputs()), theta, weights, theta.length)),
                Map.of())
            .toBytes());
    return run;
  }

  private static Safetensors.Tensor tensor(List<Integer> shape, double[] theta, int from, int to) {
    return new Safetensors.Tensor(
        Safetensors.Type.F64, shape, java.util.Arrays.copyOfRange(theta, from, to));
  }
}
