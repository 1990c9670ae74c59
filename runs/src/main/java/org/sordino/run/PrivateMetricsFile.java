package org.sordino.run;

import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.sordino.mechanism.Layout;
import org.sordino.report.Figure;
import org.sordino.training.Metric;
import org.sordino.training.TrainingPlan;

/**
 * The file {@code private-metrics.csv}: metrics of the training records, released with noise in
 * every step. They have a share of the privacy budget, so they are as private as the model. Each
 * row is the average over several steps, which reduces the noise.
 */
final class PrivateMetricsFile {

  static final String FILE = "private-metrics.csv";

  private final RunDirectory run;
  private final List<Metric.Kind> kinds;
  private final List<String> names;
  private final Map<Long, List<Double>> rows = new TreeMap<>();
  private final double[] sums;
  private int count;

  /** Opens the file of a run directory with its rows so far; a resumed run appends to them. */
  PrivateMetricsFile(RunDirectory run, TrainingPlan plan) {
    this.run = run;
    this.kinds = plan.metrics();
    this.names = names(plan);
    this.sums = new double[names.size()];
    if (Files.isRegularFile(run.file(FILE))) {
      run.text(FILE).lines().skip(1).forEach(this::read);
    }
  }

  /** Returns the names of the metric columns. */
  private static List<String> names(TrainingPlan plan) {
    List<String> names = new ArrayList<>();
    for (Layout.Vector vector : plan.mechanism().layout().vectors(Layout.Role.METRIC)) {
      String name = vector.name().substring(vector.name().indexOf('.') + 1);
      for (int i = 0; i < vector.dimension(); i++) {
        names.add(vector.dimension() == 1 ? name : name + " " + i);
      }
    }
    return names;
  }

  boolean isEmpty() {
    return names.isEmpty();
  }

  /** Reads a line. A line truncated by a crash is skipped, because its steps are repeated. */
  private void read(String line) {
    try {
      List<Double> fields = Arrays.stream(line.split(",")).map(Double::valueOf).toList();
      if (fields.size() == names.size() + 2) {
        rows.put(fields.get(0).longValue(), fields.subList(1, fields.size()));
      }
    } catch (NumberFormatException e) {
      // truncated line
    }
  }

  /** Adds the metrics of one step to the current row. */
  void add(Map<Metric.Kind, double[]> metrics) {
    int at = 0;
    for (Metric.Kind kind : kinds) {
      for (double value : metrics.getOrDefault(kind, new double[0])) {
        sums[at++] += value;
      }
    }
    count++;
  }

  /**
   * Ends the current row. A resumed run may start in the middle of a row and then averages fewer
   * steps; an existing row that averages more steps is kept.
   */
  void endRow(long steps) {
    List<Double> row = new ArrayList<>(List.of((double) count));
    for (double sum : sums) {
      row.add(sum / count);
    }
    List<Double> old = rows.get(steps);
    if (count > 0 && (old == null || old.get(0) <= count)) {
      rows.put(steps, row);
      run.write(FILE, text());
    }
    Arrays.fill(sums, 0);
    count = 0;
  }

  private String text() {
    StringBuilder text = new StringBuilder("steps,averagedOver");
    names.forEach(name -> text.append(',').append(name));
    text.append('\n');
    rows.forEach(
        (steps, values) -> {
          text.append(steps).append(',').append(values.get(0).longValue());
          values.subList(1, values.size()).forEach(value -> text.append(',').append(value));
          text.append('\n');
        });
    return text.toString();
  }

  /** Returns each metric as a function of the step, by name. */
  Map<String, List<Figure.Point>> curves() {
    Map<String, List<Figure.Point>> curves = new LinkedHashMap<>();
    for (int i = 0; i < names.size(); i++) {
      int column = i + 1;
      List<Figure.Point> points = new ArrayList<>();
      rows.forEach((steps, row) -> points.add(new Figure.Point(steps, row.get(column))));
      curves.put(names.get(i), points);
    }
    return curves;
  }

  /** Returns the values of the last row by name; empty if there are no rows. */
  Map<String, Double> last() {
    Map<String, Double> last = new LinkedHashMap<>();
    curves()
        .forEach(
            (name, points) -> {
              if (!points.isEmpty()) {
                last.put(name, points.get(points.size() - 1).y());
              }
            });
    return last;
  }
}
