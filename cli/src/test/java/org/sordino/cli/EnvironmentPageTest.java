package org.sordino.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** docs/reference/environment.md lists every exit code, variable and setting. */
class EnvironmentPageTest {

  private static Page page() throws IOException {
    return Page.of("reference/environment.md");
  }

  @Test
  void exitCodes_areThoseOfMain() throws IOException {
    List<Integer> documented =
        page()
            .prose()
            .lines()
            .filter(line -> line.matches("\\| \\d+ \\|.*"))
            .map(line -> Integer.valueOf(line.split("\\|", -1)[1].strip()))
            .toList();

    assertThat(documented).containsExactlyElementsOf(exitCodes());
  }

  private static List<Integer> exitCodes() {
    return Arrays.stream(Main.class.getDeclaredFields())
        .filter(field -> field.getType() == int.class && Modifier.isStatic(field.getModifiers()))
        .map(EnvironmentPageTest::value)
        .sorted()
        .toList();
  }

  private static int value(Field field) {
    try {
      return field.getInt(null);
    } catch (IllegalAccessException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void variables_areThoseOfTheSources() throws IOException {
    Set<String> own = found("SORDINO_[A-Z_]+", sources());

    assertThat(found("SORDINO_[A-Z_]+", page().text())).isEqualTo(own);
    assertThat(page().names("variable").get("Environment variables"))
        .containsAll(own)
        .containsAll(found("(?<=getenv\\(\")[A-Z_]+", sources()));
  }

  @Test
  void settingsOfSpark_areThoseOfTheSources() throws IOException {
    assertThat(page().names("setting").get("Spark settings"))
        .isEqualTo(found("spark\\.sordino\\.\\w+", sources()));
  }

  private static Set<String> found(String pattern, String text) {
    Set<String> found = new TreeSet<>();
    Pattern.compile(pattern).matcher(text).results().forEach(hit -> found.add(hit.group()));
    return found;
  }

  /** The launcher and all sources except tests. */
  private static String sources() throws IOException {
    StringBuilder text = new StringBuilder(Files.readString(Path.of("..", "sordino")));
    for (String module : List.of("core", "runs", "torch", "cli", "spark")) {
      try (Stream<Path> files = Files.walk(Path.of("..", module, "src", "main"))) {
        for (Path file : files.filter(f -> f.toString().endsWith(".java")).toList()) {
          text.append(Files.readString(file));
        }
      }
    }
    return text.toString();
  }
}
