package org.sordino.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;
import org.sordino.cli.Console.Outcome;
import org.sordino.table.DemoCensus;
import org.sordino.table.JdbcConnection;
import org.sordino.training.Safetensors;

/**
 * Runs the launcher script {@code sordino} in a fresh copy of the sources, in a path with a space.
 * The tests run in order; the first one builds.
 */
@Tag("slow")
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class LauncherTest {

  private static final int BUILD_SECONDS = 300;
  private static final String ACCOUNT =
      "account --sampling-rate 0.01 --noise-multiplier 4 --steps 10000 --delta 1e-5 --json";

  @TempDir private static Path temporary;
  private static Path home;

  @BeforeAll
  static void copySources() throws IOException {
    home = Files.createDirectories(temporary.resolve("a copy"));
    for (String part :
        List.of(
            "sordino",
            "pom.xml",
            ".mvn",
            "core/pom.xml",
            "core/src/main",
            "runs/pom.xml",
            "runs/src/main",
            "cli/pom.xml",
            "cli/src/main",
            "bench/pom.xml",
            "torch/pom.xml",
            "torch/src/main",
            "spark/pom.xml",
            "examples/pom.xml")) {
      copy(Path.of("..").resolve(part), home.resolve(part));
    }
  }

  private static void copy(Path from, Path to) throws IOException {
    try (Stream<Path> all = Files.walk(from)) {
      for (Path source : all.toList()) {
        Path target = to.resolve(from.relativize(source).toString());
        Files.createDirectories(target.getParent());
        if (!Files.isDirectory(source)) {
          Files.copy(source, target);
          target.toFile().setExecutable(Files.isExecutable(source));
        }
      }
    }
  }

  @Test
  @Order(1)
  void twoFirstStarts_buildOnceAndBothAnswer() {
    CompletableFuture<Outcome> one = CompletableFuture.supplyAsync(() -> sordino(ACCOUNT));
    CompletableFuture<Outcome> two = CompletableFuture.supplyAsync(() -> sordino(ACCOUNT));

    assertThat(one.join().code()).isZero();
    assertThat(one.join().out()).isEqualTo(two.join().out());
    assertThat(one.join().json()).containsKey("tight");
    assertThat((one.join().err() + two.join().err()).lines().filter(l -> l.contains("building")))
        .hasSize(1);
  }

  @Test
  @Order(2)
  void start_afterTheBuild_isQuietAndTakesItsClassesFromTheArchive() throws IOException {
    assertThat(sordino(ACCOUNT).err()).isEmpty();

    // Class-data sharing does not support a path with a space, so that Java starts without it.
    Path spaced = home;
    home = Files.move(spaced, temporary.resolve("copy"));
    Files.delete(home.resolve("cli/target/run/java")); // simulates a change of Java
    sordino(ACCOUNT);
    Path log = temporary.resolve("classes.log");
    String logging = "-Xlog:class+load:file=" + log;
    assertThat(sordino(Map.of("JAVA_TOOL_OPTIONS", logging), ACCOUNT).code()).isZero();
    home = Files.move(home, spaced);

    List<String> own =
        Files.readAllLines(log).stream().filter(line -> line.contains(" org.sordino.")).toList();
    // Classes of lambdas are generated at startup and are never in the archive.
    assertThat(own.stream().filter(line -> line.contains("shared objects file")).count())
        .isGreaterThan(Math.max(20, own.size() / 2));
  }

  @Test
  @Order(3)
  void start_throughASymbolicLink_passesArgumentsAndExitCode() throws IOException {
    Path link = Files.createSymbolicLink(temporary.resolve("link"), home.resolve("sordino"));
    Path page = temporary.resolve("a page.html");

    List<String> args = new ArrayList<>(List.of(link.toString()));
    args.addAll(List.of(ACCOUNT.replace("10000", "10").split(" ")));
    args.addAll(List.of("--curve", page.toString()));
    assertThat(shell(Map.of(), args).code()).isZero();
    assertThat(page).exists();
    assertThat(shell(Map.of(), List.of(link.toString(), "account")).code()).isEqualTo(2);
  }

  @Test
  @Order(4)
  void staleArchive_isIgnoredWithoutWarning() throws IOException {
    Path jar = home.resolve("cli/target/run/sordino.jar");
    Files.setLastModifiedTime(jar, FileTime.from(Instant.now().minusSeconds(5)));

    Outcome outcome = sordino(ACCOUNT);

    assertThat(outcome.err()).isEmpty();
    assertThat(outcome.json()).containsKey("tight");
  }

  @Test
  @Order(5)
  void changedSource_isRebuilt_andAFailureShowsTheLog() throws IOException {
    Path source = home.resolve("cli/src/main/java/org/sordino/cli/Broken.java");
    Files.writeString(source, "class Broken { int x = nonsense; }\n");

    Outcome broken = sordino("--version");
    assertThat(broken.code()).isEqualTo(1);
    assertThat(broken.err()).contains("building").contains("nonsense").contains("build failed");

    Files.delete(source);
    Outcome mended = sordino("--version");
    assertThat(mended.code()).isZero();
    assertThat(mended.err()).contains("building");
    assertThat(sordino("--version").err()).isEmpty();
  }

  /**
   * Also writes the Parquet file with the driver, which is available only after the launcher has
   * downloaded it.
   */
  @Test
  @Order(6)
  void parquetFile_isReadWithADriverThatIsDownloadedOnce() throws Exception {
    Path csv = temporary.resolve("people.csv");
    DemoCensus.write(csv, 2_000);
    Path parquet = temporary.resolve("people.parquet");
    Outcome missing = train(parquet);
    assumeFalse(
        missing.err().contains("could not be downloaded"),
        "the DuckDB driver could not be downloaded; this test needs access to a Maven repository");
    assertThat(missing.code()).isEqualTo(2);
    assertThat(missing.err())
        .contains("downloading")
        .contains("80 MB")
        .contains("a file that exists");
    try (Stream<Path> files = Files.list(home.resolve("cli/target/run"));
        Connection connection = duckDb(files).getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(
          "copy (from read_csv('" + csv + "')) to '" + parquet + "' (format parquet)");
    }

    Outcome fromParquet = train(parquet);
    Outcome fromCsv = train(csv);

    assertThat(fromParquet.code()).as(fromParquet.err()).isZero();
    assertThat(fromCsv.code()).as(fromCsv.err()).isZero();
    assertThat(fromParquet.err() + fromCsv.err()).doesNotContain("downloading");
    assertThat(weights("people.parquet")).isEqualTo(weights("people.csv"));
  }

  private static DataSource duckDb(Stream<Path> files) {
    Path driver =
        files.filter(file -> file.toString().contains("duckdb_jdbc")).findFirst().orElseThrow();
    return JdbcConnection.dataSource("jdbc:duckdb:", driver, new Properties());
  }

  private static Outcome train(Path data) {
    return sordino(
        "train --label employed --population 2000 --epsilon 1 --steps 5 --insecure-seed 3 --data "
            + data
            + " --out "
            + temporary.resolve("run-of-" + data.getFileName()));
  }

  private static List<String> weights(String data) throws IOException {
    Path file = temporary.resolve("run-of-" + data).resolve("model.safetensors");
    return Safetensors.ofBytes(Files.readAllBytes(file)).tensors().entrySet().stream()
        .map(entry -> entry.getKey() + Arrays.toString(entry.getValue().values()))
        .toList();
  }

  @Test
  @Order(7)
  void missingTools_areNamed() throws IOException {
    Path tools = Files.createDirectories(temporary.resolve("tools"));
    for (String tool :
        List.of("sh", "dirname", "find", "head", "sed", "mkdir", "ln", "rm", "cat")) {
      Files.createSymbolicLink(tools.resolve(tool), Path.of("/usr/bin", tool));
    }
    Map<String, String> bare = Map.of("PATH", tools.toString(), "JAVA_HOME", "");
    Outcome noJava = shell(bare, List.of(home.resolve("sordino").toString(), "--version"));
    assertThat(noJava.code()).isEqualTo(1);
    assertThat(noJava.err()).contains("JDK of version 17 or later").contains("Java was not found");

    Files.delete(home.resolve("cli/target/run/built"));
    Map<String, String> noMaven =
        Map.of("PATH", tools.toString(), "JAVA_HOME", System.getProperty("java.home"));
    Outcome outcome = shell(noMaven, List.of(home.resolve("sordino").toString(), "--version"));
    assertThat(outcome.code()).isEqualTo(1);
    assertThat(outcome.err()).contains("install Maven");
  }

  private static Outcome sordino(String line) {
    return sordino(Map.of(), line);
  }

  private static Outcome sordino(Map<String, String> environment, String line) {
    List<String> command = new ArrayList<>(List.of(home.resolve("sordino").toString()));
    command.addAll(List.of(line.split(" ")));
    return shell(environment, command);
  }

  private static Outcome shell(Map<String, String> environment, List<String> command) {
    try {
      return Shell.run(temporary, environment, BUILD_SECONDS, command);
    } catch (IOException e) {
      throw new AssertionError(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError(e);
    }
  }
}
