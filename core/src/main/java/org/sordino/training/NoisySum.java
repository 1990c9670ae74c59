package org.sordino.training;

import java.util.Arrays;
import org.sordino.mechanism.Clipping;
import org.sordino.mechanism.GaussianNoise;
import org.sordino.mechanism.Layout;
import org.sordino.mechanism.Mechanism;
import org.sordino.sampling.PoissonSample;

/**
 * Sum of the clipped vectors of a sample. It can be read only after noise has been added, exactly
 * once and in the planned amount: call {@link #clipAndAdd}, then {@link #addNoise}, then {@link
 * #divideBy}.
 */
final class NoisySum {

  private enum State {
    EMPTY,
    SUMMED,
    NOISED
  }

  private final Layout layout;
  private final long population;
  private final double insideDecay;
  private final double slack;
  private final long[] sums;
  private Mechanism mechanism;
  private Clipping clipping;
  private State state = State.EMPTY;
  private long step;

  /**
   * Creates an empty sum.
   *
   * @param population declared number of records, for which the sums do not overflow
   * @param insideDecay lambda of the weight decay inside the clip, or 0
   * @param engine engine that will compute the sums
   */
  NoisySum(Mechanism mechanism, long population, double insideDecay, GradientEngine engine) {
    this.layout = engine.layout();
    this.population = population;
    this.insideDecay = insideDecay;
    this.slack = engine.roundingSlack();
    mechanism.requireLayout(layout);
    this.mechanism = mechanism;
    this.clipping = mechanism.clipping(population, insideDecay, slack);
    sums = new long[layout.dimension()];
  }

  /** Replaces the clipping bounds, and the noise that belongs to them, for the following sums. */
  void use(Mechanism other) {
    mechanism = other;
    clipping = other.clipping(population, insideDecay, slack);
    state = State.EMPTY;
  }

  /** Starts a new sum: adds the clipped vectors of the sampled records, in whole units. */
  void clipAndAdd(GradientEngine engine, PoissonSample sample, double[] theta) {
    state = State.EMPTY; // until all records are added
    Arrays.fill(sums, 0);
    engine.sum(sample, theta, clipping, sums);
    step = sample.step();
    state = State.SUMMED;
  }

  /**
   * Adds the planned noise to every vector and compares the added noise with the plan.
   *
   * @param noised step of the noise, which must be the step of the sample: two steps must not share
   *     noise
   * @throws IllegalStateException if there is no sum, if noise has already been added, or if a
   *     vector received less noise than planned
   */
  void addNoise(GaussianNoise noise, long noised) {
    require(State.SUMMED, "noise must be added once, after the records");
    if (noised != step) {
      throw new IllegalStateException(
          "the sum of step " + step + " requires noise of the same step, got step " + noised);
    }
    state = State.EMPTY; // until all noise is verified
    double[] executed = new double[layout.size()];
    int from = 0;
    for (int vector = 0; vector < executed.length; vector++) {
      int to = from + layout.vectors().get(vector).dimension();
      double units = mechanism.deviation(vector) / clipping.unit(vector);
      noise.add(step, sums, from, to, units);
      executed[vector] = units * clipping.unit(vector);
      from = to;
    }
    mechanism.verify(executed);
    state = State.NOISED;
  }

  /**
   * Divides the noisy sum by a public number.
   *
   * @param average array that receives the quotient
   * @throws IllegalStateException if the sum has no noise
   */
  void divideBy(double divisor, double[] average) {
    require(State.NOISED, "noise must be added before a sum is released");
    int from = 0;
    for (int vector = 0; vector < layout.size(); vector++) {
      int to = from + layout.vectors().get(vector).dimension();
      double scale = clipping.unit(vector) / divisor;
      for (int i = from; i < to; i++) {
        average[i] = sums[i] * scale;
      }
      from = to;
    }
  }

  private void require(State expected, String message) {
    if (state != expected) {
      throw new IllegalStateException(message + ", got a sum in state " + state);
    }
  }
}
