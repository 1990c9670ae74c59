package org.sordino.reproduction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.sordino.cli.Console;
import org.sordino.cli.Console.Outcome;
import org.sordino.json.Json;

class ReproduceCommandTest {

  @Test
  void list_namesEveryId() {
    assertThat(Console.line("reproduce --list").out())
        .startsWith("composition ")
        .contains("\nextreme ", "\nlinear-1 ", "\nlinear-2 ");
  }

  @Test
  void composition_quick_showsThePublishedNumbersAndTheirVerdicts(@TempDir Path folder)
      throws IOException {
    Outcome outcome =
        Console.run("reproduce", "composition", "--quick", "--out", folder.toString());

    assertThat(outcome.code()).isZero();
    assertThat(Files.readString(folder.resolve("results.md")))
        .contains("| moments, 100 epochs | 1.26 | 1.2586 | reproduced |")
        .contains("| moments, 400 epochs | 2.55 | 2.5759 | not reproduced")
        .contains("| strongPaper, 100 epochs | 9.34 | 9.3391 | reproduced; not a bound")
        .contains("| strongPaper, 400 epochs | 24.22 | 24.205 | not reproduced")
        .contains("| tight, 100 epochs | not given | 0.94687 |");
    assertThat(Files.readString(folder.resolve("index.html")))
        .contains("Epsilon over epochs", "Noise multiplier needed", "square root");
    Map<String, @Nullable Object> json =
        Json.readObject(Files.readString(folder.resolve("results.json")));
    assertThat(json)
        .containsEntry("command", "./sordino reproduce composition --quick")
        .containsEntry("deterministic", true);
    Map<?, ?> growth = (Map<?, ?>) json.get("epsilonOverEpochs");
    assertThat(last(growth, "tight")).isCloseTo(2.0331, within(1e-4));
    assertThat(last(growth, "naive")).isGreaterThan(last(growth, "strong"));
    Map<?, ?> noise = (Map<?, ?>) json.get("noiseMultiplierOverSteps");
    assertThat(last(noise, "tight"))
        .isLessThan(last(noise, "rdp"))
        .isLessThan(last(noise, "moments"))
        .isLessThan(last(noise, "strong"));
  }

  @Test
  void extreme_endsAtTheTwoFixedPoints(@TempDir Path folder) throws IOException {
    Map<String, @Nullable Object> json = reproduced("extreme", folder);

    assertThat(json).containsKeys("version", "seconds");
    Map<?, ?> silent = (Map<?, ?>) json.get("withoutNoise");
    assertThat(lastOf(silent.get("AFTER_NOISE"))).isCloseTo(2, within(1e-3));
    assertThat(lastOf(silent.get("DECOUPLED"))).isCloseTo(2, within(1e-3));
    assertThat(lastOf(silent.get("INSIDE_CLIP"))).isCloseTo(3.8 / 1.5, within(1e-3));
    Map<?, ?> noised = (Map<?, ?>) ((List<?>) json.get("withNoise")).get(0);
    // The stationary standard deviations are 0.016 and 0.009; the seeds are fixed.
    assertThat(lastOf(noised.get("AFTER_NOISE"))).isCloseTo(2, within(0.08));
    assertThat(lastOf(noised.get("INSIDE_CLIP"))).isCloseTo(3.8 / 1.5, within(0.05));
    assertThat(Files.readString(folder.resolve("results.md")))
        .contains("| inside the clip, no noise | 2.53 | 2.533 | reproduced")
        .contains("learning rate 0.1 | 2.53 | 3.619 | the limit of the code is");
  }

  @Test
  void printedExtreme_dependsOnTheLearningRate_andDoesNotConvergeAtOne() {
    assertThat(ExtremeReproduction.printed(0.1, 0.1, 0)).isCloseTo(7.6 / 2.1, within(1e-6));
    assertThat(ExtremeReproduction.printed(1, 1, 0)).isNaN();
  }

