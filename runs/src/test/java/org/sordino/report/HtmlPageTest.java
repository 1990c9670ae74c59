package org.sordino.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class HtmlPageTest {

  @Test
  void html_withFigure_loadsNothing() {
    String html = page("plain").html();

    assertThat(html)
        .contains("default-src 'none'")
        .contains("Licensed to the Apache Software Foundation");
    assertThat(html.replaceAll("(?s)<script>.*?</script>", ""))
        .doesNotContain("<link")
        .doesNotContain("@import")
        .doesNotContain("url(")
        .doesNotContain("http:", "https:")
        .doesNotContain(" src=");
  }

  @Test
  void html_text_isEscapedEverywhere() {
    String html = page("</script><b>&\"").html();

    assertThat(html)
        .doesNotContain("</script><b>")
        .contains("&lt;/script&gt;&lt;b&gt;&amp;&quot;")
        .contains("\\u003c/script>");
  }

  @Test
  void html_withoutFigure_omitsTheChartLibrary() {
    assertThat(new HtmlPage("words").paragraph("only").html().length()).isLessThan(10_000);
  }

  @Test
  void figure_valuesThatCannotBeDrawn_areOmitted() {
    Figure figure =
        new Figure(
            "f",
            "c",
            new Figure.Axis("x", false),
            new Figure.Axis("y", true),
            List.of(
                new Figure.Line(
                    "l",
                    Figure.Look.BOUND,
                    0,
                    List.of(
                        new Figure.Point(0, 0),
                        new Figure.Point(1, Double.POSITIVE_INFINITY),
                        new Figure.Point(2, 5)))));

    assertThat(figure.json().get("lines").toString()).contains("points=[[2.0, 5.0]]");
  }

  @Test
  void table_ofALongFigure_keepsFirstLastAndMarks() {
    List<Figure.Point> points =
        IntStream.rangeClosed(1, 400).mapToObj(i -> new Figure.Point(i, i)).toList();
    Figure figure =
        new Figure(
            "f",
            "c",
            new Figure.Axis("x", false),
            new Figure.Axis("y", false),
            List.of(
                new Figure.Line("l", Figure.Look.BOUND, 0, points),
                new Figure.Line("m", Figure.Look.MARKS, 1, List.of(new Figure.Point(33, 7)))));

    TextTable table = TextTable.of(figure, 10);

    assertThat(table.rows()).hasSize(11);
    assertThat(table.rows().get(0)).containsExactly("1", "1.0000", "");
    assertThat(table.rows()).contains(List.of("33", "33.000", "7"));
    assertThat(table.rows().get(10)).containsExactly("400", "400.00", "");
    assertThat(table.numeric(1)).isTrue();
  }

  static HtmlPage page(String text) {
    Figure figure =
        new Figure(
            text,
            text,
            new Figure.Axis("steps", false),
            new Figure.Axis("epsilon", true),
            List.of(
                new Figure.Line(
                    text,
                    Figure.Look.GUARANTEE,
                    0,
                    List.of(new Figure.Point(1, 0.1), new Figure.Point(2, 0.2)))));
    return new HtmlPage(text)
        .heading(text)
        .paragraph(text)
        .command(text)
        .table(new TextTable(List.of(text), List.of(List.of(text))))
        .figure(figure);
  }
}
