package org.sordino.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sordino.cli.Console.Outcome;
import org.sordino.json.Json;

class ReproduceCommandTest {

  @Test
  void list_namesEveryId() {
    assertThat(Console.line("reproduce --list").out()).startsWith("composition ");
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
    assertThat(json).containsEntry("command", "./sordino reproduce composition --quick");
    Map<?, ?> growth = (Map<?, ?>) json.get("epsilonOverEpochs");
    assertThat(last(growth, "tight")).isCloseTo(2.0331, within(1e-4));
    assertThat(last(growth, "naive")).isGreaterThan(last(growth, "strong"));
    Map<?, ?> noise = (Map<?, ?>) json.get("noiseMultiplierOverSteps");
    assertThat(last(noise, "tight"))
        .isLessThan(last(noise, "rdp"))
        .isLessThan(last(noise, "moments"))
        .isLessThan(last(noise, "strong"));
  }

  /** The value of a curve at its right end. */
  private static double last(Map<?, ?> curves, String name) {
    List<?> points = (List<?>) curves.get(name);
    return (Double) ((List<?>) points.get(points.size() - 1)).get(1);
  }
}