  @ParameterizedTest
  @CsvSource({"linear-1, 1, 10", "linear-2, 0.637, 11.18"})
  void linear_insideReachesRidge_andAfterNoiseStopsBefore(
      String id, double alignment, double target, @TempDir Path folder) throws IOException {
    Map<String, @Nullable Object> json = reproduced(id, folder);

    List<?> settings = (List<?>) json.get("settings");
    assertThat(end(settings.get(0), "insideClip")).isCloseTo(target / 1.01, within(0.03 * target));
    // R / lambda is 1 in the second and third setting; with two features, 2/pi of it remains.
    for (Object setting : settings.subList(1, 3)) {
      assertThat(end(setting, "afterNoise")).isCloseTo(alignment, within(0.1));
    }
    for (Object setting : settings) {
      assertThat(end(setting, "insideClip")).isGreaterThan(1.1 * end(setting, "afterNoise"));
      assertThat(first(setting, "insideClip", "errorAtTheEnd"))
          .isLessThan(first(setting, "afterNoise", "errorAtTheEnd"));
    }
    assertThat(Files.readString(folder.resolve("results.md")))
        .contains("The paper's data are not available", "almost no clipping")
        .contains("the ridge solution within 2%: without clipping, the place of the decay");
  }

  @Test
  void linear_secondRun_reusesUndamagedCells(@TempDir Path folder) throws IOException {
    reproduced("linear-1", folder);
    String before = Files.readString(folder.resolve("results.md"));
    List<Path> cells;
    try (Stream<Path> files = Files.list(folder.resolve("cells"))) {
      cells = files.sorted().toList();
    }
    Files.writeString(cells.get(0), "{\"parameters\": dam");

    Outcome again = run("linear-1", folder);

    assertThat(again.out()).contains(cells.size() - 1 + " cached results were reused");
    assertThat(Files.readString(folder.resolve("results.md"))).isEqualTo(before);
  }

  @Test
  void seeds_otherThanTheDefault_areRecordedInTheCommand(@TempDir Path folder) throws IOException {
    Console.run("reproduce", "extreme", "--quick", "--seeds", "2", "--out", folder.toString());

    assertThat(Json.readObject(Files.readString(folder.resolve("results.json"))))
        .containsEntry("command", "./sordino reproduce extreme --quick --seeds 2")
        .containsEntry("seeds", 2L);
  }

  @Test
  void commit_isAnId_orAbsent() {
    assertThat(GitCommit.commit().orElse("0".repeat(40))).matches("[0-9a-f]{40,64}(-changed)?");
  }

  private static Outcome run(String id, Path folder) {
    return Console.run("reproduce", id, "--quick", "--out", folder.toString());
  }

  private static Map<String, @Nullable Object> reproduced(String id, Path folder)
      throws IOException {
    Outcome outcome = run(id, folder);
    assertThat(outcome.code()).as(outcome.err()).isZero();
    Map<String, @Nullable Object> json =
        Json.readObject(Files.readString(folder.resolve("results.json")));
    assertThat(json)
        .containsEntry("command", "./sordino reproduce " + id + " --quick")
        .containsEntry("deterministic", false);
    return json;
  }

  /** Returns the norm of theta after the longest training. */
  private static double end(Object setting, String method) {
    return first(setting, method, "normAtTheEnd");
  }

  private static double first(Object setting, String method, String quantity) {
    Map<?, ?> numbers = (Map<?, ?>) ((Map<?, ?>) setting).get(method);
    return (Double) ((List<?>) numbers.get(quantity)).get(0);
  }

  private static double lastOf(Object list) {
    List<?> values = (List<?>) list;
    return (Double) values.get(values.size() - 1);
  }

  /** Returns the last value of a curve. */
  private static double last(Map<?, ?> curves, String name) {
    List<?> points = (List<?>) curves.get(name);
    return (Double) ((List<?>) points.get(points.size() - 1)).get(1);
  }
}
