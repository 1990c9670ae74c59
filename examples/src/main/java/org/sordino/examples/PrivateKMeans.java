package org.sordino.examples;

import java.util.List;
import org.sordino.PrivacyPlan;
import org.sordino.ledger.Ledger;
import org.sordino.mechanism.Layout;
import org.sordino.mechanism.Mechanism;
import org.sordino.mechanism.NoiseAllocation;
import org.sordino.mechanism.VectorGroup;
import org.sordino.random.RandomKey;
import org.sordino.training.Examples;
import org.sordino.training.PrivateStep;

/**
 * Private k-means, an algorithm without gradients. It consists of a custom engine ({@link
 * ClusterSums}), a mechanism and a loop.
 */
public final class PrivateKMeans {

  private PrivateKMeans() {}

  /** Returns a mechanism that clips features to a radius and counts to 1, with joint noise. */
  static Mechanism mechanism(Layout layout, double radius, double noiseMultiplier) {
    VectorGroup both =
        VectorGroup.joint(
            "clusters", List.of("counts", "sums"), List.of(1.0, radius), Math.sqrt(2));
    return Mechanism.of(layout, List.of(both), NoiseAllocation.EQUAL, noiseMultiplier);
  }

  /**
   * Computes cluster centers.
   *
   * @param plan sampling rate, noise multiplier and number of rounds
   * @param radius clipping bound of the features
   * @param examples the records; their targets are not used
   * @param start initial centers, which must not depend on the records
   * @param ledger ledger in which the rounds are recorded
   * @param key secret key of sampling and noise
   * @return the centers
   */
  public static double[] run(
      PrivacyPlan plan,
      double radius,
      Examples examples,
      double[] start,
      Ledger ledger,
      RandomKey key) {
    ClusterSums engine = new ClusterSums(examples, start.length / examples.width());
    Mechanism mechanism = mechanism(engine.layout(), radius, plan.noiseMultiplier());
    PrivateStep step = new PrivateStep(plan, mechanism, 0, engine, key, ledger);
    // A center moves only if its noisy count exceeds twice the standard deviation of the noise.
    double leastCount = 2 * mechanism.deviation(0) / plan.expectedBatch();
    double[] centers = start.clone();
    ledger.reserve(step.event(), 0, plan.steps());
    for (long round = 0; round < plan.steps(); round++) {
      step.run(round, centers, average -> move(centers, average, engine.centers(), leastCount));
    }
    ledger.finish(plan.steps());
    return centers;
  }

  /** Moves each center to the mean of its records: the noisy sum over the noisy count. */
  private static void move(double[] centers, double[] average, int counts, double leastCount) {
    int width = centers.length / counts;
    for (int i = 0; i < centers.length; i++) {
      if (average[i / width] > leastCount) {
        centers[i] = average[counts + i] / average[i / width];
      }
    }
  }
}
