package org.sordino.report;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * A table of text.
 *
 * @param header names of the columns
 * @param rows rows, each with as many cells as the header
 */
public record TextTable(List<String> header, List<List<String>> rows) {

  private static final Pattern NUMBER = Pattern.compile("(-?[\\d.,]+(e-?\\d+)?|infinite)?");

  public TextTable {
    header = List.copyOf(header);
    rows = rows.stream().map(List::copyOf).toList();
    for (List<String> row : rows) {
      if (row.size() != header.size()) {
        throw new IllegalArgumentException(
            "row must have " + header.size() + " cells, got " + row.size());
      }
    }
  }

  /** Returns whether a column contains only numbers and empty cells. */
  public boolean numeric(int column) {
    return rows.stream().allMatch(row -> NUMBER.matcher(row.get(column)).matches());
  }

  /** Returns the table as Markdown. */
  public String markdown() {
    List<String> lines = new ArrayList<>();
    lines.add(markdown(header));
    lines.add("|" + "---|".repeat(header.size()));
    rows.forEach(row -> lines.add(markdown(row)));
    return String.join("\n", lines) + "\n";
  }

  private static String markdown(List<String> cells) {
    return "| "
        + String.join(" | ", cells.stream().map(c -> c.replace("|", "\\|")).toList())
        + " |";
  }

  /**
   * Returns the data of a figure, with one row per x value. If there are more than {@code maxRows},
   * the table contains the first, the last and evenly spaced rows in between, in addition to all
   * marks.
   */
  public static TextTable of(Figure figure, int maxRows) {
    List<String> header = new ArrayList<>();
    header.add(figure.x().name());
    figure.lines().forEach(line -> header.add(line.name()));
    List<List<String>> rows = new ArrayList<>();
    for (double x : thinned(figure, maxRows)) {
      List<String> row = new ArrayList<>();
      row.add(Decimals.plain(x));
      figure.lines().forEach(line -> row.add(cell(line, x)));
      rows.add(row);
    }
    return new TextTable(header, rows);
  }

  private static String cell(Figure.Line line, double x) {
    return line.points().stream()
        .filter(point -> point.x() == x)
        .findFirst()
        .map(
            point ->
                line.look() == Figure.Look.MARKS
                    ? Decimals.plain(point.y()) // as printed in the source, without extra digits
                    : Decimals.nearest(point.y(), 5))
        .orElse("");
  }

  private static List<Double> thinned(Figure figure, int maxRows) {
    List<Double> all = xs(figure, false);
    List<Double> kept = new ArrayList<>(xs(figure, true));
    int rows = Math.min(maxRows, all.size());
    for (int i = 0; i < rows; i++) {
      kept.add(all.get(rows == 1 ? 0 : (int) ((long) i * (all.size() - 1) / (rows - 1))));
    }
    return kept.stream().distinct().sorted().toList();
  }

  private static List<Double> xs(Figure figure, boolean marks) {
    return figure.lines().stream()
        .filter(line -> (line.look() == Figure.Look.MARKS) == marks)
        .flatMap(line -> line.points().stream())
        .map(Figure.Point::x)
        .distinct()
        .sorted()
        .toList();
  }
}
