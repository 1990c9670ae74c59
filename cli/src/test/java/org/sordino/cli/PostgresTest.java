package org.sordino.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.math.BigDecimal;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Types;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.sordino.cli.Console.Outcome;
import org.sordino.ledger.Entry;
import org.sordino.run.Run;
import org.sordino.run.Task;
import org.sordino.run.Training;
import org.sordino.table.Schema;
import org.sordino.training.Safetensors;

/** {@code train} on the rows of a real PostgreSQL server. */
@Tag("slow")
@EnabledIf(
    value = "isInstalled",
    disabledReason = "PostgreSQL is not installed; install Debian's package postgresql")
class PostgresTest {

  private static final String PASSWORD = PostgresServer.PASSWORD;
  private static final int PEOPLE = 2_500;
  private static final String PLAN =
      " --label employed --population " + PEOPLE + " --epsilon 1 --steps 12 --batch 500";
  private static final String COLUMNS =
      "job, mood, age, visits, income, hours, score, member, born, seen, employed";
  private static final String QUERY = "select " + COLUMNS + " from people order by id";
  private static final int CHILD_SECONDS = 120;

  private static @Nullable PostgresServer server;
  private static @TempDir Path shared;
  private static Path people;

  @TempDir private Path folder;

  static boolean isInstalled() throws IOException {
    return PostgresServer.programs().isPresent();
  }

  @BeforeAll
  static void start() throws Exception {
    server = PostgresServer.start(PostgresServer.programs().orElseThrow());
    people = shared.resolve("people.csv");
    fill();
  }

  @AfterAll
  static void stop() throws Exception {
    if (server != null) {
      server.stop();
    }
  }

  /** Writes the same rows to a table and to a file. */
  private static void fill() throws SQLException, IOException {
    server.run(
        "create type mood as enum ('calm', 'tense')",
        "create table people (id int primary key, job text, mood mood, age integer, visits bigint,"
            + " income numeric(12, 2), hours double precision, score real, member boolean,"
            + " born date, seen timestamptz, employed text)");
    List<String> lines = new ArrayList<>(List.of(COLUMNS.replace(", ", ",")));
    SplittableRandom random = new SplittableRandom(7);
    try (Connection connection = server.connect();
        PreparedStatement insert =
            connection.prepareStatement(
                "insert into people values (?, ?, ?::mood, ?, ?, ?, ?, ?, ?, ?, ?, ?)")) {
      connection.setAutoCommit(false);
      for (int id = 1; id <= PEOPLE; id++) {
        Object[] row = person(random);
        insert.setInt(1, id);
        for (int i = 0; i < row.length; i++) {
          if (row[i] == null) {
            insert.setNull(i + 2, Types.NULL);
          } else {
            insert.setObject(i + 2, row[i]);
          }
        }
        insert.addBatch();
        lines.add(Arrays.stream(row).map(PostgresTest::field).collect(Collectors.joining(",")));
      }
      insert.executeBatch();
      connection.commit();
    }
    Files.write(people, lines);
  }

  private static Object[] person(SplittableRandom random) {
    int age = random.nextInt(18, 90);
    Object[] row = {
      List.of("nurse", "driver", "caf\u00e9 owner", "d\u011bln\u00edk, \"temp\"")
          .get(random.nextInt(4)),
      random.nextBoolean() ? "calm" : "tense",
      age,
      random.nextLong(4_000_000_000L),
      BigDecimal.valueOf(random.nextLong(-100_00, 90_000_00), 2),
      random.nextDouble() * 60,
      (float) random.nextDouble(),
      random.nextBoolean(),
      LocalDate.of(1990, 1, 1).plusDays(random.nextInt(12)),
      OffsetDateTime.of(2024, 5, random.nextInt(1, 9), 8, 30, 0, 0, ZoneOffset.UTC),
      null
    };
    for (int i = 0; i < row.length - 1; i++) {
      row[i] = random.nextInt(20) == 0 ? null : row[i];
    }
    row[row.length - 1] = random.nextInt(18, 90) < age ? "yes" : "no";
    return row;
  }

