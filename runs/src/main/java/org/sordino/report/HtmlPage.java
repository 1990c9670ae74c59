package org.sordino.report;

import java.util.List;
import java.util.Map;
import org.sordino.json.Json;

/**
 * A page of text, tables and figures in one file that needs nothing else: no network, no fonts.
 *
 * <p>The figures are drawn by Apache ECharts, which is inlined with its license. Below each stands
 * a table of its numbers, for those who cannot see it and for those who want to check it.
 */
public final class HtmlPage {

  private static final int ROWS_BELOW_A_FIGURE = 20;

  private final String title;
  private final StringBuilder body = new StringBuilder();
  private int figures;

  public HtmlPage(String title) {
    this.title = title;
    body.append("<h1>").append(escaped(title)).append("</h1>\n");
  }

  public HtmlPage heading(String text) {
    body.append("<h2>").append(escaped(text)).append("</h2>\n");
    return this;
  }

  public HtmlPage paragraph(String text) {
    body.append("<p>").append(withCode(text)).append("</p>\n");
    return this;
  }

  /** Adds what must not be overlooked. */
  public HtmlPage callout(String text) {
    body.append("<p class=\"callout\">").append(escaped(text)).append("</p>\n");
    return this;
  }

  public HtmlPage list(List<String> items) {
    body.append("<ul>\n");
    items.forEach(item -> body.append("<li>").append(withCode(item)).append("</li>\n"));
    body.append("</ul>\n");
    return this;
  }

  /**
   * A number that people look for first.
   *
   * @param value as it is shown, large
   * @param name what it is
   * @param note how far it may be relied upon
   */
  public record Fact(String value, String name, String note) {}

  /** Adds the numbers that people look for first. */
  public HtmlPage facts(List<Fact> facts) {
    body.append("<ul class=\"facts\">\n");
    for (Fact fact : facts) {
      body.append("<li><span class=\"name\">" + escaped(fact.name) + "</span> ")
          .append("<strong>" + escaped(fact.value) + "</strong> ")
          .append("<span class=\"note\">" + escaped(fact.note) + "</span></li>\n");
    }
    body.append("</ul>\n");
    return this;
  }

  /** Adds names with a value each, as a table whose row headers are the names. */
  public HtmlPage properties(Map<String, String> values) {
    body.append("<div class=\"scroll\" tabindex=\"0\"><table class=\"properties\">\n<tbody>\n");
    values.forEach(
        (name, value) ->
            body.append("<tr><th scope=\"row\">" + escaped(name) + "</th>")
                .append("<td>" + withCode(value) + "</td></tr>\n"));
    body.append("</tbody></table></div>\n");
    return this;
  }

  /** Adds links to files beside the page, by name, each with a few words. */
  public HtmlPage links(Map<String, String> files) {
    body.append("<ul>\n");
    files.forEach(
        (name, text) ->
            body.append("<li><a href=\"" + escaped(name) + "\">" + escaped(name) + "</a>: ")
                .append(escaped(text) + "</li>\n"));
    body.append("</ul>\n");
    return this;
  }

  /** Adds a line as it would be typed. */
  public HtmlPage command(String text) {
    body.append("<pre><code>").append(escaped(text)).append("</code></pre>\n");
    return this;
  }

  public HtmlPage table(TextTable table) {
    body.append("<div class=\"scroll\" tabindex=\"0\"><table>\n<thead>");
    tableRow(table, table.header(), "th scope=\"col\"", "th");
    body.append("</thead>\n<tbody>\n");
    table.rows().forEach(row -> tableRow(table, row, "td", "td"));
    body.append("</tbody></table></div>\n");
    return this;
  }

  private void tableRow(TextTable table, List<String> cells, String open, String close) {
    body.append("<tr>");
    for (int column = 0; column < cells.size(); column++) {
      body.append("<" + open + (table.numeric(column) ? " class=\"number\">" : ">"))
          .append(escaped(cells.get(column)))
          .append("</" + close + ">");
    }
    body.append("</tr>\n");
  }

  public HtmlPage figure(Figure figure) {
    String id = "figure-" + ++figures;
    body.append("<figure>\n<h3 id=\"" + id + "\">" + escaped(figure.title()) + "</h3>\n")
        .append("<div class=\"chart\" role=\"img\" aria-labelledby=\"" + id)
        .append("\" aria-describedby=\"" + id + "-caption\">")
        .append("<noscript>The figure needs JavaScript; its numbers are below.</noscript></div>\n")
        .append("<script type=\"application/json\">" + inScript(Json.write(figure.json())))
        .append("</script>\n<figcaption id=\"" + id + "-caption\">")
        .append(escaped(figure.caption()) + "</figcaption>\n")
        .append("<details><summary>The numbers</summary>\n");
    table(TextTable.of(figure, ROWS_BELOW_A_FIGURE));
    body.append("</details>\n</figure>\n");
    return this;
  }

  /** The whole file. */
  public String html() {
    return "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        + "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
        + "<meta name=\"color-scheme\" content=\"light dark\">\n"
        // The browser itself refuses to load anything from elsewhere.
        + "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none';"
        + " style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:\">\n"
        + ("<title>" + escaped(title) + "</title>\n")
        + ("<style>\n" + Resources.text("page.css") + "</style>\n</head>\n<body>\n<main>\n")
        + body
        + ("<footer>Made by Sordino " + escaped(Resources.version("sordino")))
        + ". Figures: Apache ECharts, Apache License 2.0.</footer>\n</main>\n"
        + (figures == 0 ? "" : scripts())
        + "</body>\n</html>\n";
  }

  private static String scripts() {
    String echarts =
        "/META-INF/resources/webjars/echarts/"
            + Resources.version("echarts")
            + "/echarts.common.min.js";
    return ("<script>" + Resources.text(echarts) + "</script>\n")
        + ("<script>\n" + Resources.text("page.js") + "</script>\n");
  }

  /** Escapes a text in which parts between two backticks are code. */
  private static String withCode(String text) {
    return escaped(text).replaceAll("`([^`]+)`", "<code>$1</code>");
  }

  public static String escaped(String text) {
    return text.replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
        .replace("\"", "&quot;");
  }

  /** Keeps "&lt;/script>" in a string from ending the script. */
  private static String inScript(String json) {
    return json.replace("<", "\\u003c");
  }
}
