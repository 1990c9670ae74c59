package org.sordino.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sordino.run.SampleRun;

/** Opens the HTML pages in a browser. Skipped with a notice if none is installed. */
@Tag("slow")
@Tag("browser")
class BrowserTest {

  private static final List<String> NAMES =
      List.of("chromium", "chromium-browser", "google-chrome", "google-chrome-stable");

  @Test
  void curve_isDrawnWithEveryAccountant(@TempDir Path folder) throws Exception {
    Path page = folder.resolve("curve.html");
    Console.run(
        "account",
        "--sampling-rate",
        "0.01",
        "--noise-multiplier",
        "4",
        "--steps",
        "2000",
        "--delta",
        "1e-5",
        "--curve",
        page.toString());

    String dom = dom(page, 1200);

    assertThat(dom).contains("<svg");
    String drawn = dom.substring(dom.indexOf("<svg"), dom.lastIndexOf("</svg>"));
    assertThat(drawn)
        .contains(">tight</text>", ">rdp</text>", ">moments</text>", ">strong</text>")
        .contains(">naive</text>", ">strongPaper, not a bound</text>", ">gdp, approximation</text>")
        .contains(">epsilon</text>", ">steps</text>");
    assertThat(drawn.split("<path", -1).length).as("paths in the chart").isGreaterThan(7);
  }

  @Test
  void reproduction_isDrawnAtPhoneWidth(@TempDir Path folder) throws Exception {
    Console.run("reproduce", "composition", "--quick", "--out", folder.toString());

    String dom = dom(folder.resolve("index.html"), 412);

    assertThat(dom.split("<svg", -1)).as("three figures").hasSize(4);
    assertThat(dom).contains(">printed: moments</text>").contains(">square root</text>");
  }

  @Test
  void report_isDrawnAtScreenAndPhoneWidth(@TempDir Path folder) throws Exception {
    Path run = SampleRun.in(folder).make();
    Console.run("report", folder.toString());

    for (int width : new int[] {1200, 412}) {
      String dom = dom(run.resolve("report.html"), width);

      assertThat(dom.split("<svg", -1)).as("three figures").hasSize(4);
      assertThat(dom)
          .contains(">tight</text>", ">gdp, approximation</text>")
          .contains(">accuracy, not private</text>", ">log loss, not private</text>");
    }
  }

  private static String dom(Path page, int width) throws Exception {
    Path profile = Files.createTempDirectory("browser");
    Console.Outcome outcome =
        Shell.run(
            profile,
            Map.of("HOME", profile.toString()),
            120,
            List.of(
                browser(),
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--no-first-run",
                "--disable-background-networking",
                "--disable-component-update",
                "--disable-sync",
                "--user-data-dir=" + profile,
                "--window-size=" + width + ",1000",
                "--dump-dom",
                page.toUri().toString()));
    assertThat(outcome.code()).as(outcome.err()).isZero();
    return outcome.out();
  }

  private static String browser() {
    String path = System.getenv().getOrDefault("PATH", "");
    return Stream.of(path.split(File.pathSeparator))
        .flatMap(folder -> NAMES.stream().map(name -> Path.of(folder, name)))
        .filter(Files::isExecutable)
        .map(Path::toString)
        .findFirst()
        .orElseGet(
            () -> {
              System.err.println("NOTICE: no Chromium is installed; the pages were not opened");
              return abort("no Chromium is installed");
            });
  }
}
