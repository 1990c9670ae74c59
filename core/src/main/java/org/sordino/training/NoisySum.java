package org.sordino.training;

import java.util.Arrays;
import org.sordino.mechanism.Clipping;
import org.sordino.mechanism.GaussianNoise;
import org.sordino.mechanism.Layout;
import org.sordino.mechanism.Mechanism;
import org.sordino.random.RandomKey;
import org.sordino.sampling.PoissonSample;

/** The sum of a sample's bounded vectors, with noise added once before anybody can read it. */
final class NoisySum {

  private final GradientEngine engine;
  private final Layout layout;
  private final long population;
  private final double insideDecay;
  private final double slack;
  private final GaussianNoise noise;
  private final long[] sums;
  private Mechanism mechanism;
  private Clipping clipping;

  NoisySum(
      Mechanism mechanism,
      long population,
      double insideDecay,
      GradientEngine engine,
      RandomKey noiseKey) {
    this.engine = engine;
    this.layout = engine.layout();
    this.population = population;
    this.insideDecay = insideDecay;
    this.slack = engine.roundingSlack();
    mechanism.requireLayout(layout);
    this.mechanism = mechanism;
    this.clipping = mechanism.clipping(population, insideDecay, slack);
    noise = GaussianNoise.of(noiseKey);
    sums = new long[layout.dimension()];
  }

  /** Goes on with other bounds. */
  void use(Mechanism other) {
    mechanism = other;
    clipping = other.clipping(population, insideDecay, slack);
  }

  /**
   * Sums and adds noise in whole units. What was added is compared with the plan before a number
   * can leave.
   */
  void compute(PoissonSample sample, double[] theta) {
    Arrays.fill(sums, 0);
    engine.sum(sample, theta, clipping, sums);
    double[] executed = new double[layout.size()];
    int from = 0;
    for (int vector = 0; vector < executed.length; vector++) {
      int to = from + layout.vectors().get(vector).dimension();
      double units = mechanism.deviation(vector) / clipping.unit(vector);
      noise.add(sample.step(), sums, from, to, units);
      executed[vector] = units * clipping.unit(vector);
      from = to;
    }
    mechanism.verify(executed);
  }

  /** The noisy sum over a public number. */
  void divide(double by, double[] average) {
    int from = 0;
    for (int vector = 0; vector < layout.size(); vector++) {
      int to = from + layout.vectors().get(vector).dimension();
      double scale = clipping.unit(vector) / by;
      for (int i = from; i < to; i++) {
        average[i] = sums[i] * scale;
      }
      from = to;
    }
  }
}
