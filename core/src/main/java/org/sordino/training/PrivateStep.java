package org.sordino.training;

import java.util.List;
import java.util.stream.IntStream;
import org.sordino.PrivacyEvent;
import org.sordino.PrivacyPlan;
import org.sordino.ledger.Ledger;
import org.sordino.ledger.Realised;
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
  private final Mechanism planned;
  private final Ledger ledger;
  private final RandomKey samplingKey;
  private final NoisySum sum;
  private List<Realised> realised;

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
    this.planned = mechanism;
    this.ledger = ledger;
    samplingKey = key.derive("sampling");
    sum = new NoisySum(mechanism, plan.population(), insideDecay, engine, key.derive("noise"));
    realised = realised(mechanism);
  }

  /** What one step costs. */
  public PrivacyEvent event() {
    return new PrivacyEvent.SampledGaussian(plan.samplingRate(), planned.noiseMultiplier());
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
    sum.compute(sample, theta);
    ledger.realised(step, realised);
    sum.divide(plan.expectedBatch(), average);
  }

  /**
   * Changes the bounds, and the noise with them, from the next step on.
   *
   * @param factors for every group, how its bound relates to the planned one
   */
  void scale(double[] factors) {
    Mechanism scaled = planned.scaled(factors);
    sum.use(scaled);
    realised = realised(scaled);
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
