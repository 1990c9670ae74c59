package org.sordino.training;

import java.util.Arrays;
import java.util.List;
import org.sordino.mechanism.Clipping;
import org.sordino.mechanism.Layout;

/**
 * Metrics of the records, shared by all engines. The engine passes the loss and the class of each
 * example, and whether its class was predicted correctly, to {@link #note}. This class adds the
 * metrics in the layout to the exact sums. Metrics pass through the same clipping rule as all other
 * vectors. Each record is added separately in whole units, rounded toward zero, so a record changes
 * a sum by no more than its bound.
 */
public final class RecordMetrics {

  private final Layout layout;
  private final Clipping clipping;
  private final List<Layout.Vector> metrics;
  private final int first;
  private final double[][] values;

  /**
   * Creates the metrics of a batch of records.
   *
   * @param layout layout of the engine, with the metrics after the gradients
   * @param clipping the clipping rule
   * @param records number of records in a batch
   */
  public RecordMetrics(Layout layout, Clipping clipping, int records) {
    this.layout = layout;
    this.clipping = clipping;
    metrics = layout.vectors(Layout.Role.METRIC);
    first = layout.size() - metrics.size();
    values = new double[records][layout.dimension() - layout.parameters()];
    clear();
  }

  /** Returns whether the layout has no metrics; the engine then need not compute their values. */
  public boolean isEmpty() {
    return metrics.isEmpty();
  }

  /** Discards the noted values. */
  public void clear() {
    int at = 0;
    for (Layout.Vector metric : metrics) {
      double start = Metric.Kind.of(metric) == Metric.Kind.ACCURACY ? -0.5 : 0;
      for (double[] row : values) {
        Arrays.fill(row, at, at + metric.dimension(), start);
      }
      at += metric.dimension();
    }
  }

  /**
   * Notes the values of one example.
   *
   * @param record index of its record in the batch
   * @param share 1 over the number of examples of the record
   * @param loss loss of the example
   * @param hit whether its class was predicted correctly
   * @param target its class, or its value for a regression
   */
  public void note(int record, double share, double loss, boolean hit, float target) {
    int at = 0;
    double[] row = values[record];
    for (Layout.Vector metric : metrics) {
      switch (Metric.Kind.of(metric)) {
        case LOSS -> row[at] += share * loss;
        case ACCURACY -> row[at] += hit ? share : 0;
        case CLASSES -> {
          if (target >= 0 && target < metric.dimension()) {
            row[at + (int) target] += share;
          }
        }
        case UNCLIPPED -> {} // computed from the norms
      }
      at += metric.dimension();
    }
  }

  /**
   * Fills in the squared norms of the metrics.
   *
   * @param squares upper bounds on squared norms, with a row of all vectors for each record; the
   *     columns of the metrics are set here
   */
  public void fillSquares(double[] squares) {
    if (isEmpty()) {
      return;
    }
    for (int record = 0; record < squares.length / layout.size(); record++) {
      int at = 0;
      for (int m = 0; m < metrics.size(); m++) {
        Layout.Vector metric = metrics.get(m);
        if (Metric.Kind.of(metric) == Metric.Kind.UNCLIPPED) {
          unclipped(record, squares, at);
        }
        double square = 0;
        for (int k = at; k < at + metric.dimension(); k++) {
          square += values[record][k] * values[record][k];
        }
        // Relative rounding errors: one per square, one per addition.
        double margin = 1 + (metric.dimension() + 8) * 0x1p-53;
        squares[record * layout.size() + first + m] = square * margin;
        at += metric.dimension();
      }
    }
  }

  private void unclipped(int record, double[] squares, int at) {
    int k = at;
    for (int group : clipping.gradientGroups()) {
      values[record][k++] = clipping.isWithin(group, squares, record) ? 0.5 : -0.5;
    }
  }

  /**
   * Adds the metrics of the batch, each in whole units of its vector.
   *
   * @param weights weights that the clipping rule computed from the squared norms
   * @param sums flat array to add to
   */
  public void add(double[] weights, long[] sums) {
    if (isEmpty()) {
      return;
    }
    for (int record = 0; record < weights.length / layout.size(); record++) {
      int at = 0;
      for (int m = 0; m < metrics.size(); m++) {
        double weight = weights[record * layout.size() + first + m] / clipping.unit(first + m);
        int offset = layout.offset(first + m);
        for (int k = 0; k < metrics.get(m).dimension(); k++) {
          // The cast rounds toward zero and turns NaN into 0; the weight of such a record is 0.
          long units = (long) (weight * values[record][at + k]);
          sums[offset + k] = Math.addExact(sums[offset + k], units);
        }
        at += metrics.get(m).dimension();
      }
    }
  }
}