  private static String field(@Nullable Object value) {
    String text = value == null ? "" : value.toString();
    if (value instanceof OffsetDateTime time) {
      text = time.toInstant().toString();
    }
    return '"' + text.replace("\"", "\"\"") + '"';
  }

  private Outcome train(String url, String name, String query, String options) {
    return Console.run(command(url, name, query, options).toArray(String[]::new));
  }

  private List<String> command(String url, String name, String query, String options) {
    List<String> words =
        new ArrayList<>(
            List.of(("train" + PLAN + options + " --out " + folder.resolve(name)).split(" ")));
    words.addAll(List.of("--data", url, "--query", query));
    return words;
  }

  /** Runs the command in a separate process. */
  private Outcome child(
      Map<String, String> environment, List<String> jvm, String classPath, List<String> words)
      throws IOException, InterruptedException {
    Path java = Path.of(System.getProperty("java.home"), "bin", "java");
    List<String> command = new ArrayList<>(List.of(java.toString()));
    command.addAll(jvm);
    command.addAll(List.of("-cp", classPath, "org.sordino.cli.Main"));
    command.addAll(words);
    return Shell.run(folder, environment, CHILD_SECONDS, command);
  }

  private static String classPath() {
    return System.getProperty("java.class.path");
  }

  private static List<String> tensors(Path run) throws IOException {
    return Safetensors.ofBytes(Files.readAllBytes(run.resolve("model.safetensors")))
        .tensors()
        .entrySet()
        .stream()
        .map(entry -> entry.getKey() + Arrays.toString(entry.getValue().values()))
        .toList();
  }

  private static void assertDone(Outcome outcome) {
    assertThat(outcome.code()).as(outcome.err()).isZero();
  }

  private static void assertRefused(Outcome outcome, String message) {
    assertThat(outcome.code()).as(outcome.err()).isEqualTo(2);
    assertThat(outcome.err())
        .contains(message)
        .doesNotContain("s3cret", "wr0ng", "postgresql.util", "ERROR", "FATAL", "Exception");
    assertThat(outcome.err().lines()).hasSize(1);
  }

  /** Counts how often the server executed a query with this text, without cursor fetches. */
  private static long executions(String text) throws IOException {
    Pattern execution = Pattern.compile("(statement|execute (?!fetch from )\\S+): ");
    return server
        .log()
        .lines()
        .filter(line -> line.contains(text) && execution.matcher(line).find())
        .count();
  }

  private static long fetches(String text) throws IOException {
    return server
        .log()
        .lines()
        .filter(line -> line.contains(text) && line.contains("execute fetch from "))
        .count();
  }

