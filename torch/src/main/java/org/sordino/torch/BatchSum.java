package org.sordino.torch;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.bytedeco.pytorch.Scalar;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.TensorVector;
import org.bytedeco.pytorch.global.torch;
import org.bytedeco.pytorch.global.torch.ScalarType;
import org.jspecify.annotations.Nullable;
import org.sordino.mechanism.Clipping;
import org.sordino.training.RecordMetrics;

/**
 * Clips and sums the records of one batch: forward, back to the tape, norms, weights, sums. All
 * native memory of it lives in one scope. Nothing that is done depends on a record's values, only
 * the numbers do.
 */
final class BatchSum implements Runnable {

  /** Room for rounding where lambda theta may cancel a gradient; see {@link SequenceProducts}. */
  private static final double ROOM = 0x1p-43;

  private final TorchEngine engine;
  private final int[] records;
  private final Map<String, Tensor> weights;
  private final @Nullable Map<String, Tensor> decay; // theta in float64, if it is inside the clip
  private final boolean exact; // all gradients in float64
  private final @Nullable Masks masks;
  private final Clipping clipping;
  private final ExactSums sums;
  private final RecordMetrics metrics;

  BatchSum(
      TorchEngine engine,
      int[] records,
      Map<String, Tensor> weights,
      @Nullable Map<String, Tensor> decay,
      boolean exact,
      @Nullable Masks masks,
      Clipping clipping,
      ExactSums sums) {
    this.engine = engine;
    this.records = records;
    this.weights = weights;
    this.decay = decay;
    this.exact = exact;
    this.masks = masks;
    this.clipping = clipping;
    this.sums = sums;
    this.metrics = new RecordMetrics(engine.layout(), clipping, records.length);
  }

  @Override
  public void run() {
    Scopes.run(
        () -> {
          List<Tape.Recorded> tape = tape();
          Scopes.withoutGradients(() -> sum(tape));
        });
  }

  private List<Tape.Recorded> tape() {
    Tape tape = new Tape();
    Tensor x = engine.data().inputs(records, engine.architecture().input());
    Tensor y = engine.architecture().layers().forward(x, new Pass(weights, tape, masks));
    Tensor targets = engine.data().targets(records);
    if (!metrics.isEmpty()) {
      new Outcomes(engine.loss(), y, targets).note(metrics);
    }
    return tape.backward(engine.loss().sum(y, targets));
  }

  private void sum(List<Tape.Recorded> tape) {
    RecordGradients[] gradients = new RecordGradients[engine.architecture().layout().size()];
    for (Tape.Recorded recorded : tape) {
      List<RecordGradients> found =
          recorded.rule().gradients(inType(recorded.a(), exact), inType(recorded.g(), exact));
      for (int k = 0; k < found.size(); k++) {
        gradients[engine.vector(recorded.rule().parameters().get(k))] = found.get(k);
      }
    }
    boolean[] unusable = new boolean[records.length];
    double[] squares = withMetrics(squaredNorms(gradients, unusable), gradients.length);
    double[] clips = new double[squares.length];
    clipping.weights(squares, clips);
    for (RecordGradients each : gradients) {
      each.discard(unusable);
    }
    addWeighted(gradients, clips);
    sums.add(metrics, clips);
  }

  /** Makes room for the columns of the metrics, and fills them. */
  private double[] withMetrics(double[] squares, int columns) {
    if (metrics.isEmpty()) {
      return squares;
    }
    double[] wide = new double[records.length * clipping.vectors()];
    for (int i = 0; i < records.length; i++) {
      System.arraycopy(squares, i * columns, wide, i * clipping.vectors(), columns);
    }
    metrics.fillSquares(wide);
    return wide;
  }

  /** Where decay may cancel what is large beside the bound, all but tokens is in float64. */
  static Tensor inType(Tensor tensor, boolean exact) {
    return !exact || Tensors.is(tensor, ScalarType.Long) ? tensor : tensor.to(ScalarType.Double);
  }

  /**
   * Upper bounds on |v_ij|^2, record by record; infinite for records with a gradient that is not
   * finite, which are marked as unusable.
   */
  private double[] squaredNorms(RecordGradients[] gradients, boolean[] unusable) {
    TensorVector columns = new TensorVector();
    TensorVector decayed = new TensorVector();
    for (int j = 0; j < gradients.length; j++) {
      Tensor squares = gradients[j].squaredNorms();
      columns.push_back(squares);
      if (decay != null) {
        decayed.push_back(decayed(gradients[j], squares, j));
      }
    }
    double[] plain = Tensors.doubles(torch.stack(columns, 1)); // [B, vectors]
    double[] rows = decay == null ? plain : Tensors.doubles(torch.stack(decayed, 1));
    for (int i = 0; i < unusable.length; i++) {
      int row = i * gradients.length;
      for (int j = 0; j < gradients.length; j++) {
        unusable[i] |= !(plain[row + j] < RecordGradients.LARGEST);
      }
      if (unusable[i]) {
        Arrays.fill(rows, row, row + gradients.length, Double.POSITIVE_INFINITY);
      }
    }
    return rows;
  }

  /**
   * |grad + lambda theta|^2 = |grad|^2 + 2 lambda &lt;grad, theta&gt; + lambda^2 |theta|^2, in
   * float64. The terms may cancel, so what their rounding can hide is added.
   */
  private Tensor decayed(RecordGradients gradients, Tensor squares, int vector) {
    Tensor theta =
        Objects.requireNonNull(Objects.requireNonNull(decay).get(engine.parameter(vector)));
    double lambda = clipping.insideDecay();
    double length = lambda * theta.norm().item_double() * RecordGradients.SQUARES;
    double room = ROOM * (theta.numel() + 64);
    Tensor reach = squares.sqrt().add_(new Scalar(length)).square_().mul_(new Scalar(room));
    return gradients
        .innerProducts(theta)
        .mul_(new Scalar(2 * lambda))
        .add_(squares)
        .add_(new Scalar(length * length))
        .clamp_min_(new Scalar(0.0))
        .add_(reach);
  }

  private void addWeighted(RecordGradients[] gradients, double[] clips) {
    Tensor all = Tensors.of(clips, 0, records.length, clipping.vectors()).t().contiguous();
    for (int j = 0; j < gradients.length; j++) {
      double total = 0;
      for (int row = j; row < clips.length; row += clipping.vectors()) {
        total += clips[row];
      }
      sums.add(j, gradients[j].weightedSum(all.select(0, j)), clipping.insideDecay() * total);
    }
  }
}
