package org.sordino.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The texts of the product are plain English: documentation, help, messages, Javadoc, and what a
 * run writes contain none of the phrases in {@code language/phrases.txt}.
 */
class LanguageTest {

  private static final Path ROOT = Path.of("..");

  /**
   * Words that files or commands have contained since version 0.1: keys, stored names, hidden
   * options.
   */
  private static final Pattern EXEMPT =
      Pattern.compile(
          "[\"`](neighbouring|regularised|optimiser|realised|knobs)[\"`]"
              + "|[\"`](normalise|normalisation|initialisation)[\"`]"
              + "|plan\\.optimiser\\.kind|#optimiser|\"neighbouring must be"
              + "|--normalise(-noise)?|normalise(Noise)?\\(");

  @TempDir private Path folder;

  private static final Map<Pattern, String> PHRASES = new LinkedHashMap<>();

  @BeforeAll
  static void readPhrases() throws IOException {
    for (String line :
        Files.readAllLines(Path.of("src", "test", "resources", "language", "phrases.txt"))) {
      if (!line.isBlank() && !line.startsWith("#")) {
        String[] parts = line.split(" => ", 2);
        PHRASES.put(Pattern.compile(parts[0], Pattern.CASE_INSENSITIVE), parts[1]);
      }
    }
  }

  private static List<String> findings(String path, String text) {
    // A phrase may continue on the next line of a comment or in the next of several concatenated
    // string literals.
    String joined =
        EXEMPT
            .matcher(text)
            .replaceAll("")
            .replaceAll("\"\\s*\\+\\s*\"", "")
            .replaceAll("\\s*\\n\\s*(\\*|//)?\\s*", " ");
    List<String> findings = new ArrayList<>();
    PHRASES.forEach(
        (phrase, instead) -> {
          Matcher matcher = phrase.matcher(joined);
          while (matcher.find()) {
            int from = Math.max(0, matcher.start() - 40);
            int to = Math.min(joined.length(), matcher.end() + 30);
            findings.add(
                "%s: \"%s\" in \"%s\"; write: %s"
                    .formatted(path, matcher.group(), joined.substring(from, to), instead));
          }
        });
    return findings;
  }

  private static List<Path> files(String folder, String ending) throws IOException {
    try (Stream<Path> files = Files.walk(ROOT.resolve(folder))) {
      return files.filter(file -> file.toString().endsWith(ending)).sorted().toList();
    }
  }

  @Test
  void documentation_isPlainEnglish() throws IOException {
    List<Path> pages = new ArrayList<>(files("docs", ".md"));
    pages.addAll(List.of(ROOT.resolve("README.md"), ROOT.resolve("CONTRIBUTING.md")));
    pages.add(ROOT.resolve("CHANGELOG.md"));
    List<String> findings = new ArrayList<>();
    for (Path page : pages) {
      findings.addAll(findings(page.toString(), Files.readString(page)));
    }

    assertThat(pages).hasSizeGreaterThan(20);
    assertThat(findings).isEmpty();
  }

  @Test
  void sources_arePlainEnglish() throws IOException {
    List<String> findings = new ArrayList<>();
    int sources = 0;
    for (String module : List.of("core", "runs", "torch", "cli", "spark", "examples", "bench")) {
      for (String ending : List.of(".java", ".css", ".js")) {
        for (Path source : files(module + "/src/main", ending)) {
          findings.addAll(findings(source.toString(), Files.readString(source)));
          sources++;
        }
      }
    }
    findings.addAll(findings("sordino", Files.readString(ROOT.resolve("sordino"))));

    assertThat(sources).isGreaterThan(300);
    assertThat(findings).isEmpty();
  }

  @Test
  void filesOfARun_arePlainEnglish() throws IOException {
    Path run = folder.resolve("run");
    Console.Outcome outcome =
        Console.run("train", "--steps", "5", "--out", run.toString(), "--metrics", "accuracy");

    assertThat(outcome.code()).as(outcome.err()).isZero();
    assertThat(findings("output of train", outcome.out())).isEmpty();
    assertThat(findings("statement.md", Files.readString(run.resolve("statement.md")))).isEmpty();
    String page = Files.readString(run.resolve("report.html"));
    assertThat(findings("report.html", page.replaceAll("(?s)<(script|style)>.*?</\\1>", "")))
        .isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "a coin of its own decides about each record",
    "The column that says whose a row is.",
    "--test and --holdout contradict each other",
    "Neighbouring data sets",
    "1e-5 if not given",
    "Normalise the inputs"
  })
  void phrase_ofTheList_isFound(String text) {
    assertThat(findings("page.md", text)).isNotEmpty();
  }

  @Test
  void phrase_acrossLines_isFound() {
    assertThat(findings("A.java", "/** This was told\n   * by public\n   * coins. */"))
        .isNotEmpty();
    assertThat(findings("A.java", "\"they contradict\"\n        + \" each other\"")).isNotEmpty();
  }
}
