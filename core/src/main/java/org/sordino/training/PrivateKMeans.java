package org.sordino.training;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Random;
import org.sordino.PrivacyPlan;
import org.sordino.ledger.Ledger;
import org.sordino.mechanism.Clipping;
import org.sordino.mechanism.Layout;
import org.sordino.mechanism.Mechanism;
import org.sordino.mechanism.NoiseAllocation;
import org.sordino.mechanism.VectorGroup;
import org.sordino.random.RandomKey;
import org.sordino.sampling.PoissonSample;

/**
 * Private k-means: no gradient, but the same template. A record yields two vectors, both zero but
 * for the place of its nearest centre: a count of 1, and its features. Their noisy sums over a
 * sample give the new centres.
 */
public final class PrivateKMeans {

  private PrivateKMeans() {}

  /** What a record yields: counts, and sums of features, by centre. */
  public static Layout layout(int centres, int width) {
    return Layout.of(
        new Layout.Vector("counts", centres), new Layout.Vector("sums", centres * width));
  }

  /**
   * The two vectors clipped together: features to the radius, counts to 1.
   *
   * @param radius the norm to which records are clipped
   * @param noiseMultiplier z of both sums together
   */
  public static Mechanism mechanism(int centres, int width, double radius, double noiseMultiplier) {
    VectorGroup both =
        VectorGroup.joint(
            "clusters", List.of("counts", "sums"), List.of(1.0, radius), Math.sqrt(2));
    return Mechanism.of(
        layout(centres, width), List.of(both), NoiseAllocation.EQUAL, noiseMultiplier);
  }

  /**
   * Finds centres.
   *
   * @param plan rate, noise multiplier and number of rounds
   * @param radius the norm to which records are clipped
   * @param examples the records; targets are not used
   * @param start the first centres, chosen without looking at the records
   * @param ledger where every round is reserved before it is computed
   * @param key from which coins and noise are derived
   * @return the centres, one after the other
   */
  public static double[] run(
      PrivacyPlan plan,
      double radius,
      Examples examples,
      double[] start,
      Ledger ledger,
      RandomKey key) {
    int width = examples.width();
    int centres = start.length / width;
    Mechanism mechanism = mechanism(centres, width, radius, plan.noiseMultiplier());
    PrivateStep step = new PrivateStep(plan, mechanism, 0, engine(examples, centres), key, ledger);
    ledger.reserve(step.event(), 0, plan.steps());
    double[] theta = start.clone();
    // A centre moves only where the noisy count stands out of its own noise.
    double leastCount = 2 * mechanism.deviation(0) / plan.expectedBatch();
    for (long round = 0; round < plan.steps(); round++) {
      step.run(
          round,
          theta,
          average -> {
            for (int c = 0; c < centres; c++) {
              if (average[c] > leastCount) {
                for (int j = 0; j < width; j++) {
                  theta[c * width + j] = average[centres + c * width + j] / average[c];
                }
              }
            }
          });
    }
    ledger.finish(plan.steps());
    return theta;
  }

  /** Centres in the ball of a radius, from a public seed. */
  public static double[] randomCentres(int centres, int width, double radius, long seed) {
    Random random = new Random(seed);
    double scale = radius / Math.sqrt(width);
    return random.doubles((long) centres * width, -scale, scale).toArray();
  }

  static GradientEngine engine(Examples examples, int centres) {
    return new Engine(examples, centres);
  }

  /** Counts and sums by nearest centre. */
  private record Engine(Examples examples, int centres) implements GradientEngine {

    @Override
    public Layout layout() {
      return PrivateKMeans.layout(centres, examples.width());
    }

    @Override
    public void sum(PoissonSample sample, double[] theta, Clipping clipping, long[] sums) {
      int width = examples.width();
      double[] squares = new double[2];
      double[] weights = new double[2];
      sample.forEach(
          0,
          examples.size(),
          index -> {
            int row = (int) index * width;
            int centre = nearest(theta, row);
            squares[0] = 1;
            squares[1] = square(row);
            clipping.weights(squares, weights);
            sums[centre] = Math.addExact(sums[centre], (long) (weights[0] / clipping.unit(0)));
            for (int j = 0; j < width; j++) {
              int i = centres + centre * width + j;
              double v = weights[1] / clipping.unit(1) * examples.features()[row + j];
              sums[i] = Math.addExact(sums[i], (long) v);
            }
          });
    }

    private int nearest(double[] theta, int row) {
      int best = 0;
      double least = Double.POSITIVE_INFINITY;
      for (int c = 0; c < centres; c++) {
        double distance = 0;
        for (int j = 0; j < examples.width(); j++) {
          double d = theta[c * examples.width() + j] - examples.features()[row + j];
          distance += d * d;
        }
        if (distance < least) {
          least = distance;
          best = c;
        }
      }
      return best;
    }

    /** An upper bound: every rounding is relative, one per square and one per addition. */
    private double square(int row) {
      double sum = 0;
      for (int j = 0; j < examples.width(); j++) {
        double x = examples.features()[row + j];
        sum += x * x;
      }
      return sum * (1 + (examples.width() + 8) * 0x1p-53);
    }

    @Override
    public byte[] fingerprint(RandomKey key) {
      return Fingerprint.of(key)
          .add("k-means-1")
          .add(ByteBuffer.allocate(8).putInt(centres).putInt(examples.width()).array())
          .add(examples.features())
          .digest();
    }
  }
}
