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
  private final @Nullable Map<String, Tensor> exactWeights; // with decay inside the clip only
  private final @Nullable Masks masks;
  private final Clipping clipping;
  private final ExactSums sums;

  BatchSum(
      TorchEngine engine,
      int[] records,
      Map<String, Tensor> weights,
      @Nullable Map<String, Tensor> exactWeights,
      @Nullable Masks masks,
      Clipping clipping,
      ExactSums sums) {
    this.engine = engine;
    this.records = records;
    this.weights = weights;
    this.exactWeights = exactWeights;
    this.masks = masks;
    this.clipping = clipping;
    this.sums = sums;
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
    return tape.backward(engine.loss().sum(y, engine.data().targets(records)));
  }

  private void sum(List<Tape.Recorded> tape) {
    boolean[] unusable = Finite.unusable(tape, records.length);
    Tensor discard = Finite.mask(unusable);
    RecordGradients[] gradients = new RecordGradients[clipping.vectors()];
    for (Tape.Recorded recorded : tape) {
      Tensor a = Finite.cleared(recorded.a(), discard, exactWeights != null);
      Tensor g = Finite.cleared(recorded.g(), discard, exactWeights != null);
      List<RecordGradients> found = recorded.rule().gradients(a, g);
      for (int k = 0; k < found.size(); k++) {
        gradients[engine.vector(recorded.rule().parameters().get(k))] = found.get(k);
      }
    }
    double[] squares = squaredNorms(gradients, unusable);
    double[] clips = new double[squares.length];
    clipping.weights(squares, clips);
    addWeighted(gradients, clips);
  }

  /** Upper bounds on |v_ij|^2, record by record. */
  private double[] squaredNorms(RecordGradients[] gradients, boolean[] unusable) {
    TensorVector columns = new TensorVector();
    for (int j = 0; j < gradients.length; j++) {
      Tensor squares = gradients[j].squaredNorms();
      columns.push_back(exactWeights == null ? squares : decayed(gradients[j], squares, j));
    }
    double[] rows = Tensors.doubles(torch.stack(columns, 1)); // [B, vectors]
    for (int i = 0; i < unusable.length; i++) {
      if (unusable[i]) {
        int row = i * gradients.length;
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
        Objects.requireNonNull(Objects.requireNonNull(exactWeights).get(engine.parameter(vector)));
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
    Tensor all = Tensors.of(clips, 0, records.length, gradients.length).t().contiguous();
    for (int j = 0; j < gradients.length; j++) {
      double total = 0;
      for (int row = j; row < clips.length; row += gradients.length) {
        total += clips[row];
      }
      Tensor sum = gradients[j].weightedSum(all.select(0, j));
      if (Tensors.is(sum, ScalarType.Double)) {
        sums.add(j, Tensors.doubles(sum), clipping.insideDecay() * total);
      } else {
        sums.add(j, Tensors.floats(sum));
      }
    }
  }
}
