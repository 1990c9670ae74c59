package org.sordino.training;

import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.sordino.PrivacyEvent;
import org.sordino.PrivacyPlan;
import org.sordino.ledger.Ledger;
import org.sordino.ledger.Realised;
import org.sordino.mechanism.Clipping;
import org.sordino.mechanism.GaussianNoise;
import org.sordino.mechanism.Layout;
import org.sordino.mechanism.Mechanism;
import org.sordino.random.RandomKey;
import org.sordino.sampling.PoissonSample;

/**
 * One private sum: the part of Algorithm 1 of Abadi et al. (2016, arXiv:1607.00133) that touches
 * records. Whatever is done with the released sums afterwards is free, so any iterative procedure
 * fits around it, not only gradient descent ({@link PrivateKMeans}).
 */
public final class PrivateStep {

  private final PrivacyPlan plan;
  private final Mechanism mechanism;
  private final GradientEngine engine;
  private final Ledger ledger;
  private final Layout layout;
  private final Clipping clipping;
  private final List<Realised> realised;
  private final RandomKey samplingKey;
  private final GaussianNoise noise;
  private final int[] offsets;
  private final double[] deviations;
  private final long[] sums;

  /**
   * A step over the records of an engine.
   *
   * @param plan rate, multiplier and expected batch
   * @param mechanism bounds and noise
   * @param insideDecay lambda of the decay inside the clip, or 0
   * @param engine who has the records
   * @param key from which coins and noise are derived
   * @param ledger where every step must have been reserved
   */
  public PrivateStep(
      PrivacyPlan plan,
      Mechanism mechanism,
      double insideDecay,
      GradientEngine engine,
      RandomKey key,
      Ledger ledger) {
    this.plan = plan;
    this.mechanism = mechanism;
    this.engine = engine;
    this.ledger = ledger;
    this.layout = engine.layout();
    if (!layout.equals(mechanism.layout())) {
      throw new IllegalArgumentException(
          "the plan is for the vectors "
              + mechanism.layout().vectors()
              + ", but a record yields "
              + layout.vectors());
    }
    clipping = mechanism.clipping(plan.population(), insideDecay, engine.roundingSlack());
    realised = realised(mechanism);
    samplingKey = key.derive("sampling");
    noise = GaussianNoise.of(key.derive("noise"));
    offsets = IntStream.rangeClosed(0, layout.size()).map(layout::offset).toArray();
    deviations = IntStream.range(0, layout.size()).mapToDouble(mechanism::deviation).toArray();
    sums = new long[layout.dimension()];
  }

  /** What one step costs. */
  public PrivacyEvent event() {
    return new PrivacyEvent.SampledGaussian(plan.samplingRate(), mechanism.noiseMultiplier());
  }

  /**
   * The noisy average of the sampled records' clipped vectors.
   *
   * @param step which step; it must be reserved in the ledger
   * @param theta the current parameters
   * @param average filled with the sum divided by the expected batch, a public number
   */
  public void average(long step, double[] theta, double[] average) {
    PoissonSample sample = PoissonSample.of(samplingKey, step, plan.samplingRate());
    Arrays.fill(sums, 0);
    engine.sum(sample, theta, clipping, sums);
    addNoise(step);
    for (int vector = 0; vector < layout.size(); vector++) {
      double scale = clipping.unit(vector) / plan.expectedBatch();
      for (int i = offsets[vector]; i < offsets[vector + 1]; i++) {
        average[i] = sums[i] * scale;
      }
    }
  }

  /**
   * Adds noise in whole units of the sum. What was added is compared with the plan, and the step
   * with the ledger's reservations, before a number leaves.
   */
  private void addNoise(long step) {
    double[] executed = new double[layout.size()];
    for (int vector = 0; vector < executed.length; vector++) {
      double units = deviations[vector] / clipping.unit(vector);
      noise.add(step, sums, offsets[vector], offsets[vector + 1], units);
      executed[vector] = units * clipping.unit(vector);
    }
    mechanism.verify(executed);
    ledger.realised(step, realised);
  }

  private static List<Realised> realised(Mechanism mechanism) {
    return IntStream.range(0, mechanism.groups().size())
        .mapToObj(
            g ->
                new Realised(
                    mechanism.groups().get(g).name(),
                    mechanism.groups().get(g).bound(),
                    mechanism.groupDeviation(g)))
        .toList();
  }
}
