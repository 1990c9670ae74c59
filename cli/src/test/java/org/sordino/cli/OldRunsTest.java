package org.sordino.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.assertj.core.api.InstanceOfAssertFactories.LIST;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.sordino.cli.Console.Outcome;

/**
 * Compatibility with version 0.1: its run directories and budget files are still read with the same
 * results, and the same seed still gives the same weights. The files and the expected output are in
 * {@code runs-0.1}; the README there describes how they were created. This test only runs commands,
 * so that it does not depend on the classes that implement them.
 */
class OldRunsTest {

  private static final Path FROZEN = frozen();

  /** The output of version 0.1. */
  private static final Path EXPECTED = FROZEN.resolve("expected");

  /** The placeholder in the frozen files for the folder that contains them. */
  private static final String HERE = "@HERE@";

  /**
   * The tolerance of numbers. Exponentials and logarithms depend on Java and the processor, so that
   * the last digits may differ on platforms other than the one that created the runs.
   */
  private static final double ROUNDING =
      "amd64".equals(System.getProperty("os.arch"))
              && "OpenJDK 64-Bit Server VM".equals(System.getProperty("java.vm.name"))
          ? 0
          : 1e-6;

  /** The tolerance of network predictions, which depend on the instruction set of the processor. */
  private static final double PROBABILITY = 1e-5;

  /**
   * The tolerance of network weights after some steps. The rounding slack is smaller than in
   * version 0.1, which raises clipping bounds by 0.1% and changes every step by as much.
   */
  private static final double WEIGHT = 1e-3;

  @TempDir private Path here;

  static List<String> runs() throws IOException {
    return runsWith("run.json");
  }

  static List<String> tables() throws IOException {
    List<String> runs = new ArrayList<>(runsWith("model.json"));
    runs.remove("images"); // its data set is not available
    return runs;
  }

  static List<String> seeds() throws IOException {
    return runs().stream().filter(run -> run.startsWith("seed-")).toList();
  }

  /** Returns one run for every form of plan. */
  static List<String> plans() throws IOException {
    return tables().stream()
        .filter(run -> !run.startsWith("seed-") || run.matches("seed-(groups|softmax)"))
        .toList();
  }

  static List<String> budgets() throws IOException {
    try (Stream<Path> files = Files.list(FROZEN.resolve("data"))) {
      return files
          .map(file -> file.getFileName().toString())
          .filter(name -> name.endsWith(".budget"))
          .sorted()
          .toList();
    }
  }

  @ParameterizedTest
  @MethodSource("runs")
  void statement_oldRun_isTheSame(String name) throws IOException {
    Path run = copy(name);

    Outcome outcome = Console.run("statement", run.toString(), "--json");

    if (name.startsWith("seed-")) {
      assertThat(outcome.code()).isEqualTo(2);
      assertThat(outcome.err()).contains("no guarantee can be stated", "insecure seed");
    } else if (isUnfinished(name)) {
      // Version 0.1 charged the reserved steps; later versions charge the whole plan.
      assertThat(outcome.code()).as(outcome.err()).isZero();
      assertThat(outcome.number("epsilon"))
          .isGreaterThan((Double) expected(name + "/statement.json").get("epsilon"));
      assertThat(Files.readString(run.resolve("statement.md")))
          .contains("The run is not finished and is charged its whole plan.");
    } else {
      assertThat(outcome.code()).as(outcome.err()).isZero();
      // The limits are sentences, which newer versions word differently.
      assertThat(outcome.json().get("limits")).asInstanceOf(LIST).hasSizeGreaterThan(3);
      assertSame(
          without(outcome.json(), "limits"),
          without(expected(name + "/statement.json"), "limits"),
          ROUNDING);
    }
    Path old = FROZEN.resolve(name).resolve("statement.md");
    if (Files.exists(old)) {
      assertThat(guarantee(run.resolve("statement.md"))).hasSize(2).isEqualTo(guarantee(old));
    }
  }

