package org.sordino.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A document of headings, paragraphs, lists and tables that can be written as Markdown or HTML. */
public final class Document {

  /** Characters that Markdown would interpret as markup. */
  private static final String MARKUP = "([\\\\*_`<\\[\\]])";

  private static final Pattern CODE = Pattern.compile("(`[^`]+`)|[^`]+|`");

  private final StringBuilder markdown = new StringBuilder();
  private final List<Consumer<HtmlPage>> blocks = new ArrayList<>();

  /** Adds a heading. */
  public Document heading(String text) {
    return add("## " + escaped(text), page -> page.heading(text));
  }

  /** Adds a paragraph. */
  public Document paragraph(String text) {
    return add(escaped(text), page -> page.paragraph(text));
  }

  /** Adds a highlighted paragraph. */
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

  /** Adds a table. */
  public Document table(TextTable table) {
    return add(table.markdown().stripTrailing(), page -> page.table(table));
  }

  /** Adds a command line. */
  public Document command(String line) {
    return add("    " + line, page -> page.command(line));
  }

  private Document add(String text, Consumer<HtmlPage> block) {
    markdown.append(markdown.isEmpty() ? "" : "\n").append(text).append('\n');
    blocks.add(block);
    return this;
  }

  /** Returns the document as Markdown. */
  public String markdown() {
    return markdown.toString();
  }

  /** Appends the document to an HTML page. */
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
