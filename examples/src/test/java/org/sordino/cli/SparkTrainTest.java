package org.sordino.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.DoubleStream;
import java.util.zip.GZIPOutputStream;
import org.apache.spark.sql.SparkSession;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sordino.json.Json;
import org.sordino.run.Run;
import org.sordino.table.DemoCensus;
import org.sordino.training.Safetensors;

/** Compares the command line with and without Spark on the same files. */
class SparkTrainTest {

  private static final int PEOPLE = 3_000;
  private static final String PLAN =
      " --population 3000 --epsilon 1 --delta 1e-5 --steps 12 --batch 500 --insecure-seed 3";

  @TempDir private static Path temp;

  private static Path people;
  private static Path schema;

  /** The exit code and output of a command. */
  private record Outcome(int code, String out, String err) {
    Map<String, @Nullable Object> json() {
      return Json.readObject(out);
    }
  }

  private static Outcome line(String line) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    int code = Main.run(new PrintWriter(out), new PrintWriter(err), line.strip().split("\\s+"));
    return new Outcome(code, out.toString(), err.toString());
  }

  @BeforeAll
  static void prepare() {
    System.setProperty("spark.ui.enabled", "false");
    System.setProperty("spark.driver.host", "127.0.0.1");
    System.setProperty("spark.driver.bindAddress", "127.0.0.1");
    people = temp.resolve("people.csv");
    DemoCensus.write(people, PEOPLE);
    schema = temp.resolve("schema.json");
    assertThat(line("schema " + people + " --label employed --out " + schema).code()).isZero();
  }

  @AfterAll
  static void stop() {
    if (!SparkSession.getDefaultSession().isEmpty()) {
      SparkSession.getDefaultSession().get().stop();
    }
    List.of("spark.ui.enabled", "spark.driver.host", "spark.driver.bindAddress")
        .forEach(System::clearProperty);
  }

  private static Path train(String name, Path data, String options) {
    Path run = temp.resolve(name);
    Outcome outcome =
        line("train --data " + data + " --schema " + schema + PLAN + options + " --out " + run);
    assertThat(outcome.err()).isEmpty();
    assertThat(outcome.code()).isZero();
    return run;
  }

  private static Map<String, List<Double>> tensors(Path run) throws IOException {
    Map<String, List<Double>> values = new TreeMap<>();
    Safetensors.ofBytes(Files.readAllBytes(run.resolve("model.safetensors")))
        .tensors()
        .forEach(
            (name, tensor) -> values.put(name, DoubleStream.of(tensor.values()).boxed().toList()));
    return values;
  }

  @Test
  void train_csvAndCsvGzOnSpark_equalsTheModelOfOneMachine() throws IOException {
    Map<String, List<Double>> alone = tensors(train("alone", people, " --holdout 0.2"));
    Path packed = temp.resolve("people.csv.gz");
    try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(packed))) {
      Files.copy(people, out);
    }
    String spark = " --holdout 0.2 --engine spark --master local[2]";
    Path run = train("csv", people, spark);
    assertThat(tensors(run)).isEqualTo(alone);
    assertThat(tensors(train("gz", packed, spark + " --partitions 3"))).isEqualTo(alone);
    for (String file : List.of("statement.md", "report.html", "ledger.jsonl", "model.json")) {
      assertThat(run.resolve(file)).isNotEmptyFile();
    }
    assertThat(Files.readString(run.resolve("metrics.csv")))
        .isEqualTo(Files.readString(temp.resolve("alone/metrics.csv")));
  }

  @Test
  @Tag("slow")
  void train_folderOfFilesAndParquet_equalsTheModelOfOneMachine() throws IOException {
    Map<String, List<Double>> alone = tensors(train("whole", people, ""));
    Path folder = Files.createDirectories(temp.resolve("parts"));
    List<String> lines = Files.readAllLines(people);
    for (int part = 0; part < 3; part++) {
      List<String> some = new ArrayList<>(List.of(lines.get(0)));
      some.addAll(lines.subList(1 + part * 1000, 1 + (part + 1) * 1000));
      Files.write(folder.resolve("part-" + part + ".csv"), some);
    }
    String spark = " --engine spark --master local[2]";
    assertThat(tensors(train("folder", folder, spark + " --partitions 2"))).isEqualTo(alone);

    Path parquet = temp.resolve("people.parquet");
    SparkSession session = SparkSession.getDefaultSession().get();
    session
        .read()
        .option("header", "true")
        .option("inferSchema", "true")
        .csv(people.toString())
        .coalesce(1)
        .write()
        .parquet(parquet.toString());
    assertThat(tensors(train("parquet", parquet, spark))).isEqualTo(alone);
  }

  /** Float sums per partition may differ in their last bits. */
  @Test
  @Tag("slow")
  void train_networkOnSpark_equalsTheModelOfOneMachineUpToRounding() throws IOException {
    Map<String, List<Double>> alone = tensors(train("mlp", people, " --model mlp"));
    Path run =
        train("spark-mlp", people, " --model mlp --engine spark --master local[2] --partitions 3");
    Map<String, List<Double>> spark = tensors(run);
    assertThat(Run.open(run).statement().limits())
        .noneMatch(limit -> limit.startsWith("Partitions: "));
    Path info = run.resolve("run.json"); // a run of an earlier build has no such field
    Files.writeString(
        info, Files.readString(info).replaceFirst("\"placement\" *: *\"content\",?\\s*", ""));
    assertThat(Run.open(run).statement().limits())
        .anyMatch(limit -> limit.startsWith("Partitions: "));
    assertThat(spark.keySet()).isEqualTo(alone.keySet());
    alone.forEach(
        (name, values) -> {
          for (int i = 0; i < values.size(); i++) {
            assertThat(spark.get(name).get(i)).isCloseTo(values.get(i), within(1e-4));
          }
        });
  }

  /** Writes the table with owners: every third row belongs to one person, the rest to many. */
  private static Path owned() throws IOException {
    List<String> lines = Files.readAllLines(people);
    lines.set(0, lines.get(0) + ",person");
    for (int i = 1; i < lines.size(); i++) {
      String person = i % 3 == 0 ? "many" : "p" + i / (i % 2 == 0 ? 7 : 2);
      lines.set(i, lines.get(i) + "," + person);
    }
    return Files.write(temp.resolve("owned.csv"), lines);
  }

  @Test
  void train_usersOnSpark_equalsTheModelOfOneMachine() throws IOException {
    Path table = owned();
    String users = " --unit user --user-column person --examples-per-record 3 --metrics loss";
    Path run = train("users-alone", table, users + " --holdout 0.2");
    Map<String, List<Double>> alone = tensors(run);
    String spark = users + " --holdout 0.2 --engine spark --master local[2]";
    Path clustered = train("users-spark", table, spark);
    assertThat(tensors(clustered)).isEqualTo(alone);
    assertThat(tensors(train("users-parts", table, spark + " --partitions 3"))).isEqualTo(alone);
    assertThat(Files.readString(clustered.resolve("metrics.csv")))
        .isEqualTo(Files.readString(run.resolve("metrics.csv")));
    Outcome resumed = line("resume " + clustered + " --json");
    assertThat(resumed.code()).isZero();
  }

  @Test
  @Tag("slow")
  void train_userUpdatesAndParquetOnSpark_equalsTheModelOfOneMachine() throws IOException {
    Path table = owned();
    String update = " --unit user-update --user-column person --examples-per-record 5";
    Map<String, List<Double>> alone = tensors(train("home-alone", table, update));
    String spark = " --engine spark --master local[2]";
    assertThat(tensors(train("home-spark", table, update + spark))).isEqualTo(alone);
    Path parquet = temp.resolve("owned.parquet");
    SparkSession.getDefaultSession()
        .get()
        .read()
        .option("header", "true")
        .csv(table.toString())
        .coalesce(1)
        .write()
        .parquet(parquet.toString());
    assertThat(tensors(train("home-parquet", parquet, update + spark))).isEqualTo(alone);
  }

  @Test
  void resume_onSpark_restoresRecordsAndEngine() {
    Path run = train("again", people, " --engine spark --master local[2]");
    Outcome outcome = line("resume " + run + " --json");
    assertThat(outcome.code()).isZero();
    assertThat(outcome.json().get("steps")).isEqualTo(12L);
  }

  @Test
  void train_badOptions_areRefusedWithTheFix() throws IOException {
    String train = "train --data " + people + " --schema " + schema + " --epsilon 1";
    assertThat(line(train + " --engine flink").err())
        .contains("--engine must be java or spark, got flink");
    assertThat(line(train + " --master local[2]").err()).contains("need --engine spark");
    assertThat(line("train --engine spark").err()).contains("--data is missing");
    assertThat(line("train --data x.parquet --label y --epsilon 1 --engine spark").err())
        .contains("--schema is missing");
    Outcome missing =
        line(
            "train --data none.csv --schema "
                + schema
                + " --epsilon 1 --engine spark --master local[2]");
    assertThat(missing.code()).isEqualTo(2);
    assertThat(missing.err()).contains("none.csv must exist");
    Path bad = temp.resolve("bad.csv");
    List<String> lines = new ArrayList<>(Files.readAllLines(people));
    String[] fields = lines.get(7).split(",", -1);
    fields[List.of(lines.get(0).split(",")).indexOf("employed")] = "perhaps";
    lines.set(7, String.join(",", fields));
    Files.write(bad, lines);
    String message =
        line("train --data "
                + bad
                + " --schema "
                + schema
                + " --epsilon 1 --engine spark --master local[2] --out "
                + temp.resolve("bad"))
            .err();
    assertThat(message).contains("bad.csv line 8").contains("perhaps");
  }

  /** Trains on the census of the README. The accuracy must be close to that of one machine. */
  @Test
  @Tag("slow")
  void train_pums_hasTheAccuracyOfOneMachine() {
    Path pums = Path.of("../../shared/datasets/pums/FultonPUMS5full.csv.gz");
    org.junit.jupiter.api.Assumptions.assumeTrue(Files.exists(pums), "the PUMS file is missing");
    String options =
        "train --data "
            + pums
            + " --label employed --population 25766 --epsilon 1 --delta 1e-6 --holdout 0.2 --json";
    double alone = accuracy(line(options + " --out " + temp.resolve("pums-java")));
    double spark =
        accuracy(
            line(
                options + " --engine spark --master local[2] --out " + temp.resolve("pums-spark")));
    System.out.println("PUMS accuracy: java " + alone + ", spark " + spark);
    assertThat(spark).isBetween(alone - 0.01, alone + 0.01);
  }

  private static double accuracy(Outcome outcome) {
    assertThat(outcome.code()).isZero();
    return (Double) ((Map<?, ?>) outcome.json().get("test")).get("accuracy");
  }
}