  @ParameterizedTest
  @ValueSource(strings = {"drafted", "declared"})
  void train_query_givesTheSameWeightsAsTheFile(String kind) throws IOException {
    String options = " --insecure-seed 5";
    if (kind.equals("declared")) {
      Path schema = folder.resolve("schema.json");
      assertDone(
          Console.run(
              "schema", people.toString(), "--label", "employed", "--out", schema.toString()));
      options += " --schema " + schema;
    }
    Outcome file =
        Console.line(
            "train --data " + people + PLAN + options + " --out " + folder.resolve("file"));
    Outcome database = train(server.urlWithPassword(), "database", QUERY, options);

    assertDone(file);
    assertDone(database);
    assertThat(tensors(folder.resolve("database"))).isEqualTo(tensors(folder.resolve("file")));
    Schema schema = Run.open(folder.resolve("database")).task().schema();
    assertThat(schema.toJson())
        .isEqualTo(Run.open(folder.resolve("file")).task().schema().toJson());
    assertThat(schema.columns())
        .extracting(column -> column.getClass().getSimpleName())
        .contains("NumericColumn", "CategoryColumn")
        .doesNotContain("IgnoredColumn");
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void train_anyQuery_isExecutedOnceWithACursor(boolean counted) throws IOException {
    String mark = "/* once " + counted + " */";
    List<String> words = command(server.urlWithPassword(), "run", QUERY + " " + mark, "");
    if (counted) { // neither schema nor number of records are declared
      int at = words.indexOf("--population");
      words.subList(at, at + 2).clear();
      words.addAll(List.of("--holdout", "0.2", "--baseline"));
    }

    assertDone(Console.run(words.toArray(String[]::new)));

    assertThat(executions(mark)).isOne();
    assertThat(fetches(mark)).isEqualTo(PEOPLE / 1000);
  }

  /** Without a cursor, the driver would need several times this heap for the rows. */
  @Test
  void train_manyRows_needLittleMemory() throws Exception {
    int rows = 2_000_000;
    server.run(
        "create table many as select id, id % 2 = 0 as member, id % 3 = 0 as employed"
            + " from generate_series(1, "
            + rows
            + ") id");
    String query = "select member, employed from many order by id";
    List<String> words = command(server.urlWithPassword(), "run", query, "");
    words.set(words.indexOf("--population") + 1, Integer.toString(rows));
    words.set(words.indexOf("--batch") + 1, Integer.toString(rows / 4));

    Outcome outcome = child(Map.of(), List.of("-Xmx128m"), classPath(), words);

    assertDone(outcome);
    assertThat(executions(query)).isOne();
    assertThat(fetches(query)).isGreaterThanOrEqualTo(rows / 1000);
    server.run("drop table many");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "with gone as (delete from victims returning *) select age, employed from gone",
        "select age, employed, note() from people order by id",
        "select age, employed, nextval('notes_id_seq') from people order by id",
        "select age, employed from victims for update",
        "select '\\'; commit; delete from victims; --'"
      })
  void train_queryThatWrites_isRefusedAndChangesNothing(String query) throws Exception {
    server.run(
        "drop table if exists victims",
        "create table victims as select * from people",
        "create table if not exists notes (id serial, text text)",
        "create or replace function note() returns int language plpgsql as"
            + " 'begin insert into notes (text) values (''x''); return 1; end'");

    assertRefused(train(server.urlWithPassword(), "run", query, ""), "query");

    assertThat(count("victims")).isEqualTo(PEOPLE);
    assertThat(count("notes")).isZero();
    assertThat(folder.resolve("run")).doesNotExist();
  }

  private static long count(String table) throws SQLException {
    try (Connection connection = server.connect();
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery("select count(*) from " + table)) {
      rows.next();
      return rows.getLong(1);
    }
  }

  @Test
  void train_failures_areExplainedWithoutSecrets() {
    String url = server.urlWithPassword();
    assertRefused(
        train(url.replace(PASSWORD, "wr0ng"), "a", QUERY, ""), "the user name and password");
    assertRefused(train(server.url(), "b", QUERY, ""), "check the user name, the password");
    assertRefused(
        train(url.replace(":" + server.port(), ":1"), "c", QUERY, ""), "check the host, the port");
    assertRefused(
        train(url.replace("127.0.0.1", "db.invalid"), "d", QUERY, ""), "check the host, the port");
    assertRefused(
        train(url.replace("/postgres", "/s3cret"), "e", QUERY, ""), "check the name of the");
    assertRefused(train(url, "f", "select * from s3cret", ""), "names of tables");
    assertRefused(train(url, "g", "select s3cret from people", ""), "names of tables");
    assertRefused(
        train(url, "h", "select 's3cret'::int as age, employed from people", ""),
        "check its casts");
    assertRefused(
        train(url, "i", "select 1 / (2000 - id) as age, employed from people order by id", ""),
        "check its casts");
    assertThat(folder).isEmptyDirectory();
  }

