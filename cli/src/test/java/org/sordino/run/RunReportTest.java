package org.sordino.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sordino.cli.Console;
import org.sordino.cli.Console.Outcome;

class RunReportTest {

  @TempDir private Path folder;

  @Test
  void report_containsStatementFiguresPlanAndProvenance() throws IOException {
    RunDirectory run = new RunDirectory(SampleRun.in(folder).make());

    Outcome outcome = Console.run("report", folder.toString());

    assertThat(outcome.code()).as(outcome.err()).isZero();
    String html = body(run);
    assertThat(html)
        .contains("1e-5)-differential privacy for every example")
        .contains("Not covered", "How to verify")
        .contains("Epsilon after each step", "\"rdp\"", "\"moments\"")
        .contains("expected batch size", "sgd with momentum", "logistic, task table")
        .contains("sordino train --out runs/sample", "2026-01-02T03:04:05Z")
        .contains("href=\"statement.md\"");
  }

  @Test
  void report_marksEveryValueThatIsNotPrivate() throws IOException {
    RunDirectory run = new RunDirectory(SampleRun.in(folder).make());
    Console.run("report", folder.toString());

    assertThat(body(run))
        .containsPattern("<strong>65\\.4%</strong> <span class=\"note\">[^<]*not private")
        .containsPattern("<strong>67\\.9%</strong> <span class=\"note\">[^<]*not private")
        .containsPattern("<h3 id=\"figure-2\">Accuracy[^<]*not private")
        .containsPattern("<figcaption id=\"figure-2-caption\">[^<]*not private")
        .contains("\"accuracy, not private\"", "\"log loss, not private\"");
  }

  @Test
  void report_insecureSeed_claimsNoGuarantee() throws IOException {
    RunDirectory run = new RunDirectory(SampleRun.in(folder).insecureSeed(1).make());
    Outcome outcome = Console.run("report", folder.toString());

    assertThat(outcome.code()).isZero();
    assertThat(body(run))
        .contains("There is no privacy guarantee for this run")
        .contains("<strong>none</strong>")
        .doesNotContain("certified upper bound")
        .doesNotContain("Epsilon after each step");
  }

  @Test
  void report_unfinishedRunWithoutResults_isWritten() throws IOException {
    RunDirectory run = new RunDirectory(SampleRun.in(folder).steps(2000).stopAt(3).make());
    Files.delete(run.file("results.json"));
    Files.writeString(run.file("metrics.csv"), TestMetricsFile.HEADER + "1,0.5,0.7,\n2,0.");

    assertThat(Console.run("report", folder.toString()).code()).isZero();
    assertThat(body(run)).contains("The run is not finished").doesNotContain("65.4%");
  }

  @Test
  void report_directoryWithoutRun_isBadInput() {
    Outcome outcome = Console.run("report", folder.toString());

    assertThat(outcome.code()).isEqualTo(2);
    assertThat(outcome.err()).contains("a run directory must contain run.json");
  }

  private static String body(RunDirectory run) {
    return run.text("report.html").replaceAll("(?s)<script>.*?</script>", "");
  }
}
