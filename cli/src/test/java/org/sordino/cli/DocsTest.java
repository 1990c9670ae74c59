package org.sordino.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Checks that all links between documentation pages are valid, and that every page is linked. */
class DocsTest {

  private static final Path ROOT = Path.of("..");
  private static final Path DOCS = ROOT.resolve("docs");

  static List<Path> pages() throws IOException {
    List<Path> pages = new ArrayList<>(docs());
    for (String name : List.of("README.md", "CONTRIBUTING.md", "CHANGELOG.md")) {
      pages.add(ROOT.resolve(name));
    }
    return pages;
  }

  private static Set<Path> docs() throws IOException {
    try (Stream<Path> files = Files.walk(DOCS)) {
      return new TreeSet<>(
          files.filter(file -> file.toString().endsWith(".md")).map(Path::normalize).toList());
    }
  }

  @ParameterizedTest
  @MethodSource("pages")
  void links_leadToFilesAndHeadings(Path file) throws IOException {
    List<String> dangling = new ArrayList<>();
    for (String link : Page.read(file).links()) {
      if (!isExternal(link) && !leadsSomewhere(file, link)) {
        dangling.add(link);
      }
    }

    assertThat(dangling).as("dangling links of %s", file).isEmpty();
  }

  private static boolean leadsSomewhere(Path file, String link) throws IOException {
    Path target = target(file, link);
    int hash = link.indexOf('#');
    return Files.exists(target)
        && (hash < 0
            || !target.toString().endsWith(".md")
            || Page.read(target).anchors().contains(link.substring(hash + 1)));
  }

  private static boolean isExternal(String link) {
    return link.matches("[a-z]+:.*");
  }

  private static Path target(Path file, String link) {
    String path = link.replaceFirst("#.*", "");
    return path.isEmpty() ? file : file.resolveSibling(path).normalize();
  }

  @Test
  void everyPage_isReachableFromTheIndex() throws IOException {
    Set<Path> reached = new TreeSet<>();
    Deque<Path> next = new ArrayDeque<>(List.of(DOCS.resolve("README.md").normalize()));
    while (!next.isEmpty()) {
      Path page = next.remove();
      if (page.toString().endsWith(".md") && Files.exists(page) && reached.add(page)) {
        Page.read(page).links().stream()
            .filter(link -> !isExternal(link))
            .forEach(link -> next.add(target(page, link)));
      }
    }

    Set<Path> unreached = docs();
    unreached.removeAll(reached);
    assertThat(unreached).isEmpty();
  }

  @Test
  void anchors_followTheRulesOfGithub() {
    Page page =
        new Page(
            DOCS, "# `a.json`, and (b)\n## Twice\n```sh\n# a comment\n```\n## Twice\n## A - b_c\n");

    assertThat(page.anchors()).containsExactly("ajson-and-b", "twice", "twice-1", "a---b_c");
  }
}