  private static boolean isUnfinished(String name) {
    return name.equals("killed") || name.equals("lost");
  }

  @ParameterizedTest
  @MethodSource("runs")
  void account_oldLedger_costsTheSame(String name) throws IOException {
    Path ledger = copy(name).resolve("ledger.jsonl");

    Outcome outcome = Console.run("account", "--ledger", ledger.toString(), "--json");

    assertThat(outcome.code()).as(outcome.err()).isZero();
    assertSame(outcome.json(), expected(name + "/account.json"), ROUNDING);
  }

  @ParameterizedTest
  @MethodSource("tables")
  void predict_oldModel_givesTheSamePredictions(String name) throws IOException {
    Path run = copy(name);

    Outcome outcome = Console.run("predict", "--run", run.toString(), "--data", newRecords(run));

    assertThat(outcome.code()).as(outcome.err()).isZero();
    assertSamePredictions(
        outcome.out(),
        text(EXPECTED.resolve(name).resolve("predictions.csv")),
        isNetwork(name) ? PROBABILITY : ROUNDING);
  }

  @ParameterizedTest
  @MethodSource("tables")
  void evaluate_oldModel_givesTheSameResults(String name) throws IOException {
    Path run = copy(name);

    Outcome outcome =
        Console.run("evaluate", "--run", run.toString(), "--data", newRecords(run), "--json");

    assertThat(outcome.code()).as(outcome.err()).isZero();
    assertSame(
        outcome.json(),
        expected(name + "/evaluation.json"),
        isNetwork(name) ? PROBABILITY : ROUNDING);
  }

