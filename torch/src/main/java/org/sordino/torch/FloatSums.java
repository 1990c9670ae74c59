package org.sordino.torch;

import java.util.List;
import org.bytedeco.pytorch.Tensor;
import org.jspecify.annotations.Nullable;
import org.sordino.mechanism.Clipping;
import org.sordino.training.RecordMetrics;

/**
 * The float32 sums of a batch, accumulated while its records are taped a few at a time. The tensors
 * belong to the scope around that of the tape.
 */
final class FloatSums {

  private final Clipping clipping;
  private final ExactSums exact;
  private final @Nullable Tensor[] sums; // by parameter; null if summed as rows
  private final int[] row; // by parameter: index in rows
  private final double[] weights; // by parameter: sum over the records
  private final double[] norms; // by parameter: sum over the contributions
  private @Nullable Rows rows;

  /**
   * Creates empty sums.
   *
   * @param parameters number of parameter tensors
   * @param exact receives the sums in {@link #finish}, and metrics immediately
   */
  FloatSums(int parameters, Clipping clipping, ExactSums exact) {
    this.clipping = clipping;
    this.exact = exact;
    this.sums = new Tensor[parameters];
    this.row = new int[parameters];
    this.weights = new double[parameters];
    this.norms = new double[parameters];
  }

  /** Returns the object that sums the gradients of the given parameters row by row. */
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

  /** Adds the weight of a record and the norm of its contribution to the totals. */
  void note(int parameter, double weight, double norm) {
    weights[parameter] += weight;
    norms[parameter] += norm;
  }

  /** Adds the metrics of some records, which are already in integer units. */
  void add(RecordMetrics metrics, double[] clips) {
    exact.add(metrics, clips);
  }

  /** Adds these sums to those of other batches. */
  void finish() {
    boolean last = exact.isLast();
    Tensor[] rowSums = rows == null ? new Tensor[0] : rows.sums();
    for (int j = 0; j < sums.length; j++) {
      Tensor sum = sums[j] == null ? rowSums[row[j]] : sums[j];
      exact.add(j, sum, clipping.insideDecay() * weights[j], norms[j], last);
    }
  }
}
