package org.sordino.report;

import java.util.List;
import java.util.Map;
import org.sordino.json.Json;

/**
 * A self-contained HTML page of text, tables and figures, which loads no fonts or other resources.
 *
 * <p>Apache ECharts, which is inlined with its license, draws the figures. A table below each
 * figure contains its data, for accessibility and for verification.
 */
public final class HtmlPage {

  private static final int ROWS_BELOW_A_FIGURE = 20;

  private final String title;
  private final StringBuilder body = new StringBuilder();
  private int figures;

  /** Creates a page with a title and a heading of the same text. */
  public HtmlPage(String title) {
    this.title = title;
    body.append("<h1>").append(escaped(title)).append("</h1>\n");
  }

  /** Adds a heading. */
  public HtmlPage heading(String text) {
    body.append("<h2>").append(escaped(text)).append("</h2>\n");
    return this;
  }

  /** Adds a paragraph. */
  public HtmlPage paragraph(String text) {
    body.append("<p>").append(withCode(text)).append("</p>\n");
    return this;
  }

  /** Adds a highlighted paragraph. */
  public HtmlPage callout(String text) {
    body.append("<p class=\"callout\">").append(escaped(text)).append("</p>\n");
    return this;
  }

  /**
   * A key figure of the page.
   *
   * @param value formatted value, shown in large type
   * @param name name of the value
   * @param note short note on its reliability
   */
  public record Fact(String value, String name, String note) {}

  /** Adds key figures. */
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

  /**
   * Adds links to files in the directory of the page.
   *
   * @param files descriptions of the files, by name
   */
  public HtmlPage links(Map<String, String> files) {
    body.append("<ul>\n");
    files.forEach(
        (name, text) ->
            body.append("<li><a href=\"" + escaped(name) + "\">" + escaped(name) + "</a>: ")
                .append(escaped(text) + "</li>\n"));
    body.append("</ul>\n");
    return this;
  }

  /** Adds a command line. */
  public HtmlPage command(String text) {
    body.append("<pre><code>").append(escaped(text)).append("</code></pre>\n");
    return this;
  }

  /** Adds a table. */
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

  /** Adds a figure and a collapsible table of its data. */
  public HtmlPage figure(Figure figure) {
    String id = "figure-" + ++figures;
    body.append("<figure>\n<h3 id=\"" + id + "\">" + escaped(figure.title()) + "</h3>\n")
        .append("<div class=\"chart\" role=\"img\" aria-labelledby=\"" + id)
        .append("\" aria-describedby=\"" + id + "-caption\">")
        .append(
            "<noscript>The figure requires JavaScript. Its data is in the table below."
                + "</noscript></div>\n")
        .append("<script type=\"application/json\">" + inScript(Json.write(figure.json())))
        .append("</script>\n<figcaption id=\"" + id + "-caption\">")
        .append(escaped(figure.caption()) + "</figcaption>\n")
        .append("<details><summary>Data table</summary>\n");
    table(TextTable.of(figure, ROWS_BELOW_A_FIGURE));
    body.append("</details>\n</figure>\n");
    return this;
  }

  /** Returns the HTML of the page. */
  public String html() {
    return "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        + "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
        + "<meta name=\"color-scheme\" content=\"light dark\">\n"
        // Browsers enforce that the page loads nothing from other origins.
        + "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none';"
        + " style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:\">\n"
        + ("<title>" + escaped(title) + "</title>\n")
        + ("<style>\n" + Resources.text("page.css") + "</style>\n</head>\n<body>\n<main>\n")
        + body
        + ("<footer>Generated by Sordino " + escaped(Resources.version("sordino")))
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

  /** Returns a text with the special characters of HTML escaped. */
  public static String escaped(String text) {
    return text.replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
        .replace("\"", "&quot;");
  }

  /** Escapes JSON so that "&lt;/script>" inside a string does not end the script element. */
  private static String inScript(String json) {
    return json.replace("<", "\\u003c");
  }
}
