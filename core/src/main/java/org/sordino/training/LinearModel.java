package org.sordino.training;

import org.sordino.mechanism.Layout;

/**
 * A model that is linear in its parameters: outputs z = W x + b. The parameters are the matrix
 * {@code weight}, row by row, and then {@code bias}, as in a linear layer of torch.
 *
 * @param kind what the outputs mean
 * @param inputs how many features a record has
 * @param outputs how many outputs: the number of classes for softmax, otherwise 1
 */
public record LinearModel(Kind kind, int inputs, int outputs) {

  /** What the outputs mean, and the loss that goes with it. */
  public enum Kind {
    /** z predicts a number; loss (z - y)^2 / 2. */
    REGRESSION,
    /** 1 / (1 + e^-z) is the probability of class 1; loss -log of the probability of the class. */
    LOGISTIC,
    /** e^z_k / sum e^z_j is the probability of class k; loss -log of that of the class. */
    SOFTMAX
  }

  public LinearModel {
    if (inputs < 1) {
      throw new IllegalArgumentException("inputs must be at least 1, got " + inputs);
    }
    if (kind == Kind.SOFTMAX ? outputs < 2 : outputs != 1) {
      throw new IllegalArgumentException(
          "outputs must be "
              + (kind == Kind.SOFTMAX ? "at least 2 for softmax" : "1 unless the kind is softmax")
              + ", got "
              + outputs);
    }
    if ((long) outputs * (inputs + 1L) > 1L << 30) {
      throw new IllegalArgumentException(
          "a linear model must have at most 2^30 parameters, got " + outputs + " x " + inputs);
    }
  }

  /** Linear regression. */
  public static LinearModel regression(int inputs) {
    return new LinearModel(Kind.REGRESSION, inputs, 1);
  }

  /** Logistic regression for two classes. */
  public static LinearModel logistic(int inputs) {
    return new LinearModel(Kind.LOGISTIC, inputs, 1);
  }

  /** Softmax (multinomial logistic) regression. */
  public static LinearModel softmax(int inputs, int classes) {
    return new LinearModel(Kind.SOFTMAX, inputs, classes);
  }

  /** The parameters. */
  public Layout layout() {
    return Layout.of(
        new Layout.Vector("weight", outputs * inputs), new Layout.Vector("bias", outputs));
  }

  /**
   * What the model says about one record: the number of a regression, the probability of class 1,
   * or the probabilities of all classes.
   *
   * @param theta the parameters
   * @param examples where the record is
   * @param index which one it is
   */
  public double[] predict(double[] theta, Examples examples, int index) {
    double[] z = new double[outputs];
    scores(theta, examples.features(), index * inputs, z);
    toPredictions(z);
    return z;
  }

  /** z = W x + b for the features from {@code row} on. */
  void scores(double[] theta, float[] features, int row, double[] z) {
    for (int k = 0; k < outputs; k++) {
      double sum = theta[outputs * inputs + k];
      for (int j = 0; j < inputs; j++) {
        sum += theta[k * inputs + j] * features[row + j];
      }
      z[k] = sum;
    }
  }

  /** Turns scores into predictions in place; never overflows. */
  void toPredictions(double[] z) {
    switch (kind) {
      case REGRESSION -> {}
      case LOGISTIC -> z[0] = 1 / (1 + Math.exp(-z[0]));
      case SOFTMAX -> {
        double largest = z[0];
        for (double score : z) {
          largest = Math.max(largest, score);
        }
        double sum = 0;
        for (int k = 0; k < z.length; k++) {
          z[k] = Math.exp(z[k] - largest);
          sum += z[k];
        }
        for (int k = 0; k < z.length; k++) {
          z[k] /= sum;
        }
      }
    }
  }

  /** Turns scores into dloss/dz in place: prediction minus truth, for all three losses. */
  void toResiduals(double[] z, float target) {
    toPredictions(z);
    if (kind == Kind.SOFTMAX) {
      z[(int) target] -= 1;
    } else {
      z[0] -= target;
    }
  }

  /** Refuses targets that are no class of the model. */
  void requireTargets(Examples examples) {
    if (examples.width() != inputs) {
      throw new IllegalArgumentException(
          "examples must have " + inputs + " features, got " + examples.width());
    }
    int classes = kind == Kind.SOFTMAX ? outputs : 2;
    for (int i = 0; kind != Kind.REGRESSION && i < examples.size(); i++) {
      float target = examples.targets()[i];
      if (!(target >= 0 && target < classes && target == (int) target)) {
        throw new IllegalArgumentException(
            "targets must be classes 0 to " + (classes - 1) + "; record " + i + " is none of them");
      }
    }
  }
}
