package org.sordino.training;

/**
 * Updates the parameters with a privatized gradient. An optimizer uses released numbers only, so
 * its computations are post-processing and have no privacy cost.
 */
public sealed interface Optimizer {

  /** Returns the learning rate before any {@link Schedule} is applied. */
  double learningRate();

  /**
   * Returns the number of arrays, each as long as the parameters, that the optimizer keeps between
   * steps.
   */
  int slots();

  /**
   * Updates the parameters in place.
   *
   * @param theta the parameters
   * @param gradient privatized average gradient
   * @param slots state of the optimizer: {@link #slots()} arrays, all zero before the first step
   * @param step number of the step, starting at 0
   * @param rate learning rate of this step
   * @param noiseVariance variance of the noise in each coordinate of the gradient, which is public
   */
  void update(
      double[] theta,
      double[] gradient,
      double[][] slots,
      long step,
      double rate,
      double[] noiseVariance);

  /** Returns plain stochastic gradient descent. */
  static Optimizer sgd(double learningRate) {
    return new Sgd(learningRate, 0);
  }

  /** Returns Adam with beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8 and no noise correction. */
  static Optimizer adam(double learningRate) {
    return new Adam(learningRate, 0.9, 0.999, 1e-8, false);
  }

  /**
   * Stochastic gradient descent with momentum: b = mu b + g, theta = theta - eta b.
   *
   * @param learningRate eta
   * @param momentum mu, in [0, 1)
   */
  record Sgd(double learningRate, double momentum) implements Optimizer {

    public Sgd {
      requireRate(learningRate);
      requireFraction("momentum", momentum);
    }

    @Override
    public int slots() {
      return momentum > 0 ? 1 : 0;
    }

    @Override
    public void update(
        double[] theta,
        double[] gradient,
        double[][] slots,
        long step,
        double rate,
        double[] noiseVariance) {
      double[] direction = gradient;
      if (momentum > 0) {
        direction = slots[0];
        for (int i = 0; i < theta.length; i++) {
          direction[i] = momentum * direction[i] + gradient[i];
        }
      }
      for (int i = 0; i < theta.length; i++) {
        theta[i] -= rate * direction[i];
      }
    }
  }

  /**
   * Adam (Kingma &amp; Ba 2015, arXiv:1412.6980). The noise adds its variance to the second moment,
   * which makes private Adam behave like momentum. The noise correction subtracts this variance
   * (Tang, Shpilevskiy &amp; Lecuyer 2023, arXiv:2312.14334).
   *
   * @param learningRate eta
   * @param beta1 decay of the first moment, in [0, 1)
   * @param beta2 decay of the second moment, in [0, 1)
   * @param epsilon constant added to the root of the second moment; with noise correction, the
   *     lower limit of that root
   * @param noiseCorrection whether to subtract the variance of the noise from the second moment
   */
  record Adam(
      double learningRate, double beta1, double beta2, double epsilon, boolean noiseCorrection)
      implements Optimizer {

    public Adam {
      requireRate(learningRate);
      requireFraction("beta1", beta1);
      requireFraction("beta2", beta2);
      if (!(epsilon > 0 && epsilon < Double.POSITIVE_INFINITY)) {
        throw new IllegalArgumentException("epsilon of Adam must be above 0, got " + epsilon);
      }
    }

    @Override
    public int slots() {
      return 2;
    }

    @Override
    public void update(
        double[] theta,
        double[] gradient,
        double[][] slots,
        long step,
        double rate,
        double[] noiseVariance) {
      double[] first = slots[0];
      double[] second = slots[1];
      double debias1 = 1 / (1 - Math.pow(beta1, step + 1.0));
      double debias2 = 1 / (1 - Math.pow(beta2, step + 1.0));
      for (int i = 0; i < theta.length; i++) {
        first[i] = beta1 * first[i] + (1 - beta1) * gradient[i];
        second[i] = beta2 * second[i] + (1 - beta2) * gradient[i] * gradient[i];
        double variance = second[i] * debias2;
        double root =
            noiseCorrection
                ? Math.sqrt(Math.max(variance - noiseVariance[i], epsilon * epsilon))
                : Math.sqrt(variance) + epsilon;
        theta[i] -= rate * first[i] * debias1 / root;
      }
    }
  }

  private static void requireRate(double learningRate) {
    if (!(learningRate > 0 && learningRate < Double.POSITIVE_INFINITY)) {
      throw new IllegalArgumentException(
          "learningRate must be above 0 and finite, got " + learningRate);
    }
  }

  private static void requireFraction(String name, double value) {
    if (!(value >= 0 && value < 1)) {
      throw new IllegalArgumentException(name + " must be in [0, 1), got " + value);
    }
  }
}
