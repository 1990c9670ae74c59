package org.sordino.torch;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch.ScalarType;
import org.jspecify.annotations.Nullable;
import org.sordino.mechanism.Clipping;
import org.sordino.training.RecordMetrics;

/**
 * Clips and sums some records of a batch: forward pass, backward pass to the tape, norms, weights,
 * sums. The sequence of operations does not depend on the records' values, and what is computed for
 * a record does not depend on the other records ({@link TapeCheck}). Rows beyond the records are
 * padding and not used.
 */
final class TapeSum {

  /** Margin for rounding where lambda theta may cancel a gradient; see {@link SequenceProducts}. */
  private static final double ROOM = 0x1p-43;

  private final BatchSum batch;
  private final EngineStep step;
  private final TapedNetwork network;
  private final int[] records;
  private final int rows;
  private final @Nullable Map<String, Tensor> decay; // theta in float64 if decay is inside the clip
  private final Clipping clipping;
  private final FloatSums sums;
  private final RecordMetrics metrics;
  private final double[] squares; // per record, in the order of Clipping
  private final boolean[] unusable;

  /**
   * Creates the sum of some records.
   *
   * @param batch batch of the records
   * @param rows number of rows of the tape, at least the number of records
   * @param sums sums of the batch, for gradients and metrics
   */
  TapeSum(BatchSum batch, int[] records, int rows, FloatSums sums) {
    this.batch = batch;
    this.step = batch.step();
    this.network = step.network();
    this.records = records;
    this.rows = rows;
    this.decay = batch.decay();
    this.clipping = step.clipping();
    this.sums = sums;
    this.metrics = new RecordMetrics(step.layout(), clipping, records.length);
    this.squares = new double[records.length * clipping.vectors()];
    this.unusable = new boolean[records.length];
  }

  void run() {
    List<Tape.Recorded> tape = tape();
    Scopes.withoutGradients(() -> sum(tape));
  }

  private List<Tape.Recorded> tape() {
    return network.tape(
        records,
        rows,
        step.weights(),
        step.number(),
        metrics.isEmpty() ? null : outcomes -> outcomes.note(metrics));
  }

  private void sum(List<Tape.Recorded> tape) {
    List<Integer> written = new ArrayList<>();
    List<Integer> together = new ArrayList<>();
    RecordGradients[] gradients = gradients(tape);
    for (int j = 0; j < gradients.length; j++) {
      (gradients[j] instanceof Written ? written : together).add(j);
    }
    for (int j : together) {
      measure(gradients[j], j);
    }
    if (!written.isEmpty()) {
      addRows(written.stream().map(j -> (Written) gradients[j]).toList(), written);
    }
    for (int i = 0; i < records.length; i++) {
      System.arraycopy(squaresOf(i), 0, squares, i * clipping.vectors(), gradients.length);
    }
    metrics.fillSquares(squares);
    double[] clips = new double[squares.length];
    clipping.weights(squares, clips);
    for (int j : together) {
      gradients[j].discard(unusable);
      sums.add(j, gradients[j].weightedSum(column(clips, j)));
    }
    note(clips, gradients.length);
    sums.add(metrics, clips);
  }

  /** Returns the gradients of each parameter tensor. */
  private RecordGradients[] gradients(List<Tape.Recorded> tape) {
    RecordGradients[] gradients = new RecordGradients[network.architecture().layout().size()];
    for (Tape.Recorded recorded : tape) {
      List<RecordGradients> found =
          recorded.rule().gradients(inType(recorded.a()), inType(recorded.g()));
      for (int k = 0; k < found.size(); k++) {
        gradients[network.vector(recorded.rule().parameters().get(k))] = found.get(k);
      }
    }
    return gradients;
  }

  /**
   * Converts everything except tokens to float64 if decay is large compared with the bound and may
   * therefore cancel large gradients.
   */
  private Tensor inType(Tensor tensor) {
    return inType(tensor, batch.exact());
  }

  static Tensor inType(Tensor tensor, boolean exact) {
    return !exact || Tensors.is(tensor, ScalarType.Long) ? tensor : tensor.to(ScalarType.Double);
  }

