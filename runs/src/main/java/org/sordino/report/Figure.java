package org.sordino.report;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The data of a line chart, which {@link HtmlPage} draws.
 *
 * @param title short title
 * @param caption explanation of the figure, also used by screen readers
 * @param x horizontal axis
 * @param y vertical axis
 * @param lines lines of the chart
 */
public record Figure(String title, String caption, Axis x, Axis y, List<Line> lines) {

  public Figure {
    lines = List.copyOf(lines);
  }

  /**
   * An axis.
   *
   * @param name name of the quantity and its unit
   * @param logarithmic whether the scale is logarithmic
   */
  public record Axis(String name, boolean logarithmic) {}

  /**
   * The style of a line, which depends on its meaning, so that readers do not mistake an estimate
   * for a guarantee.
   */
  public enum Look {
    /** The guarantee: a thick line. */
    GUARANTEE,
    /** A proven bound: a solid line. */
    BOUND,
    /** An unproven value: a dashed line. */
    UNPROVEN,
    /** A measured value: a solid line. */
    MEASURED,
    /** A measured value that may coincide with another line: dashed, so that both are visible. */
    MEASURED_TOO,
    /** A reference line: thin and dotted. */
    REFERENCE,
    /** Individual values, such as those printed in a paper: marks without a line. */
    MARKS
  }

  /**
   * One curve.
   *
   * @param name label of the curve
   * @param look style of the line
   * @param color index from 0 to 5; the same quantity has the same color in every figure
   * @param points points of the curve; values that cannot be drawn, such as infinity, are omitted
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

  /** Returns the JSON form, the input of the page's script. */
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
    json.put("color", line.color);
    json.put("points", points);
    return json;
  }
}