  /** Nothing is charged to a budget or created before the records have been read. */
  @Test
  void train_failureWithEverythingDeclared_leavesNoRun() {
    Path schema = folder.resolve("schema.json");
    assertDone(
        Console.run(
            "schema", people.toString(), "--label", "employed", "--out", schema.toString()));

    assertRefused(
        train(
            server.urlWithPassword().replace(PASSWORD, "wr0ng"),
            "run",
            QUERY,
            " --schema " + schema),
        "the user name and password");

    assertThat(folder.resolve("run")).doesNotExist();
  }

  @Test
  void password_fromTheEnvironment_isNeitherInTheRunNorInTheOutput() throws Exception {
    Map<String, String> environment =
        Map.of("SORDINO_JDBC_USER", PostgresServer.USER, "SORDINO_JDBC_PASSWORD", PASSWORD);

    Outcome outcome =
        child(environment, List.of(), classPath(), command(server.url(), "run", QUERY, ""));

    assertDone(outcome);
    assertThat(outcome.out() + outcome.err()).doesNotContain(PASSWORD);
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        assertThat(Files.readString(file, StandardCharsets.ISO_8859_1))
            .as(file.toString())
            .doesNotContain(PASSWORD, PostgresServer.USER);
      }
    }
    assertThat(Files.readString(folder.resolve("run/statement.md"))).contains(QUERY);
    assertThat(Files.readString(folder.resolve("run/report.html"))).contains("from people");
  }

  /** The driver does not support this form and logs the part that it parses as the port. */
  @ParameterizedTest
  @CsvSource({"db.invalid, check the URL", "db.invalid:5432, check the host"})
  void password_beforeTheHost_isNotShown(String host, String message) throws Exception {
    String url = "jdbc:postgresql://" + PostgresServer.USER + ":" + PASSWORD + "@" + host + "/x";

    assertRefused(child(Map.of(), List.of(), classPath(), command(url, "run", QUERY, "")), message);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void resume_orderedQuery_repeatsTheStepsBitForBit(boolean seeded) throws Exception {
    String options = seeded ? " --insecure-seed 9" : "";
    assertDone(train(server.urlWithPassword(), "whole", QUERY, options));
    Run whole = Run.open(folder.resolve("whole"));
    Path stopped = folder.resolve("stopped");
    long[] step = {0};
    Training training =
        Training.of(Task.of(whole.task(), server.urlWithPassword()))
            .onProgress(now -> step[0] = now.step())
            .stopWhen(() -> step[0] == 5);
    if (seeded) {
      training.insecureSeed(9);
    }
    training.run(stopped, whole.plan());
    assertThat(stopped.resolve("model.safetensors")).doesNotExist();

    assertDone(Console.run("resume", stopped.toString(), "--data", server.urlWithPassword()));

    assertThat(Run.open(stopped).ledger().entries()).noneMatch(Entry.Restart.class::isInstance);
    if (seeded) {
      assertThat(tensors(stopped)).isEqualTo(tensors(whole.directory()));
    }
  }

  @Test
  void driver_onlyInAJar_isUsed() throws Exception {
    Path jar = driver();
    String others =
        Arrays.stream(classPath().split(File.pathSeparator, -1))
            .filter(entry -> !Path.of(entry).equals(jar))
            .collect(Collectors.joining(File.pathSeparator));
    List<String> words = command(server.urlWithPassword(), "run", QUERY, "");

    assertRefused(
        child(Map.of(), List.of(), others, words),
        "a JDBC driver for " + server.url() + " must be");
    words.addAll(List.of("--jdbc-driver", jar.toString()));
    assertDone(child(Map.of(), List.of(), others, words));
  }

  private static Path driver() throws URISyntaxException {
    return Path.of(
        org.postgresql.Driver.class.getProtectionDomain().getCodeSource().getLocation().toURI());
  }
}
