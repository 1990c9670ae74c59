package org.sordino.report;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A chart of lines, as data; {@link HtmlPage} draws it.
 *
 * @param title what is shown, in a few words
 * @param caption what to see in it; also read aloud in place of the picture
 * @param x the horizontal axis
 * @param y the vertical axis
 * @param lines what is drawn
 */
public record Figure(String title, String caption, Axis x, Axis y, List<Line> lines) {

  public Figure {
    lines = List.copyOf(lines);
  }

  /**
   * An axis.
   *
   * @param name what is measured, and in which unit
   * @param logarithmic whether equal factors, not differences, get equal space
   */
  public record Axis(String name, boolean logarithmic) {}

  /** How a line looks, by what it means. A reader must never take an estimate for a guarantee. */
  public enum Look {
    /** The line that counts: thick. */
    GUARANTEE,
    /** A proven statement: solid. */
    BOUND,
    /** Not proven: dashed. */
    UNPROVEN,
    /** What came out of a run: solid. */
    MEASURED,
    /** The same where it may lie upon another line: dashed, so that both are seen. */
    MEASURED_TOO,
    /** A guide for the eye: thin and dotted. */
    REFERENCE,
    /** Single values, such as those printed in a paper: marks without a line. */
    MARKS
  }

  /**
   * One curve.
   *
   * @param name its label
   * @param look how it is drawn
   * @param color a number from 0 to 5; the same thing has the same color in every figure
   * @param points pairs of x and y; values that cannot be drawn (infinite) are left out
   */
  public record Line(String name, Look look, int color, List<Point> points) {

    public Line {
      points = List.copyOf(points);
    }
  }

  /** One point of a curve. */
  public record Point(double x, double y) {

    private boolean drawable(Figure figure) {
      return Double.isFinite(x)
          && Double.isFinite(y)
          && !(figure.x.logarithmic && x <= 0)
          && !(figure.y.logarithmic && y <= 0);
    }
  }

  /** What the page's script reads. */
  public Map<String, Object> json() {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("x", axis(x));
    json.put("y", axis(y));
    json.put("lines", lines.stream().map(this::line).toList());
    return json;
  }

  private static Map<String, Object> axis(Axis axis) {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("name", axis.name);
    json.put("logarithmic", axis.logarithmic);
    return json;
  }

  private Map<String, Object> line(Line line) {
    List<Object> points = new ArrayList<>();
    for (Point point : line.points) {
      if (point.drawable(this)) {
        points.add(List.of(point.x, point.y));
      }
    }
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("name", line.name);
    json.put("look", line.look.name());
    json.put("colour", line.color);
    json.put("points", points);
    return json;
  }
}
