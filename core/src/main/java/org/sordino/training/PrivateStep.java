package org.sordino.training;

import java.util.List;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.sordino.PrivacyEvent;
import org.sordino.PrivacyPlan;
import org.sordino.ledger.Ledger;
import org.sordino.ledger.Realized;
import org.sordino.mechanism.GaussianNoise;
import org.sordino.mechanism.Mechanism;
import org.sordino.random.RandomKey;
import org.sordino.sampling.PoissonSample;

/**
 * Computes one noisy average, the part of Algorithm 1 (Abadi et al. 2016, arXiv:1607.00133) that
 * reads records. Everything downstream is post-processing and costs nothing, so any iterative
 * procedure can use it, not only gradient descent.
 *
 * <p>A caller reserves steps of {@link #event} in the ledger, then calls {@link #run} for each. See
 * {@link Trainer} for a loop that also survives crashes.
 */
public final class PrivateStep {

  private final PrivacyPlan plan;
  private final Mechanism planned;
  private final GradientEngine engine;
  private final Ledger ledger;
  private final RandomKey samplingKey;
  private final GaussianNoise noise;
  private final NoisySum sum;
  private final double[] average;
  private List<Realized> bounds;

  /**
   * Creates a step over the records of an engine.
   *
   * @param plan sampling rate and expected batch size
   * @param mechanism clipping bounds and noise; must have the layout of the engine
   * @param insideDecay lambda of the weight decay inside the clip, or 0
   * @param engine computes the clipped sums over the records
   * @param key secret from which samples and noise are derived; must not be used by another run
   * @param ledger ledger in which every step must be reserved before it is run
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
    this.engine = engine;
    this.ledger = ledger;
    samplingKey = key.derive("sampling");
    noise = GaussianNoise.of(key.derive("noise"));
    sum = new NoisySum(mechanism, plan.population(), insideDecay, engine);
    average = new double[mechanism.layout().dimension()];
    bounds = realized(mechanism);
  }

  /** Returns the privacy event of one step. */
  public PrivacyEvent event() {
    return new PrivacyEvent.SampledGaussian(plan.samplingRate(), planned.noiseMultiplier());
  }

  /**
   * Runs one step of Algorithm 1: draws a Poisson sample, adds up the clipped vectors of its
   * records, adds noise, divides by the expected batch size, and passes the result to {@code
   * descend}.
   *
   * @param step number of the step
   * @param theta current parameters
   * @param descend called with the noisy average, one number per coordinate of the layout. The
   *     array may be changed, and is overwritten by the next step
   * @throws IllegalArgumentException if the step is not reserved in the ledger; no record is read
   *     in that case
   */
  public void run(long step, double[] theta, Consumer<double[]> descend) {
    ledger.realized(step, bounds); // throws unless the step is reserved
    PoissonSample sample = PoissonSample.of(samplingKey, step, plan.samplingRate());
    sum.clipAndAdd(engine, sample, theta);
    sum.addNoise(noise, step); // throws unless the noise is as planned
    sum.divideBy(plan.expectedBatch(), average); // throws unless noise was added
    descend.accept(average);
  }

  /**
   * Changes the bounds, and the noise with them, starting with the next step. A bound does not
   * become smaller than the engine's rule is proven for. The factors are released numbers, so this
   * reveals nothing else.
   *
   * @param factors ratio of the bound to the planned bound, for every group; raised in place where
   *     the bound would be too small
   */
  void scale(double[] factors) {
    planned.limit(factors, engine.roundingSlack());
    Mechanism scaled = planned.scaled(factors);
    sum.use(scaled);
    bounds = realized(scaled);
  }

  private static List<Realized> realized(Mechanism mechanism) {
    return IntStream.range(0, mechanism.groups().size())
        .mapToObj(
            g ->
                new Realized(
                    mechanism.groups().get(g).name(),
                    mechanism.groups().get(g).bound(),
                    mechanism.groupDeviation(g)))
        .toList();
  }
}
