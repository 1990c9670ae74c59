package org.sordino.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Headings, paragraphs, lists and tables: written once, read as Markdown and on a page. */
public final class Document {

  /** What Markdown would take for markup in a name or a number. */
  private static final String MARKUP = "([\\\\*_`<\\[\\]])";

  private static final Pattern CODE = Pattern.compile("(`[^`]+`)|[^`]+|`");

  private final StringBuilder markdown = new StringBuilder();
  private final List<Consumer<HtmlPage>> blocks = new ArrayList<>();

  public Document heading(String text) {
    return add("## " + escaped(text), page -> page.heading(text));
  }

  public Document paragraph(String text) {
    return add(escaped(text), page -> page.paragraph(text));
  }

  /** What must not be overlooked. */
  public Document callout(String text) {
    return add("> **" + escaped(text) + "**", page -> page.callout(text));
  }

  /** Adds names with a value each, as a table without a header. */
  public Document properties(Map<String, String> values) {
    StringBuilder text = new StringBuilder("| | |\n|---|---|");
    values.forEach(
        (name, value) -> text.append("\n| %s | %s |".formatted(cell(name), cell(value))));
    return add(text.toString(), page -> page.properties(values));
  }

  private static String cell(String text) {
    return escaped(text).replace("|", "\\|");
  }

  public Document list(List<String> items) {
    List<String> lines = items.stream().map(item -> "- " + escaped(item)).toList();
    return add(String.join("\n", lines), page -> page.list(items));
  }

  public Document table(TextTable table) {
    return add(table.markdown().stripTrailing(), page -> page.table(table));
  }

  /** A line as it would be typed. */
  public Document command(String line) {
    return add("    " + line, page -> page.command(line));
  }

  private Document add(String text, Consumer<HtmlPage> block) {
    markdown.append(markdown.isEmpty() ? "" : "\n").append(text).append('\n');
    blocks.add(block);
    return this;
  }

  public String markdown() {
    return markdown.toString();
  }

  public void addTo(HtmlPage page) {
    blocks.forEach(block -> block.accept(page));
  }

  /** Text between two backticks is code, in which nothing is escaped. */
  private static String escaped(String text) {
    return CODE.matcher(text.replaceAll("\\s+", " "))
        .replaceAll(
            part ->
                Matcher.quoteReplacement(
                    part.group(1) == null
                        ? part.group().replaceAll(MARKUP, "\\\\$1")
                        : part.group(1)));
  }
}
