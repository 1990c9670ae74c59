package org.sordino.torch;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch.ScalarType;
import org.sordino.mechanism.Clipping;
import org.sordino.mechanism.Layout;
import org.sordino.training.RecordMetrics;
import org.sordino.training.Unit;

/**
 * Clips and adds one record of several examples: the mean of their gradients, or the change in the
 * model from training on them alone. The record's vector is materialized, measured, clipped and
 * truncated to the grid separately. It does not depend on other records, and no rounding slack is
 * needed.
 */
final class RecordSum implements Runnable {

  private static final double U = 0x1p-53;

  private final EngineStep step;
  private final TapedNetwork network;
  private final Unit unit;
  private final int[] examples;
  private final double[] theta;
  private final RecordMetrics metrics;

  /**
   * Creates the task that adds a record.
   *
   * @param unit kind of record, which determines its contribution
   * @param examples examples of the record
   * @param theta parameters at the start of the step
   */
  RecordSum(EngineStep step, Unit unit, int[] examples, double[] theta) {
    this.step = step;
    this.network = step.network();
    this.unit = unit;
    this.examples = examples;
    this.theta = theta;
    this.metrics = new RecordMetrics(step.layout(), step.clipping(), 1);
  }

  @Override
  public void run() {
    double[] vector;
    if (unit.kind() == Unit.Kind.USER_UPDATE) {
      vector = localUpdate();
    } else {
      vector = meanGradient(step.weights(), examples, !metrics.isEmpty());
    }
    add(vector);
  }

  private double[] localUpdate() {
    if (!metrics.isEmpty()) {
      meanGradient(step.weights(), examples, true); // for the metrics
    }
    return unit.local().update(theta, examples, this::gradientAt);
  }

  private double[] gradientAt(double[] parameters, int[] batch) {
    return Scopes.get(
        () -> meanGradient(Weights.floats(network.architecture(), parameters), batch, false));
  }

  /** Returns the mean of the gradients at some weights, computed in parts that fit in the cache. */
  private double[] meanGradient(Map<String, Tensor> at, int[] members, boolean noted) {
    double[] mean = new double[theta.length];
    int most = Footprint.taped(network.architecture());
    for (int from = 0; from < members.length; from += most) {
      int[] part = Arrays.copyOfRange(members, from, Math.min(members.length, from + most));
      Scopes.run(() -> addGradients(at, part, 1.0 / members.length, noted, mean));
    }
    return mean;
  }

  private void addGradients(
      Map<String, Tensor> at, int[] part, double share, boolean noted, double[] mean) {
    List<Tape.Recorded> recorded =
        network.tape(
            part,
            part.length,
            at,
            step.number(),
            noted ? outcomes -> outcomes.note(metrics, share) : null);
    Scopes.withoutGradients(
        () -> {
          double[] shares = new double[part.length];
          Arrays.fill(shares, share);
          Tensor weight = Tensors.of(shares, 0, part.length);
          for (Tape.Recorded one : recorded) {
            List<RecordGradients> found = one.rule().gradients(one.a(), one.g());
            for (int k = 0; k < found.size(); k++) {
              int vector = network.vector(one.rule().parameters().get(k));
              plus(mean, vector, found.get(k).weightedSum(weight).to(ScalarType.Double));
            }
          }
        });
  }

  private void plus(double[] mean, int vector, Tensor sum) {
    double[] values = Tensors.doubles(sum);
    int offset = step.layout().offset(vector);
    for (int i = 0; i < values.length; i++) {
      mean[offset + i] += values[i];
    }
  }

  /**
   * Measures exactly the numbers that are added. Every rounding in a sum of n squares is relative:
   * one per square and one per addition. If a value is not finite, neither is the norm: the weight
   * is 0, and the cast turns 0 times NaN into 0.
   */
  private void add(double[] vector) {
    Layout layout = step.layout();
    Clipping clipping = step.clipping();
    ExactSums sums = step.sums();
    int count = network.architecture().layout().size();
    double[] squares = new double[layout.size()];
    double[][] values = new double[count][];
    for (int j = 0; j < count; j++) {
      int from = layout.offset(j);
      int to = layout.offset(j + 1);
      values[j] = Arrays.copyOfRange(vector, from, to);
      double square = 0;
      for (int i = from; i < to; i++) {
        double v = vector[i] + clipping.insideDecay() * theta[i];
        values[j][i - from] = v;
        square += v * v;
      }
      squares[j] = square * (1 + (to - from + 8) * U);
    }
    metrics.fillSquares(squares);
    double[] clips = new double[squares.length];
    clipping.weights(squares, clips);
    for (int j = 0; j < count; j++) {
      for (int i = 0; i < values[j].length; i++) {
        values[j][i] *= clips[j];
      }
      sums.add(j, values[j], clips[j] == 0 ? 0 : clips[j] * Math.sqrt(squares[j]));
    }
    sums.add(metrics, clips);
  }
}
