package org.sordino.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A Markdown page of the documentation.
 *
 * @param file the page
 * @param text its content
 */
record Page(Path file, String text) {

  private static final Path DOCS = Path.of("..", "docs");
  private static final Pattern BLOCK =
      Pattern.compile("(?ms)^```(\\w*)\\n(.*?)^```\\n?"); // language, content
  private static final Pattern HEADING = Pattern.compile("(?m)^(#+) +(.*?) *#* *$");
  private static final Pattern LINK = Pattern.compile("\\[[^\\]]*\\]\\(<?([^)\\s>]*)>?[^)]*\\)");
  private static final String SORDINO = "./sordino ";
  private static final Pattern WORD = Pattern.compile("\"[^\"]*\"|'[^']*'|\\S+");
  private static final Pattern FILE =
      Pattern.compile("[\\w.-]+(/[\\w.-]+)+|[\\w-]+\\.(csv|json|jsonl|budget|html)");
  private static final Pattern NUMBER =
      Pattern.compile("\\d{1,3}(,\\d{3})+(\\.\\d+)?|\\d+(\\.\\d+)?([eE][-+]?\\d+)?");
  private static final Pattern CODE = Pattern.compile("`([^`]+)`");

  /**
   * A fenced code block.
   *
   * @param language the word after the opening fence
   * @param content the lines between the fences
   */
  record Block(String language, String content) {}

  /** Reads a page below {@code docs}. */
  static Page of(String name) throws IOException {
    return read(DOCS.resolve(name));
  }

  static Page read(Path file) throws IOException {
    return new Page(file, Files.readString(file));
  }

  /** Returns the code blocks of a language. */
  List<String> blocks(String language) {
    return blocks().stream()
        .filter(block -> block.language.equals(language))
        .map(Block::content)
        .toList();
  }

  List<Block> blocks() {
    return BLOCK
        .matcher(text)
        .results()
        .map(result -> new Block(result.group(1), result.group(2)))
        .toList();
  }

  /** Returns the text without its code blocks. */
  String prose() {
    return BLOCK.matcher(text).replaceAll("");
  }

  /** Returns the targets of all links. */
  List<String> links() {
    return LINK.matcher(CODE.matcher(prose()).replaceAll("code"))
        .results()
        .map(result -> result.group(1))
        .toList();
  }

  /** Returns the anchors of all headings, made by the rules of GitHub. */
  Set<String> anchors() {
    Set<String> anchors = new LinkedHashSet<>();
    Map<String, Integer> counts = new HashMap<>();
    Matcher heading = HEADING.matcher(prose());
    while (heading.find()) {
      String slug =
          heading
              .group(2)
              .replaceAll("\\[([^\\]]*)\\]\\([^)]*\\)", "$1")
              .toLowerCase(Locale.ROOT)
              .replaceAll("[^\\p{L}\\p{N}\\p{M} _-]", "")
              .replace(' ', '-');
      int count = counts.merge(slug, 1, Integer::sum) - 1;
      anchors.add(count == 0 ? slug : slug + "-" + count);
    }
    return anchors;
  }

  /**
   * Returns the names in backticks in the first column of all tables, by the heading above. Only
   * tables whose first column has this title count.
   */
  Map<String, Set<String>> names(String title) {
    Map<String, Set<String>> names = new LinkedHashMap<>();
    String heading = "";
    boolean inTable = false;
    for (String line : prose().lines().toList()) {
      Matcher found = HEADING.matcher(line);
      if (found.matches()) {
        heading = found.group(2).replace("`", "");
      }
      if (line.startsWith("| " + title + " |")) {
        inTable = true;
      } else if (!line.startsWith("|")) {
        inTable = false;
      } else if (inTable) {
        Set<String> row = names.computeIfAbsent(heading, key -> new TreeSet<>());
        CODE.matcher(line.split("\\|", -1)[1]).results().forEach(name -> row.add(name.group(1)));
      }
    }
    return names;
  }

  /**
   * Returns the commands of the shell blocks in order: each line that starts with {@code ./sordino}
   * with the lines that continue it, and all lines between two of them as one command.
   */
  List<String> shellCommands() {
    List<String> commands = new ArrayList<>();
    StringBuilder shell = new StringBuilder();
    for (String block : blocks("sh")) {
      for (String line : block.replace("\\\n", " ").lines().toList()) {
        if (line.startsWith(SORDINO)) {
          addShell(commands, shell);
          commands.add(line);
        } else {
          shell.append(line).append('\n');
        }
      }
      addShell(commands, shell);
    }
    return commands;
  }

  private static void addShell(List<String> commands, StringBuilder shell) {
    if (!shell.toString().isBlank()) {
      commands.add(shell.toString());
    }
    shell.setLength(0);
  }

  /**
   * Executes a command of {@link #shellCommands} in a folder. Sordino runs in this process, with
   * all file names resolved in the folder.
   *
   * @param trainOptions options that are added to {@code train}
   */
  static Console.Outcome execute(String command, Path folder, String trainOptions)
      throws IOException, InterruptedException {
    if (!command.startsWith(SORDINO)) {
      return Shell.run(folder, Map.of(), 60, List.of("sh", "-c", command));
    }
    List<String> words = new ArrayList<>();
    String line = command.substring(SORDINO.length()).replaceFirst("\\s#.*$", "");
    String more = line.startsWith("train") ? " " + trainOptions : "";
    Matcher word = WORD.matcher(line + more);
    while (word.find()) {
      String text = word.group().replaceAll("^[\"']|[\"']$", "");
      words.add(FILE.matcher(text).matches() ? folder.resolve(text).toString() : text);
    }
    return Console.run(words.toArray(String[]::new));
  }

  /** Returns a text with all numbers masked and blanks merged, to compare outputs of two runs. */
  static List<String> masked(String output) {
    return NUMBER.matcher(output).replaceAll("#").replaceAll(" +", " ").strip().lines().toList();
  }
}
