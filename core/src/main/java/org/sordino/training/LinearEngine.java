package org.sordino.training;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.stream.IntStream;
import org.sordino.mechanism.Clipping;
import org.sordino.mechanism.Layout;
import org.sordino.random.RandomKey;
import org.sordino.sampling.PoissonSample;

/**
 * Engine for linear, logistic and softmax regression in plain Java. The gradient of an example is
 * the outer product r xT of its residual and its features. A record with several examples
 * contributes the mean of their gradients or, with local training, the change that training on them
 * makes to the parameters. The vectors of each record are computed, clipped, rounded to the grid
 * and added separately, so the sum is exact and a record changes it by no more than its bound.
 *
 * <p>Rounding: the squared norm is a sum of m squares. Each square has a relative error of at most
 * 3 u, and the additions lose at most (m + 1) u, so the computed value times 1 + (m + 8) u is an
 * upper bound (u = 2^-53). Rounding to the grid is toward zero, which can only shorten a vector.
 */
public final class LinearEngine implements GradientEngine {

  private static final double U = 0x1p-53;

  /** Number of multiplications below which a second thread costs more time than it saves. */
  private static final double WORTH_A_THREAD = 500_000;

  /**
   * Records per task: a multiple of the sampler's block size, so that no block is sampled twice.
   */
  private static final int TASK = 1 << 16;

  private final LinearModel model;
  private final Layout layout;
  private final Examples examples;
  private final Records records;
  private final Unit unit;
  private final int threads;

  private LinearEngine(
      LinearModel model,
      Layout layout,
      Examples examples,
      Records records,
      Unit unit,
      int threads) {
    this.model = model;
    this.layout = layout;
    this.examples = examples;
    this.records = records;
    this.unit = unit;
    this.threads = threads;
  }

  /** Creates an engine with one thread per core. */
  public static LinearEngine of(LinearModel model, Examples examples) {
    return of(model, examples, Runtime.getRuntime().availableProcessors());
  }

  /**
   * Creates an engine.
   *
   * @param threads maximum number of threads; the sums do not depend on it
   */
  public static LinearEngine of(LinearModel model, Examples examples, int threads) {
    if (threads < 1) {
      throw new IllegalArgumentException("threads must be at least 1, got " + threads);
    }
    model.requireTargets(examples);
    Records each = Records.examples(examples.size());
    return new LinearEngine(model, model.layout(), examples, each, Unit.example(), threads);
  }

  /**
   * Returns an engine over the same examples for another unit and with metrics.
   *
   * @param metrics vectors of the metrics, in the order of the plan
   * @param unit unit of protection: what one record represents
   * @param records assignment of examples to records
   */
  public LinearEngine with(List<Layout.Vector> metrics, Unit unit, Records records) {
    Metric.requireClasses(metrics, model.classes());
    Layout complete = model.layout().with(metrics);
    return new LinearEngine(model, complete, examples, records, unit, threads);
  }

  /** Returns the model. */
  public LinearModel model() {
    return model;
  }

  @Override
  public Layout layout() {
    return layout;
  }

  @Override
  public Unit unit() {
    return unit;
  }

  @Override
  public void sum(PoissonSample sample, double[] theta, Clipping clipping, long[] sums) {
    int tasks = (records.size() + TASK - 1) / TASK;
    double work = sample.rate() * examples.size() * layout.dimension();
    if (threads == 1 || tasks < 2 || work < WORTH_A_THREAD) {
      new Accumulator(theta, clipping, sums).add(sample, 0, records.size());
      return;
    }
    long[][] parts =
        IntStream.range(0, Math.min(threads, tasks))
            .parallel()
            .mapToObj(part -> part(part, tasks, sample, theta, clipping))
            .toArray(long[][]::new);
    addExactly(parts, sums);
  }

  /** Adds the partial sums of several threads. */
  static void addExactly(long[][] parts, long[] sums) {
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
    int to = Math.min(records.size(), (int) ((part + 1L) * tasks / parts) * TASK);
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
        .add("linear-engine-2 " + model.kind() + " " + layout.names() + " " + unit)
        .add(records.bytes())
        .add(shape.array())
        .add(examples.features())
        .add(examples.targets())
        .digest();
  }

