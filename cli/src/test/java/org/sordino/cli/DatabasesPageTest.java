package org.sordino.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.h2.Driver;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.sordino.cli.Console.Outcome;
import org.sordino.table.QueryWarnings;

/** Runs the commands of docs/tutorials/databases.md on H2 instead of PostgreSQL. */
class DatabasesPageTest {

  private static final Pattern WORD = Pattern.compile("\"([^\"]*)\"|\\S+");

  @TempDir private Path folder;

  private static String page() throws IOException {
    return Files.readString(Path.of("..", "docs", "tutorials", "databases.md"));
  }

  /** Returns the commands that train on a database; {@link LauncherTest} covers Parquet files. */
  static Stream<String> commands() throws IOException {
    List<String> commands =
        Pattern.compile("(?m)^\\./sordino (train .*)$")
            .matcher(page().replace("\\\n", " "))
            .results()
            .map(result -> result.group(1))
            .filter(command -> command.contains("jdbc:"))
            .toList();
    assertThat(commands).hasSize(2);
    return commands.stream();
  }

  @ParameterizedTest
  @MethodSource("commands")
  void command_ofThePage_works(String command) throws Exception {
    String url = "jdbc:h2:" + folder.resolve("clinic");
    fill(url);
    Path jar = Path.of(Driver.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    List<String> words = new ArrayList<>();
    for (MatchResult word : WORD.matcher(command).results().toList()) {
      words.add(word.group(1) == null ? word.group() : word.group(1));
    }
    words.replaceAll(word -> word.startsWith("jdbc:") ? url : word);
    words.replaceAll(word -> word.endsWith(".jar") ? jar.toString() : word);
    words.addAll(List.of("--steps", "5", "--out", folder.resolve("run").toString()));

    Outcome outcome = Console.run(words.toArray(String[]::new));

    assertThat(outcome.code()).as(outcome.err()).isZero();
    String query = words.get(words.indexOf("--query") + 1);
    assertThat(QueryWarnings.of(query)).isEqualTo(new QueryWarnings(List.of(), true));
  }

  private static void fill(String url) throws SQLException {
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement()) {
      statement.execute(
          "create table visits as select x as id, mod(x, 400) as patient, mod(x * 7, 72) as age,"
              + " mod(x, 2) as sex, mod(x, 3) = 0 as insured, mod(x, 5) < 2 as ill"
              + " from system_range(1, 10000)");
      statement.execute("create table patients as select * from visits");
    }
  }

  /** Every construct that the page lists causes a warning. */
  @Test
  void constructs_ofThePage_areFound() throws IOException {
    List<String> lines =
        page().lines().filter(line -> line.matches("\\| .*`.*` *(\\(.*\\))?.*\\|.*\\|")).toList();
    List<String> constructs =
        lines.stream()
            .map(line -> line.split("\\|", -1)[1])
            .flatMap(cell -> Pattern.compile("`(.*?)`").matcher(cell).results())
            .map(result -> result.group(1))
            .toList();
    assertThat(constructs).contains("lateral", "over", "limit", "union", "exists");
    for (String word : constructs) {
      String query =
          switch (word) {
            case "unnest" -> "select * from t, unnest(t.a)";
            case "group by" -> "select a from t group by a";
            case "top" -> "select top 5 a from t";
            default -> "select a from t where a = 1 " + word + " (select b)";
          };
      assertThat(QueryWarnings.of(query).constructs()).as(word).anyMatch(word::equalsIgnoreCase);
    }
  }
}
