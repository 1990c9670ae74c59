package org.sordino.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.stream.Stream;
import org.h2.Driver;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sordino.cli.Console.Outcome;
import org.sordino.run.Run;
import org.sordino.run.Task;
import org.sordino.run.Training;
import org.sordino.table.DemoCensus;
import org.sordino.training.Safetensors;

/** {@code train} on the rows of an H2 database. */
class DatabaseTrainTest {

  private static final String PASSWORD = "hunter2-s3cret";
  private static final String PLAN = " --population 2000 --epsilon 1 --steps 12 --batch 500";

  @TempDir private Path folder;
  private String url;
  private Connection open;

  @BeforeEach
  void fill() throws SQLException {
    Path people = folder.resolve("people.csv");
    DemoCensus.write(people, 2_000);
    url = "jdbc:h2:" + folder.resolve("census") + ";USER=sa;PASSWORD=" + PASSWORD;
    open = DriverManager.getConnection(url);
    try (Statement statement = open.createStatement()) {
      statement.execute(
          "create table people as select rownum() as id, * from csvread('" + people + "')");
      statement.execute("create view shuffled as select * from people");
    }
  }

  @AfterEach
  void close() throws SQLException {
    open.close();
  }

  private static List<String> words(String options, String query) {
    return Stream.concat(Stream.of(options.strip().split("\\s+")), Stream.of("--query", query))
        .toList();
  }

  private Outcome train(String name, String query, String options) {
    return Console.run(
        words(
                "train --data "
                    + address()
                    + " --label employed"
                    + PLAN
                    + options
                    + " --out "
                    + folder.resolve(name),
                query)
            .toArray(String[]::new));
  }

  /** Returns the URL of the database, which is already open in this process; H2 permits this. */
  private String address() {
    return url;
  }

  private static final String COLUMNS =
      "sex, married, black, asian, collegedegree, employed, militaryservice, uscitizen, disability,"
          + " englishability";
  private static final String QUERY = "select " + COLUMNS + " from people order by id";

  private static Object tensors(Path run) throws IOException {
    return Safetensors.ofBytes(Files.readAllBytes(run.resolve("model.safetensors")))
        .tensors()
        .entrySet()
        .stream()
        .map(entry -> entry.getKey() + java.util.Arrays.toString(entry.getValue().values()))
        .toList();
  }

  @Test
  void train_query_givesTheSameWeightsAsTheFile() throws IOException {
    Outcome file =
        Console.line(
            "train --data "
                + folder.resolve("people.csv")
                + " --label employed"
                + PLAN
                + " --insecure-seed 5 --out "
                + folder.resolve("file"));
    Outcome database = train("database", QUERY, " --insecure-seed 5");

    assertThat(file.code()).as(file.err()).isZero();
    assertThat(database.code()).as(database.err()).isZero();
    assertThat(tensors(folder.resolve("database"))).isEqualTo(tensors(folder.resolve("file")));
  }

  @Test
  void train_passwordInTheUrl_isNeitherInTheRunNorInTheOutput() throws IOException {
    Outcome outcome = train("run", QUERY, "");

    assertThat(outcome.code()).as(outcome.err()).isZero();
    assertThat(outcome.out() + outcome.err()).doesNotContain(PASSWORD);
    try (Stream<Path> files = Files.walk(folder.resolve("run"))) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        assertThat(Files.readString(file, java.nio.charset.StandardCharsets.ISO_8859_1))
            .as(file.toString())
            .doesNotContain(PASSWORD);
      }
    }
    assertThat(Files.readString(folder.resolve("run/statement.md"))).contains(QUERY);
  }

  @Test
  void train_failures_showNeitherPasswordNorValues() {
    String wrong = url.replace(PASSWORD, "wr0ng-pass");
    Outcome refused =
        Console.run(
            words("train --data " + wrong + " --label employed --epsilon 1", QUERY)
                .toArray(String[]::new));
    Outcome syntax = train("x", "select nothing from people", "");
    Outcome cast = train("y", "select cast('s3cret value' as int) employed from people", "");

    for (Outcome outcome : List.of(refused, syntax, cast)) {
      assertThat(outcome.code()).as(outcome.err()).isEqualTo(2);
      assertThat(outcome.err()).doesNotContain("s3cret", "wr0ng", "org.h2");
      assertThat(outcome.err().lines()).hasSize(1);
    }
  }

  @Test
  void train_withoutFolder_doesNotPrintThePassword() {
    assertThat(
            Console.run(
                    words("train --data " + url + "x --label employed --epsilon 1", "select")
                        .toArray(String[]::new))
                .err())
        .doesNotContain(PASSWORD);
  }

  @Test
  void options_thatDoNotFit_areRefusedByName() {
    assertThat(Console.line("train --label a --epsilon 1 --data " + url).err())
        .contains("--query is missing");
    assertThat(
            Console.line("train --epsilon 1 --label a --query x --data " + folder + "/people.csv")
                .err())
        .contains("--query and --jdbc-driver need --data with a JDBC URL");
    assertThat(
            Console.run(
                    words("train --engine spark --epsilon 1 --label a --data " + url, "select 1")
                        .toArray(String[]::new))
                .err())
        .contains("--engine spark cannot read databases");
  }

  /** Rows in a different order are different records: steps are repeated and counted again. */
  @Test
  void resume_rowsInAnotherOrder_countsStepsAgainAndNamesTheFix() throws Exception {
    String query = "select " + COLUMNS + " from shuffled";
    Outcome whole = train("whole", query, "");
    assertThat(whole.code()).as(whole.err()).isZero();
    Path stopped = folder.resolve("stopped");
    Run run = Run.open(folder.resolve("whole"));
    long[] step = {0};
    Training.of(Task.of(run.task(), url))
        .onProgress(now -> step[0] = now.step())
        .stopWhen(() -> step[0] == 3)
        .run(stopped, run.plan());
    try (Statement statement = open.createStatement()) {
      statement.execute("create or replace view shuffled as select * from people order by id desc");
    }

    Outcome resumed = Console.run("resume", stopped.toString(), "--data", url);

    assertThat(resumed.code()).as(resumed.err()).isZero();
    assertThat(resumed.out()).contains("counted again", "ORDER BY");
    assertThat(Files.readString(stopped.resolve("statement.md"))).contains("from step");
  }

  @Test
  void resume_otherDatabase_isRefusedWithoutItsPassword() {
    train("run", QUERY, "");

    Outcome outcome =
        Console.run(
            "resume",
            folder.resolve("run").toString(),
            "--data",
            "jdbc:postgresql://me:" + PASSWORD + "@host/db");

    assertThat(outcome.code()).isEqualTo(2);
    assertThat(outcome.err())
        .contains("--data must be the database of the run")
        .doesNotContain(PASSWORD);
  }

  @Test
  void driver_fromAJar_isUsed() throws Exception {
    Path jar = Path.of(Driver.class.getProtectionDomain().getCodeSource().getLocation().toURI());

    Outcome outcome =
        Console.run(
            words(
                    "train --data jdbc:h2:mem:empty --label employed --epsilon 1 --jdbc-driver "
                        + jar,
                    "select 1 employed where false")
                .toArray(String[]::new));

    assertThat(outcome.code()).isEqualTo(2);
    assertThat(outcome.err()).contains("at least one record");
  }
}
