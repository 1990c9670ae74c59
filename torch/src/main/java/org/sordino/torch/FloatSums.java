package org.sordino.torch;

import java.util.List;
import org.bytedeco.pytorch.Tensor;
import org.jspecify.annotations.Nullable;
import org.sordino.mechanism.Clipping;
import org.sordino.training.RecordMetrics;

/**
 * The sums of a batch, which grow while its records are taped a few at a time. They are kept in the
 * scope around that of a tape.
 */
final class FloatSums {

  private final Clipping clipping;
  private final ExactSums exact;
  private final @Nullable Tensor[] sums; // by parameter; null where rows are summed
  private final int[] row; // by parameter
  private final double[] weights; // of the records, added up
  private final double[] norms; // of what they contributed, added up
  private @Nullable Rows rows;

  /**
   * Empty sums.
   *
   * @param parameters the number of parameter tensors
   * @param exact where {@link #finish} adds them, and metrics are added at once
   */
  FloatSums(int parameters, Clipping clipping, ExactSums exact) {
    this.clipping = clipping;
    this.exact = exact;
    this.sums = new Tensor[parameters];
    this.row = new int[parameters];
    this.weights = new double[parameters];
    this.norms = new double[parameters];
  }

  /** Where gradients by some parameters are summed row by row. */
  Rows rows(List<Written> gradients, List<Integer> parameters) {
    if (rows == null) {
      rows = new Rows(gradients).keep();
      for (int k = 0; k < parameters.size(); k++) {
        row[parameters.get(k)] = k;
      }
    }
    return rows.of(gradients);
  }

  /** Adds a sum over some records. */
  void add(int parameter, Tensor sum) {
    Tensor before = sums[parameter];
    sums[parameter] = before == null ? Scopes.keep(sum) : before.add_(sum);
  }

  /** Notes the weight of a record and the norm of what it contributed. */
  void note(int parameter, double weight, double norm) {
    weights[parameter] += weight;
    norms[parameter] += norm;
  }

  /** Adds the metrics of some records; they are whole units already. */
  void add(RecordMetrics metrics, double[] clips) {
    exact.add(metrics, clips);
  }

  /** Adds all of it to the sums of other batches. */
  void finish() {
    boolean last = exact.isLast();
    Tensor[] rowSums = rows == null ? new Tensor[0] : rows.sums();
    for (int j = 0; j < sums.length; j++) {
      Tensor sum = sums[j] == null ? rowSums[row[j]] : sums[j];
      exact.add(j, sum, clipping.insideDecay() * weights[j], norms[j], last);
    }
  }
}