  /** Stores the norms of all records' gradients with respect to one parameter tensor. */
  private void measure(RecordGradients gradients, int vector) {
    double[] found = Tensors.doubles(gradients.squaredNorms());
    double[] inner = {};
    double length = 0;
    if (decay != null) {
      Tensor theta = theta(vector);
      inner = Tensors.doubles(gradients.innerProducts(theta));
      length = length(theta);
    }
    for (int i = 0; i < records.length; i++) {
      note(i, vector, found[i], decay == null ? 0 : inner[i], length);
    }
  }

  /**
   * Sums the gradients that are materialized record by record. All other norms are known at this
   * point, so a record can be clipped and added while its row is in the cache.
   */
  private void addRows(List<Written> gradients, List<Integer> vectors) {
    Rows rows = sums.rows(gradients, vectors);
    int count = gradients.size();
    double[] found = new double[count];
    double[] weights = new double[count];
    double[] all = new double[clipping.vectors()];
    Tensor[] thetas = new Tensor[count];
    double[] lengths = new double[count];
    for (int k = 0; decay != null && k < count; k++) {
      thetas[k] = gradients.get(k).order().row(theta(vectors.get(k))).reshape(-1);
      lengths[k] = length(thetas[k]);
    }
    for (int i = 0; i < records.length; i++) {
      rows.write(i);
      rows.measure(found);
      for (int k = 0; k < count; k++) {
        double inner = decay == null ? 0 : rows.innerProduct(k, thetas[k]);
        note(i, vectors.get(k), found[k], inner, lengths[k]);
      }
      clipping.weights(squaresOf(i), all);
      for (int k = 0; k < count; k++) {
        weights[k] = all[vectors.get(k)];
      }
      rows.add(weights, unusable[i]);
    }
  }

  private Tensor theta(int vector) {
    return Objects.requireNonNull(Objects.requireNonNull(decay).get(network.parameter(vector)));
  }

  /** Returns an upper bound on lambda |theta|. */
  private double length(Tensor theta) {
    return clipping.insideDecay() * theta.norm().item_double() * RecordGradients.SQUARES;
  }

  /**
   * Stores an upper bound on |v|^2 of a record. With decay, this is |grad + lambda theta|^2 =
   * |grad|^2 + 2 lambda &lt;grad, theta&gt; + lambda^2 |theta|^2 in float64. The terms may cancel,
   * so a margin for their rounding is added. A record with a gradient that is not finite is
   * unusable.
   */
  private void note(int record, int vector, double square, double inner, double length) {
    unusable[record] |= !(square < RecordGradients.LARGEST);
    double value = square;
    if (decay != null) {
      double sum = 2 * clipping.insideDecay() * inner + square + length * length;
      double reach = Math.sqrt(square) + length;
      int size = step.layout().offset(vector + 1) - step.layout().offset(vector);
      value = Math.max(0, sum) + reach * reach * ROOM * (size + 64);
    }
    squares[record * clipping.vectors() + vector] = value;
  }

  /** Returns the squares of a record, which are infinite if it is unusable. */
  private double[] squaresOf(int record) {
    int from = record * clipping.vectors();
    double[] row = Arrays.copyOfRange(squares, from, from + clipping.vectors());
    if (unusable[record]) {
      Arrays.fill(row, Double.POSITIVE_INFINITY);
    }
    return row;
  }

  /** Returns the weights of one vector: [B]. */
  private Tensor column(double[] clips, int vector) {
    double[] column = new double[records.length];
    Arrays.setAll(column, i -> clips[i * clipping.vectors() + vector]);
    return Tensors.of(column, 0, column.length);
  }

  private void note(double[] clips, int vectors) {
    for (int from = 0; from < clips.length; from += clipping.vectors()) {
      for (int j = 0; j < vectors; j++) {
        double clip = clips[from + j];
        sums.note(j, clip, clip == 0 ? 0 : clip * Math.sqrt(squares[from + j]));
      }
    }
  }
}
