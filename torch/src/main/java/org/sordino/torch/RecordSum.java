package org.sordino.torch;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch.ScalarType;
import org.sordino.mechanism.Clipping;
import org.sordino.mechanism.Layout;
import org.sordino.sampling.PoissonSample;
import org.sordino.training.RecordMetrics;
import org.sordino.training.Unit;

/**
 * Clips and adds one record of several examples: the mean of their gradients, or what training on
 * them alone changes. Its vector is written down, measured, clipped and cut to the grid on its own,
 * so no other record has a part in it and no rounding is left to be covered.
 */
final class RecordSum implements Runnable {

  private static final double U = 0x1p-53;

  private final TorchEngine engine;
  private final int[] examples;
  private final PoissonSample sample;
  private final double[] theta;
  private final Map<String, Tensor> weights;
  private final Clipping clipping;
  private final ExactSums sums;
  private final RecordMetrics metrics;

  RecordSum(
      TorchEngine engine,
      int[] examples,
      PoissonSample sample,
      double[] theta,
      Map<String, Tensor> weights,
      Clipping clipping,
      ExactSums sums) {
    this.engine = engine;
    this.examples = examples;
    this.sample = sample;
    this.theta = theta;
    this.weights = weights;
    this.clipping = clipping;
    this.sums = sums;
    this.metrics = new RecordMetrics(engine.layout(), clipping, 1);
  }

  @Override
  public void run() {
    double[] vector;
    if (engine.unit().kind() == Unit.Kind.USER_UPDATE) {
      vector = localUpdate();
    } else {
      vector = meanGradient(weights, examples, !metrics.isEmpty());
    }
    add(vector);
  }

  private double[] localUpdate() {
    if (!metrics.isEmpty()) {
      meanGradient(weights, examples, true); // for what is noted
    }
    return engine.unit().local().update(theta, examples, this::gradientAt);
  }

  private double[] gradientAt(double[] parameters, int[] batch) {
    return Scopes.get(
        () -> meanGradient(Weights.floats(engine.architecture(), parameters), batch, false));
  }

  /** The mean of the gradients at some weights, in as many goes as the cache asks for. */
  private double[] meanGradient(Map<String, Tensor> at, int[] members, boolean noted) {
    double[] mean = new double[theta.length];
    int most = Footprint.taped(engine.architecture());
    for (int from = 0; from < members.length; from += most) {
      int[] part = Arrays.copyOfRange(members, from, Math.min(members.length, from + most));
      Scopes.run(() -> addGradients(at, part, 1.0 / members.length, noted, mean));
    }
    return mean;
  }

  private void addGradients(
      Map<String, Tensor> at, int[] part, double share, boolean noted, double[] mean) {
    Tape tape = new Tape();
    Tensor x = engine.data().inputs(part, engine.architecture().input());
    Pass pass = new Pass(at, tape, engine.masks(sample, part));
    Tensor y = engine.architecture().layers().forward(x, pass);
    Tensor targets = engine.data().targets(part);
    if (noted) {
      new Outcomes(engine.loss(), y, targets).note(metrics, share);
    }
    List<Tape.Recorded> recorded = tape.backward(engine.loss().sum(y, targets));
    Scopes.withoutGradients(
        () -> {
          double[] shares = new double[part.length];
          Arrays.fill(shares, share);
          Tensor weight = Tensors.of(shares, 0, part.length);
          for (Tape.Recorded one : recorded) {
            List<RecordGradients> found = one.rule().gradients(one.a(), one.g());
            for (int k = 0; k < found.size(); k++) {
              int vector = engine.vector(one.rule().parameters().get(k));
              plus(mean, vector, found.get(k).weightedSum(weight).to(ScalarType.Double));
            }
          }
        });
  }

  private void plus(double[] mean, int vector, Tensor sum) {
    double[] values = Tensors.doubles(sum);
    int offset = engine.layout().offset(vector);
    for (int i = 0; i < values.length; i++) {
      mean[offset + i] += values[i];
    }
  }

  /**
   * Measures the very numbers that are added. Every rounding of a sum of n squares is relative, one
   * per square and one per addition. Where a value is not finite, neither is the norm: the weight
   * is 0, and 0 times NaN is cut to 0.
   */
  private void add(double[] vector) {
    Layout layout = engine.layout();
    int count = engine.architecture().layout().size();
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
