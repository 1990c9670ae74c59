package org.sordino.training;

import java.nio.ByteBuffer;
import java.util.stream.IntStream;
import org.sordino.mechanism.Clipping;
import org.sordino.mechanism.Layout;
import org.sordino.random.RandomKey;
import org.sordino.sampling.PoissonSample;

/**
 * Linear, logistic and softmax regression in plain Java. The gradient of a record is the outer
 * product r xT of its residual and its features; it is formed, clipped, cut to the grid and added
 * one record at a time, so the sum is exact and a record moves it by no more than its bound.
 *
 * <p>Rounding: the squared norm is a sum of m squares, each off by a relative 3 u and lost by at
 * most (m + 1) u in the additions, so the computed value times 1 + (m + 8) u is an upper bound (u =
 * 2^-53). Cutting towards the grid rounds towards zero and can only shorten a vector.
 */
public final class LinearEngine implements GradientEngine {

  private static final double U = 0x1p-53;

  /** Below this many multiplications a second thread costs more than it brings. */
  private static final double WORTH_A_THREAD = 500_000;

  /** Records of one task; a multiple of the sampler's block, so that no block is drawn twice. */
  private static final int TASK = 1 << 16;

  private final LinearModel model;
  private final Layout layout;
  private final Examples examples;
  private final int threads;

  private LinearEngine(LinearModel model, Examples examples, int threads) {
    this.model = model;
    this.layout = model.layout();
    this.examples = examples;
    this.threads = threads;
  }

  /** An engine with a thread per core. */
  public static LinearEngine of(LinearModel model, Examples examples) {
    return of(model, examples, Runtime.getRuntime().availableProcessors());
  }

  /**
   * An engine.
   *
   * @param threads how many at most; the sums do not depend on it
   */
  public static LinearEngine of(LinearModel model, Examples examples, int threads) {
    if (threads < 1) {
      throw new IllegalArgumentException("threads must be at least 1, got " + threads);
    }
    model.requireTargets(examples);
    return new LinearEngine(model, examples, threads);
  }

  /** The model. */
  public LinearModel model() {
    return model;
  }

  @Override
  public Layout layout() {
    return layout;
  }

  @Override
  public void sum(PoissonSample sample, double[] theta, Clipping clipping, long[] sums) {
    int tasks = (examples.size() + TASK - 1) / TASK;
    double work = sample.rate() * examples.size() * layout.dimension();
    if (threads == 1 || tasks < 2 || work < WORTH_A_THREAD) {
      new Accumulator(theta, clipping, sums).add(sample, 0, examples.size());
      return;
    }
    long[][] parts =
        IntStream.range(0, Math.min(threads, tasks))
            .parallel()
            .mapToObj(part -> part(part, tasks, sample, theta, clipping))
            .toArray(long[][]::new);
    for (long[] part : parts) {
      for (int i = 0; i < sums.length; i++) {
        sums[i] = Math.addExact(sums[i], part[i]);
      }
    }
  }

  private long[] part(
      int part, int tasks, PoissonSample sample, double[] theta, Clipping clipping) {
    int parts = Math.min(threads, tasks);
    long[] sums = new long[layout.dimension()];
    int from = (int) ((long) part * tasks / parts) * TASK;
    int to = Math.min(examples.size(), (int) ((part + 1L) * tasks / parts) * TASK);
    new Accumulator(theta, clipping, sums).add(sample, from, to);
    return sums;
  }

  @Override
  public byte[] fingerprint(RandomKey key) {
    ByteBuffer shape =
        ByteBuffer.allocate(12)
            .putInt(model.inputs())
            .putInt(model.outputs())
            .putInt(examples.size());
    return Fingerprint.of(key)
        .add("linear-engine-1 " + model.kind())
        .add(shape.array())
        .add(examples.features())
        .add(examples.targets())
        .digest();
  }

  /** Adds records to one array of sums; belongs to one thread. */
  private final class Accumulator {

    private final int inputs = model.inputs();
    private final int outputs = model.outputs();
    private final double[] theta;
    private final Clipping clipping;
    private final double decay;
    private final long[] sums;
    private final double[] residual = new double[outputs];
    private final double[] squares = new double[2];
    private final double[] weights = new double[2];
    private final double weightMargin = 1 + (outputs * (double) inputs + 8) * U;
    private final double biasMargin = 1 + (outputs + 8) * U;

    Accumulator(double[] theta, Clipping clipping, long[] sums) {
      this.theta = theta;
      this.clipping = clipping;
      this.decay = clipping.insideDecay();
      this.sums = sums;
    }

    void add(PoissonSample sample, int from, int to) {
      for (int offset : sample.offsets(from, to)) {
        add(from + offset);
      }
    }

    private void add(int index) {
      int row = index * inputs;
      model.scores(theta, examples.features(), row, residual);
      model.toResiduals(residual, examples.targets()[index]);
      norms(row);
      clipping.weights(squares, weights);
      contribute(row, weights[0] / clipping.unit(0), weights[1] / clipping.unit(1));
    }

    private void norms(int row) {
      double weightSquare = 0;
      double biasSquare = 0;
      for (int k = 0; k < outputs; k++) {
        double r = residual[k];
        for (int j = 0; j < inputs; j++) {
          double v = r * examples.features()[row + j] + decay * theta[k * inputs + j];
          weightSquare += v * v;
        }
        double v = r + decay * theta[outputs * inputs + k];
        biasSquare += v * v;
      }
      squares[0] = weightSquare * weightMargin;
      squares[1] = biasSquare * biasMargin;
    }

    /**
     * Adds the clipped vectors in units of the grid. The cast cuts towards zero, and it turns NaN
     * into 0: so a record that is not finite, whose weight is 0, adds nothing without a branch.
     */
    private void contribute(int row, double weight, double biasWeight) {
      for (int k = 0; k < outputs; k++) {
        double r = residual[k];
        for (int j = 0; j < inputs; j++) {
          int i = k * inputs + j;
          double v = r * examples.features()[row + j] + decay * theta[i];
          sums[i] = Math.addExact(sums[i], (long) (weight * v));
        }
        int i = outputs * inputs + k;
        sums[i] = Math.addExact(sums[i], (long) (biasWeight * (r + decay * theta[i])));
      }
    }
  }
}
