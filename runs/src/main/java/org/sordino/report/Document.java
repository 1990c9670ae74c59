package org.sordino.report;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** Headings, paragraphs, lists and tables: written once, read as Markdown and on a page. */
public final class Document {

  /** What Markdown would take for markup in a name or a number. */
  private static final String MARKUP = "([\\\\*_`<\\[\\]])";

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

  private static String escaped(String text) {
    return text.replaceAll("\\s+", " ").replaceAll(MARKUP, "\\\\$1");
  }
}
