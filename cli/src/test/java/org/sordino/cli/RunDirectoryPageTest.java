package org.sordino.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sordino.json.Json;
import org.sordino.table.DemoCensus;

/** docs/reference/run-directory.md describes the files of a run, and no others. */
class RunDirectoryPageTest {

  @TempDir private static Path folder;

  private static Path run() {
    return folder.resolve("run");
  }

  private static Path budget() {
    return folder.resolve("people.budget");
  }

  private static Map<String, Set<String>> fields() throws IOException {
    return Page.of("reference/run-directory.md").names("field");
  }

  @BeforeAll
  static void train() {
    Path people = folder.resolve("people.csv");
    DemoCensus.write(people, 500);
    Console.line("budget %s --create --epsilon 9 --delta 1e-5".formatted(budget()));
    Console.Outcome outcome =
        Console.line(
            ("train --data %s --label employed --epsilon 4 --steps 5 --holdout 0.2 --normalize"
                    + " --metrics loss --budget-file %s --out %s")
                .formatted(people, budget(), run()));
    assertThat(outcome.code()).as(outcome.err()).isZero();
  }

  @Test
  void files_areThoseOfARun() throws IOException {
    Set<String> written;
    try (Stream<Path> files = Files.walk(run())) {
      written =
          files
              .filter(Files::isRegularFile)
              .map(file -> run().relativize(file).toString().replace('\\', '/'))
              .collect(Collectors.toCollection(TreeSet::new));
    }

    assertThat(Page.of("reference/run-directory.md").names("file"))
        .isEqualTo(Map.of("Files", written));
  }

  @Test
  void fields_areThoseOfTheFiles() throws IOException {
    assertThat(fields())
        .isEqualTo(
            Map.of(
                "run.json", keys(run().resolve("run.json")),
                "results.json", keys(run().resolve("results.json")),
                "Budget file", keys(budget())));
  }

  private static Set<String> keys(Path file) throws IOException {
    return new TreeSet<>(Json.readObject(Files.readString(file)).keySet());
  }

  @Test
  void columnsOfMetrics_areDocumented() throws IOException {
    String page = Page.of("reference/run-directory.md").text();
    for (String file : new String[] {"metrics.csv", "private-metrics.csv"}) {
      for (String column : Files.readAllLines(run().resolve(file)).get(0).split(",", -1)) {
        assertThat(page).as(file).contains("`" + column + "`");
      }
    }
  }
}