  @ParameterizedTest
  @MethodSource("tables")
  void resume_finishedRun_givesTheSameModelAndResults(String name) throws IOException {
    Path run = copy(name);
    Files.delete(run.resolve("model.safetensors"));

    Outcome outcome = Console.run("resume", run.toString(), "--json");

    assertThat(outcome.code()).as(outcome.err()).isZero();
    assertSameTensors(run, FROZEN.resolve(name), 0);
    assertSameResults(run, name, isNetwork(name) ? PROBABILITY : ROUNDING);
    assertThat(run.resolve("ledger.jsonl")).hasSameBinaryContentAs(frozen(name, "ledger.jsonl"));
    assertThat(run.resolve("report.html")).isNotEmptyFile();
    if (name.startsWith("budget-")) {
      String budget = name.equals("budget-alone") ? "one.budget" : "people.budget";
      assertSame(budget(budget), expected(budget + ".json"), ROUNDING);
    }
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void train_sameInsecureSeed_givesTheSameWeights(String name) throws IOException {
    Path old = copy(name);
    Path run = here.resolve("again");

    Outcome outcome = Console.run(command(name, run));

    assertThat(outcome.code()).as(outcome.err()).isZero();
    if (isNetwork(name)) {
      assertSameTensors(run, old, WEIGHT);
      return;
    }
    assertSameTensors(run, old, ROUNDING);
    assertSameResults(run, name, ROUNDING);
    if (ROUNDING == 0) {
      for (String file : List.of("plan.json", "metrics.csv", "private-metrics.csv")) {
        if (Files.exists(old.resolve(file))) {
          assertThat(run.resolve(file)).hasSameBinaryContentAs(frozen(name, file));
        }
      }
    }
  }

  /**
   * A plan is written exactly as it was read, because a killed run compares it byte for byte before
   * it continues with its key.
   */
  @ParameterizedTest
  @MethodSource("plans")
  void resume_runKilledBeforeItsFirstStep_keepsItsPlan(String name) throws IOException {
    Path run = copy(name, List.of("plan.json", "run.json", "metrics.csv", "budget-id"));

    Outcome outcome = Console.run("resume", run.toString(), "--json");

    assertThat(outcome.code()).as(outcome.err()).isZero();
    assertThat(run.resolve("plan.json")).hasSameBinaryContentAs(frozen(name, "plan.json"));
    assertSame(outcome.json().get("steps"), results(name).get("steps"), 0);
  }

  @Test
  void resume_killedRunWithItsKey_continuesWithTheSameNoise() throws IOException {
    Path run = copy("killed");
    Path key = giveKey(run);

    Outcome outcome = Console.run("resume", run.toString(), "--json");

    assertThat(outcome.code()).as(outcome.err()).isZero();
    assertThat(key).doesNotExist();
    if (isSameJava()) {
      Path end = EXPECTED.resolve("killed");
      assertSameTensors(run, end, 0);
      assertSame(outcome.json(), without(expected("killed/results.json"), "run"), 0);
      for (String file : List.of("ledger.jsonl", "private-metrics.csv")) {
        assertThat(run.resolve(file)).hasSameBinaryContentAs(end.resolve(file));
      }
      assertSame(budget("killed.budget"), expected("killed/killed.budget"), 0);
    } else {
      assertThat(run.resolve("ledger.jsonl")).content().contains("\"restart\"", "\"finish\"");
      assertThat(Console.run("statement", run.toString()).out())
          .contains("The run is finished.", "from step 16,447", "were repeated count twice");
    }
  }

  @Test
  void resume_killedRunWithoutItsKey_countsStepsAgain() throws IOException {
    Path run = copy("lost");
    Path end = EXPECTED.resolve("lost");

    Outcome outcome = Console.run("resume", run.toString(), "--json");

    assertThat(outcome.code()).as(outcome.err()).isZero();
    assertThat(outcome.json())
        .containsEntry("steps", 33_000L)
        .containsEntry("outcome", "completed");
    assertThat(run.resolve("ledger.jsonl")).hasSameBinaryContentAs(end.resolve("ledger.jsonl"));
    assertThat(Console.run("statement", run.toString()).out())
        .contains(
            "from step 16,447, because the key of the run was not found",
            "were repeated count twice");
    assertSame(account(run), expected("lost/account-resumed.json"), ROUNDING);
    assertThat(budget("lost.budget").toString()).contains("executed").doesNotContain("planned");
  }

  @ParameterizedTest
  @MethodSource("budgets")
  void budget_oldFile_isTheSame(String name) throws IOException {
    copy("logistic");

    assertSame(budget(name), expected(name + ".json"), ROUNDING);
    Outcome outcome = Console.run("budget", here.resolve("data").resolve(name).toString());
    assertThat(outcome.code()).as(outcome.err()).isZero();
    assertThat(outcome.out()).contains("for people.csv");
  }

  @ParameterizedTest
  @ValueSource(strings = {"one.budget", "people.budget"})
  void train_oldBudget_isReservedAndSettled(String name) throws IOException {
    copy("logistic");
    List<?> before = (List<?>) expected(name + ".json").get("runs");
    Path run = here.resolve("another");

    Outcome outcome = Console.run(training(name, "0.5", run));

    assertThat(outcome.code()).as(outcome.err()).isZero();
    List<?> after = (List<?>) budget(name).get("runs");
    assertThat(after).hasSize(before.size() + 1);
    assertSame(after.subList(0, before.size()), before, 0);
    Map<String, @Nullable Object> added = new LinkedHashMap<>();
    added.put("id", text(run.resolve("budget-id")).strip());
    added.put("directory", run.toString());
    added.put("event", account(run).get("event"));
    added.put("state", "executed");
    added.put("unit", "example");
    assertSame(after.get(before.size()), added, 0);
  }

  @Test
  void train_moreThanAnOldBudgetHasLeft_isRefused() throws IOException {
    copy("logistic");
    Path budget = here.resolve("data").resolve("people.budget");
    String before = text(budget);

    Outcome outcome = Console.run(training("people.budget", "4", here.resolve("another")));

    assertThat(outcome.code()).isEqualTo(3);
    assertThat(text(budget)).isEqualTo(before);
    assertThat(here.resolve("another")).doesNotExist();
  }

  private static Path frozen() {
    try {
      return Path.of(
              Objects.requireNonNull(OldRunsTest.class.getResource("/runs-0.1/README.md")).toURI())
          .resolveSibling("");
    } catch (URISyntaxException e) {
      throw new AssertionError(e);
    }
  }

  private static Path frozen(String run, String file) {
    return FROZEN.resolve(run).resolve(file);
  }

  private static List<String> runsWith(String file) throws IOException {
    try (Stream<Path> folders = Files.list(FROZEN)) {
      return folders
          .filter(folder -> Files.exists(folder.resolve(file)))
          .map(folder -> folder.getFileName().toString())
          .sorted()
          .toList();
    }
  }

  private static boolean isNetwork(String run) {
    return run.endsWith("mlp");
  }

  /** Copies tables, budgets and a run to the temporary folder. */
  private Path copy(String run) throws IOException {
    return copy(run, List.of());
  }

  /**
   * Copies tables, budgets and some files of a run to the temporary folder.
   *
   * @param files names of the files; empty for all files
   */
  private Path copy(String run, List<String> files) throws IOException {
    copyFolder("data", List.of());
    copyFolder(run, files);
    return here.resolve(run);
  }

  private void copyFolder(String name, List<String> files) throws IOException {
    List<Path> all;
    try (Stream<Path> walk = Files.walk(FROZEN.resolve(name))) {
      all = walk.filter(Files::isRegularFile).toList();
    }
    for (Path file : all) {
      String last = file.getFileName().toString();
      if (files.isEmpty() || files.contains(last)) {
        Path target = here.resolve(FROZEN.relativize(file).toString());
        Files.createDirectories(target.getParent());
        if (last.endsWith(".json") || last.endsWith(".budget")) {
          Files.writeString(target, placed(text(file)));
        } else {
          Files.copy(file, target);
        }
      }
    }
  }

  /** Replaces the placeholder in the text of a frozen file with the temporary folder. */
  private String placed(String text) {
    return text.replace(HERE, here.toString().replace('\\', '/'));
  }

  /** Returns an answer of version 0.1 with the sentences that were worded differently then. */
  private static String reworded(String answer) {
    return answer
        .replace("so its noise can be taken off again", "so the noise can be removed")
        .replace(
            "one user added or removed with all examples",
            "one user added or removed, with all of their examples")
        .replace(
            "one example added or removed: the slot it is in may change altogether",
            "one example added or removed, which may change its whole microbatch");
  }

  private static String text(Path file) throws IOException {
    return Files.readString(file);
  }

  private static Map<String, @Nullable Object> json(String text) {
    return new Outcome(0, text, "").json();
  }

  /** Returns an expected JSON output. */
  private Map<String, @Nullable Object> expected(String name) throws IOException {
    return json(reworded(placed(Files.readString(EXPECTED.resolve(name)))));
  }

  /** Returns the results that version 0.1 wrote at the end of a run, without the directory. */
  private static Map<String, @Nullable Object> results(String run) throws IOException {
    return without(json(reworded(text(frozen(run, "results.json")))), "run");
  }

  private static Map<String, @Nullable Object> without(
      Map<String, @Nullable Object> json, String name) {
    Map<String, @Nullable Object> rest = new LinkedHashMap<>(json);
    rest.remove(name);
    return rest;
  }

  /** Returns epsilon and delta, and the head of the ledger, from a statement of any version. */
  private static List<String> guarantee(Path statement) throws IOException {
    Pattern facts =
        Pattern.compile(
            "> .*(\\([0-9.]+, [0-9.e-]+\\)-differential privacy|no privacy guarantee)"
                + "|(\\d+ lines, chain [0-9a-f]{32})");
    return facts
        .matcher(text(statement))
        .results()
        .map(fact -> fact.group(fact.group(1) == null ? 2 : 1))
        .toList();
  }

  /** Returns a file with new records that have the columns of the training records. */
  private String newRecords(Path run) throws IOException {
    Map<?, ?> task =
        (Map<?, ?>) Objects.requireNonNull(json(text(run.resolve("run.json"))).get("task"));
    String table = String.valueOf(task.get("file")).replaceFirst("^.*/", "");
    String name = table.equals("demo") ? "census-new.csv" : table.replace(".csv", "-new.csv");
    return here.resolve("data").resolve(name).toString();
  }

  /** Returns the command that created a run, with another run directory. */
  private String[] command(String name, Path run) throws IOException {
    String typed = String.valueOf(json(text(frozen(name, "run.json"))).get("command"));
    List<String> words = new ArrayList<>();
    for (String word : typed.split(" ", -1)) {
      words.add(placed(word));
    }
    words.remove(0); // "sordino"
    words.set(words.indexOf("--out") + 1, run.toString());
    return words.toArray(String[]::new);
  }

  private String[] training(String budget, String epsilon, Path run) {
    Path data = here.resolve("data");
    return new String[] {
      "train",
      "--data",
      data.resolve("people.csv").toString(),
      "--label",
      "employed",
      "--holdout",
      "0.2",
      "--steps",
      "30",
      "--epsilon",
      epsilon,
      "--budget-file",
      data.resolve(budget).toString(),
      "--out",
      run.toString()
    };
  }

  private Map<String, @Nullable Object> budget(String name) {
    Outcome outcome =
        Console.run("budget", here.resolve("data").resolve(name).toString(), "--json");
    assertThat(outcome.code()).as(outcome.err()).isZero();
    return outcome.json();
  }

  private static Map<String, @Nullable Object> account(Path run) {
    Outcome outcome =
        Console.run("account", "--ledger", run.resolve("ledger.jsonl").toString(), "--json");
    assertThat(outcome.code()).as(outcome.err()).isZero();
    return outcome.json();
  }

  /** Copies the key of a run to the folder of keys. */
  private static Path giveKey(Path run) throws IOException {
    String folder = System.getenv("SORDINO_KEYS");
    assertThat(folder).as("SORDINO_KEYS must be a folder for tests, as in pom.xml").isNotBlank();
    String ledger = text(run.resolve("ledger.jsonl"));
    String name = json(ledger.substring(0, ledger.indexOf('\n'))).get("run") + ".key";
    Files.createDirectories(Path.of(folder));
    Path key = Path.of(folder).resolve(name);
    Files.write(key, Files.readAllBytes(FROZEN.resolve("keys").resolve(name)));
    return key;
  }

  /** Whether this is the Java recorded in the checkpoint of the killed run, as resuming needs. */
  private static boolean isSameJava() throws IOException {
    String noted =
        Files.readString(frozen("killed", "checkpoint/state"), StandardCharsets.ISO_8859_1);
    return noted.contains(
        " %s %s %s "
            .formatted(
                System.getProperty("java.vm.name"),
                System.getProperty("java.vm.version"),
                System.getProperty("os.arch")));
  }

  /** Asserts that the actual JSON contains everything in the expected one; it may contain more. */
  private static void assertSame(
      @Nullable Object actual, @Nullable Object expected, double tolerance) {
    if (expected instanceof Map<?, ?> fields) {
      assertThat(actual).isInstanceOf(Map.class);
      Map<?, ?> now = (Map<?, ?>) actual;
      fields.forEach(
          (name, value) -> {
            assertThat(now.containsKey(name)).as("%s in %s", name, now).isTrue();
            assertSame(now.get(name), value, tolerance);
          });
    } else if (expected instanceof List<?> items) {
      assertThat(actual).isInstanceOf(List.class);
      List<?> now = (List<?>) actual;
      assertThat(now).hasSameSizeAs(items);
      for (int i = 0; i < items.size(); i++) {
        assertSame(now.get(i), items.get(i), tolerance);
      }
    } else if (expected instanceof Double number) {
      assertThat(actual).isInstanceOf(Double.class);
      assertClose((Double) actual, number, tolerance);
    } else {
      assertThat(actual).isEqualTo(expected);
    }
  }

  private static void assertClose(double actual, double expected, double tolerance) {
    if (tolerance == 0) {
      assertThat(actual).isEqualTo(expected);
    } else {
      assertThat(actual).isCloseTo(expected, within(tolerance * Math.max(1, Math.abs(expected))));
    }
  }

  private static void assertSameResults(Path run, String old, double tolerance) throws IOException {
    assertSame(json(text(run.resolve("results.json"))), results(old), tolerance);
  }

  private static void assertSamePredictions(String actual, String expected, double tolerance) {
    if (tolerance == 0) {
      assertThat(actual).isEqualTo(expected);
      return;
    }
    List<String> rows = expected.lines().toList();
    List<String> now = actual.lines().toList();
    assertThat(now).hasSameSizeAs(rows);
    assertThat(now.get(0)).isEqualTo(rows.get(0));
    for (int i = 1; i < rows.size(); i++) {
      String[] fields = rows.get(i).split(",", -1);
      String[] others = now.get(i).split(",", -1);
      assertThat(others).hasSameSizeAs(fields);
      for (int k = 0; k < fields.length; k++) {
        if (k == 0 && fields.length > 1) {
          assertThat(others[k]).isEqualTo(fields[k]); // the name of a class
        } else {
          assertClose(Double.parseDouble(others[k]), Double.parseDouble(fields[k]), tolerance);
        }
      }
    }
  }

  /** Asserts that the weights are the same; metadata may differ. */
  private static void assertSameTensors(Path run, Path old, double tolerance) throws IOException {
    Map<String, double[]> now = tensors(run.resolve("model.safetensors"));
    Map<String, double[]> then = tensors(old.resolve("model.safetensors"));
    assertThat(now.keySet()).isNotEmpty().containsExactlyElementsOf(then.keySet());
    then.forEach(
        (name, values) -> {
          double[] others = Objects.requireNonNull(now.get(name));
          if (tolerance == 0) {
            assertThat(others).as(name).isEqualTo(values);
          } else {
            assertThat(others).as(name).containsExactly(values, within(tolerance));
          }
        });
  }

  /**
   * Reads a safetensors file: the length of a JSON header, the header, and then the numbers, all
   * little-endian.
   *
   * @return values by name, type and shape
   */
  private static Map<String, double[]> tensors(Path file) throws IOException {
    byte[] bytes = Files.readAllBytes(file);
    ByteBuffer buffer = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    int length = Math.toIntExact(buffer.getLong());
    Map<String, double[]> tensors = new LinkedHashMap<>();
    json(new String(bytes, 8, length, StandardCharsets.UTF_8))
        .forEach(
            (name, item) -> {
              Map<?, ?> tensor = (Map<?, ?>) Objects.requireNonNull(item);
              if (!name.equals("__metadata__")) {
                boolean wide = "F64".equals(tensor.get("dtype"));
                List<?> place = (List<?>) tensor.get("data_offsets");
                int from = 8 + length + ((Number) place.get(0)).intValue();
                int to = 8 + length + ((Number) place.get(1)).intValue();
                double[] values = new double[(to - from) / (wide ? 8 : 4)];
                for (int i = 0; i < values.length; i++) {
                  values[i] = wide ? buffer.getDouble(from + 8 * i) : buffer.getFloat(from + 4 * i);
                }
                tensors.put(name + " " + tensor.get("dtype") + " " + tensor.get("shape"), values);
              }
            });
    return tensors;
  }
}
