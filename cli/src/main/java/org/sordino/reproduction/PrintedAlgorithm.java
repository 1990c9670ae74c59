package org.sordino.reproduction;

import java.util.SplittableRandom;
import org.sordino.training.Examples;

/**
 * The algorithm in the appendix of Guo (2024), as far as it can be run. This is what the printed
 * code does, not what the paper defines, and it gives no privacy protection. It differs from the
 * definition:
 *
 * <ul>
 *   <li>gradients are not zeroed between the records of a batch: the vector that is clipped for the
 *       i-th record is the sum over the first i;
 *   <li>the penalty lambda/2 |theta|^2 is computed on detached values: it is part of the reported
 *       loss but has no gradient;
 *   <li>the loss has no factor 1/2;
 *   <li>noise with standard deviation sigma R is added directly to theta, scaled neither by eta nor
 *       by 1/L.
 * </ul>
 *
 * <p>We chose the details that the paper does not give: batches of fixed size from a new
 * permutation of the records in every epoch, a zero gradient at the start of every batch and, for
 * DP-SGD, a decay of lambda theta after the noise.
 *
 * @param clip clipping bound R
 * @param lambda strength of the decay after the noise; inside the clip it has no effect
 * @param inside whether to run the method with the decay "inside the clip"
 * @param learningRate eta
 * @param noiseMultiplier sigma
 * @param lot batch size L
 */
record PrintedAlgorithm(
    double clip,
    double lambda,
    boolean inside,
    double learningRate,
    double noiseMultiplier,
    int lot) {

  /** Trains, starting from zero weights. */
  double[] train(Examples examples, int epochs, SplittableRandom random) {
    double[] theta = new double[examples.width()];
    int[] order = new int[examples.size()];
    for (int i = 0; i < order.length; i++) {
      order[i] = i;
    }
    for (int epoch = 0; epoch < epochs; epoch++) {
      shuffle(order, random);
      for (int from = 0; from + lot <= order.length; from += lot) {
        step(examples, order, from, theta, random);
      }
    }
    return theta;
  }

  private void step(
      Examples examples, int[] order, int from, double[] theta, SplittableRandom random) {
    int width = theta.length;
    double[] gradient = new double[width]; // not zeroed between records
    double[] sum = new double[width];
    for (int i = from; i < from + lot; i++) {
      int row = order[i] * width;
      double residual = -examples.targets()[order[i]];
      for (int j = 0; j < width; j++) {
        residual += theta[j] * examples.features()[row + j];
      }
      double square = 0;
      for (int j = 0; j < width; j++) {
        gradient[j] += 2 * residual * examples.features()[row + j];
        square += gradient[j] * gradient[j];
      }
      double weight = Math.min(1, clip / Math.sqrt(square));
      for (int j = 0; j < width; j++) {
        sum[j] += weight * gradient[j];
      }
    }
    double decay = inside ? 0 : lambda;
    for (int j = 0; j < width; j++) {
      double noise = noiseMultiplier * clip * random.nextGaussian();
      theta[j] -= learningRate * (sum[j] / lot + decay * theta[j]) + noise;
    }
  }

  private static void shuffle(int[] order, SplittableRandom random) {
    for (int i = order.length - 1; i > 0; i--) {
      int j = random.nextInt(i + 1);
      int kept = order[i];
      order[i] = order[j];
      order[j] = kept;
    }
  }
}
