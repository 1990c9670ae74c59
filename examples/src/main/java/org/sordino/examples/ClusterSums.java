package org.sordino.examples;

import java.nio.ByteBuffer;
import java.util.Comparator;
import java.util.stream.IntStream;
import org.sordino.mechanism.Clipping;
import org.sordino.mechanism.Layout;
import org.sordino.random.RandomKey;
import org.sordino.sampling.PoissonSample;
import org.sordino.training.Examples;
import org.sordino.training.Fingerprint;
import org.sordino.training.GradientEngine;

/**
 * A custom engine for k-means. Each record contributes two vectors that are zero except at its
 * nearest center: a count of 1, and its features.
 *
 * @param examples the records; their targets are not used
 * @param centers number of centers
 */
record ClusterSums(Examples examples, int centers) implements GradientEngine {

  @Override
  public Layout layout() {
    return Layout.of(
        new Layout.Vector("counts", centers),
        new Layout.Vector("sums", centers * examples.width()));
  }

  /**
   * Adds up the clipped vectors of a sample. Contributions are rounded toward zero, so rounding
   * never increases the contribution of a record.
   */
  @Override
  public void sum(PoissonSample sample, double[] theta, Clipping clipping, long[] sums) {
    int width = examples.width();
    double[] weights = new double[2];
    sample.forEach(
        0,
        examples.size(),
        index -> {
          int row = (int) index * width;
          int center = nearest(theta, row);
          clipping.weights(new double[] {1, squaredNorm(row)}, weights);
          sums[center] = Math.addExact(sums[center], (long) (weights[0] / clipping.unit(0)));
          for (int j = 0; j < width; j++) {
            int i = centers + center * width + j;
            double v = weights[1] / clipping.unit(1) * examples.features()[row + j];
            sums[i] = Math.addExact(sums[i], (long) v);
          }
        });
  }

  private int nearest(double[] theta, int row) {
    return IntStream.range(0, centers)
        .boxed()
        .min(Comparator.comparingDouble(center -> squaredDistance(theta, center, row)))
        .orElseThrow();
  }

  private double squaredDistance(double[] theta, int center, int row) {
    double distance = 0;
    for (int j = 0; j < examples.width(); j++) {
      double d = theta[center * examples.width() + j] - examples.features()[row + j];
      distance += d * d;
    }
    return distance;
  }

  /**
   * Returns an upper bound on the squared norm of a row. Each square and each addition has one
   * relative rounding error, for which the last factor compensates.
   */
  private double squaredNorm(int row) {
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
        .add(ByteBuffer.allocate(8).putInt(centers).putInt(examples.width()).array())
        .add(examples.features())
        .digest();
  }
}
