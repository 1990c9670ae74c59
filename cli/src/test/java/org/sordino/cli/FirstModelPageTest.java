package org.sordino.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The commands of docs/tutorials/first-model.md work, and print what the page shows. */
class FirstModelPageTest {

  @TempDir private static Path folder;

  private static final Map<String, Console.Outcome> OUTCOMES = new LinkedHashMap<>();
  private static List<String> shown;

  @BeforeAll
  static void executePage() throws Exception {
    Page page = Page.of("tutorials/first-model.md");
    shown = page.blocks("text");
    assertThat(shown).hasSize(3);
    for (String command : page.shellCommands()) {
      OUTCOMES.put(command, Page.execute(command, folder, "--steps 40"));
    }
  }

  @Test
  void commands_succeed() {
    assertThat(OUTCOMES).hasSizeGreaterThan(7);
    OUTCOMES.forEach(
        (command, outcome) -> assertThat(outcome.code()).as(command + outcome.err()).isZero());
  }

  /** Numbers differ: the noise is random, and the test takes fewer steps. */
  @Test
  void train_printsWhatThePageShows() {
    assertThat(Page.masked(output("./sordino train"))).isEqualTo(Page.masked(shown.get(0)));
  }

  @Test
  void statement_beginsAsThePageShows() throws IOException {
    String statement = Files.readString(folder.resolve("runs/first/statement.md"));

    assertThat(String.join("\n", Page.masked(statement)))
        .startsWith(String.join("\n", Page.masked(shown.get(1))));
  }

  @Test
  void predict_printsWhatThePageShows() {
    assertThat(Page.masked(output("./sordino predict"))).isEqualTo(Page.masked(shown.get(2)));
  }

  /** Returns the output of the first command with this beginning, with file names of the page. */
  private static String output(String start) {
    return OUTCOMES.entrySet().stream()
        .filter(entry -> entry.getKey().startsWith(start))
        .findFirst()
        .orElseThrow()
        .getValue()
        .out()
        .replace(folder + "/", "");
  }
}