  /** Adds records to an array of sums; used by one thread only. */
  private final class Accumulator {

    private final int inputs = model.inputs();
    private final int outputs = model.outputs();
    private final double[] theta;
    private final Clipping clipping;
    private final double decay;
    private final long[] sums;
    private final double[] residual = new double[outputs];
    private final double[] squares = new double[layout.size()];
    private final double[] weights = new double[layout.size()];
    private final RecordMetrics metrics;
    private final double weightMargin = 1 + (outputs * (double) inputs + 8) * U;
    private final double biasMargin = 1 + (outputs + 8) * U;

    Accumulator(double[] theta, Clipping clipping, long[] sums) {
      this.theta = theta;
      this.clipping = clipping;
      this.decay = clipping.insideDecay();
      this.sums = sums;
      this.metrics = new RecordMetrics(layout, clipping, 1);
    }

    void add(PoissonSample sample, int from, int to) {
      boolean single = records.areExamples() && unit.kind() == Unit.Kind.EXAMPLE;
      for (int offset : sample.offsets(from, to)) {
        if (single) {
          add(from + offset);
        } else {
          add(records.members(from + offset));
        }
      }
    }

    private void add(int index) {
      int row = index * inputs;
      model.scores(theta, examples.features(), row, residual);
      if (!metrics.isEmpty()) {
        metrics.clear();
        note(index, 1);
      }
      model.toResiduals(residual, examples.targets()[index]);
      norms(row);
      metrics.fillSquares(squares);
      clipping.weights(squares, weights);
      contribute(row, weights[0] / clipping.unit(0), weights[1] / clipping.unit(1));
      metrics.add(weights, sums);
    }

    /** Adds a record with several examples, whose vector is computed explicitly. */
    private void add(int[] members) {
      if (members.length == 0) {
        return;
      }
      metrics.clear();
      double[] vector = vector(members);
      double weightSquare = 0;
      double biasSquare = 0;
      for (int i = 0; i < vector.length; i++) {
        vector[i] += decay * theta[i];
        if (i < outputs * inputs) {
          weightSquare += vector[i] * vector[i];
        } else {
          biasSquare += vector[i] * vector[i];
        }
      }
      squares[0] = weightSquare * weightMargin;
      squares[1] = biasSquare * biasMargin;
      metrics.fillSquares(squares);
      clipping.weights(squares, weights);
      double weight = weights[0] / clipping.unit(0);
      double biasWeight = weights[1] / clipping.unit(1);
      for (int i = 0; i < vector.length; i++) {
        double w = i < outputs * inputs ? weight : biasWeight;
        sums[i] = Math.addExact(sums[i], (long) (w * vector[i]));
      }
      metrics.add(weights, sums);
    }

    private double[] vector(int[] members) {
      if (unit.kind() != Unit.Kind.USER_UPDATE) {
        return meanGradient(theta, members, !metrics.isEmpty());
      }
      if (!metrics.isEmpty()) {
        meanGradient(theta, members, true); // for the metrics
      }
      return unit.local().update(theta, members, (at, part) -> meanGradient(at, part, false));
    }

    private double[] meanGradient(double[] at, int[] members, boolean noted) {
      double[] gradient = new double[at.length];
      double share = 1.0 / members.length;
      for (int index : members) {
        int row = index * inputs;
        model.scores(at, examples.features(), row, residual);
        if (noted) {
          note(index, share);
        }
        model.toResiduals(residual, examples.targets()[index]);
        for (int k = 0; k < outputs; k++) {
          double r = residual[k] * share;
          for (int j = 0; j < inputs; j++) {
            gradient[k * inputs + j] += r * examples.features()[row + j];
          }
          gradient[outputs * inputs + k] += r;
        }
      }
      return gradient;
    }

    /** Notes the metrics of an example; {@code residual} contains its scores. */
    private void note(int index, double share) {
      float target = examples.targets()[index];
      metrics.note(0, share, model.loss(residual, target), model.hits(residual, target), target);
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
     * Adds the clipped vectors in units of the grid. The cast rounds toward zero and turns NaN into
     * 0, so a record with values that are not finite, which has weight 0, adds nothing without a
     * branch.
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
