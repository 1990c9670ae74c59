package org.sordino.examples;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sordino.json.Json;
import org.sordino.run.Model;
import org.sordino.run.TableTraining;
import org.sordino.table.DemoCensus;

/** Runs every example like a reader. */
class ExamplesTest {

  @TempDir private Path folder;

  /** Returns the output of a program. */
  private static String output(Program program) throws Exception {
    PrintStream console = System.out;
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    System.setOut(new PrintStream(bytes, true, StandardCharsets.UTF_8));
    try {
      program.run();
    } finally {
      System.setOut(console);
    }
    return bytes.toString(StandardCharsets.UTF_8);
  }

  private interface Program {
    void run() throws Exception;
  }

  @Test
  void table_trainsAndScores() throws Exception {
    String text =
        output(
            () ->
                TableExample.main(
                    new String[] {
                      folder.resolve("people.csv").toString(), folder.resolve("run").toString()
                    }));

    assertThat(text)
        .contains("1e-5)-differential privacy", "accuracy", "(not private)")
        .containsPattern("employed with probability 0\\.\\d{3}");
  }

  @Test
  void database_trainsAndPrintsTheStatement() throws Exception {
    String text =
        output(() -> DatabaseExample.main(new String[] {folder.resolve("run").toString()}));

    assertThat(text)
        .contains("100 of 400 steps", "# Privacy statement", "1e-5)-differential privacy")
        .contains("select age, job, hours, insured from people order by id");
  }

  @Test
  void budget_refusesTheThirdRun() throws Exception {
    String text = output(() -> SharedBudget.main(new String[] {folder.toString()}));

    assertThat(text)
        .contains("spring: This model", "summer: This model")
        .contains("autumn: refused, nothing was trained");
    assertThat(folder.resolve("autumn")).doesNotExist();
  }

  @Test
  void service_scoresRecordsAndRefusesOthers() throws Exception {
    Path run = folder.resolve("run");
    TableTraining.on(DemoCensus.source(2_000))
        .label("employed")
        .schema(DemoCensus.schema())
        .budget(1, 1e-5)
        .options(options -> options.steps(20))
        .train(run);
    Model model = Model.load(run);
    HttpServer server = ScoringService.start(model, 0);
    try {
      int port = server.getAddress().getPort();

      HttpResponse<String> answer = post(port, "{\"married\": 1, \"disability\": 0}");

      assertThat(answer.statusCode()).isEqualTo(200);
      assertThat(Json.readObject(answer.body())).containsKeys("label", "0", "1");
      assertThat(post(port, "nonsense").statusCode()).isEqualTo(400);
    } finally {
      server.stop(0);
    }
  }

  private static HttpResponse<String> post(int port, String body) throws Exception {
    return HttpClient.newHttpClient()
        .send(
            HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/score"))
                .POST(HttpRequest.BodyPublishers.ofString(body))
                .build(),
            HttpResponse.BodyHandlers.ofString());
  }

  /** Imports, comments and blank lines do not count. */
  @Test
  void programs_areShort() throws IOException {
    try (Stream<Path> files = Files.list(Path.of("src/main/java/org/sordino/examples"))) {
      for (Path file : files.toList()) {
        assertThat(linesOfCode(file)).as(file.toString()).isLessThanOrEqualTo(60);
      }
    }
  }

  private static long linesOfCode(Path file) throws IOException {
    try (Stream<String> lines = Files.lines(file)) {
      return lines
          .map(String::strip)
          .filter(line -> !line.isEmpty() && !line.matches("(package|import|//|/\\*|\\*).*"))
          .count();
    }
  }
}
