package org.sordino.training;

import java.io.Serializable;
import java.util.Arrays;
import org.sordino.mechanism.Layout;

/**
 * A model that is linear in its parameters, with outputs z = W x + b. The parameters are the matrix
 * {@code weight}, row by row, followed by {@code bias}, as in a linear layer of PyTorch.
 *
 * @param kind meaning of the outputs
 * @param inputs number of features
 * @param outputs number of outputs: the number of classes for softmax, otherwise 1
 */
public record LinearModel(Kind kind, int inputs, int outputs) implements Serializable {

  /** Meaning of the outputs, with the corresponding loss. */
  public enum Kind {
    /** z predicts a number; the loss is (z - y)^2 / 2. */
    REGRESSION,
    /**
     * 1 / (1 + e^-z) is the probability of class 1; the loss is -log of the probability of the true
     * class.
     */
    LOGISTIC,
    /**
     * e^z_k / sum_j e^z_j is the probability of class k; the loss is -log of the probability of the
     * true class.
     */
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

  /** Returns a linear regression model. */
  public static LinearModel regression(int inputs) {
    return new LinearModel(Kind.REGRESSION, inputs, 1);
  }

  /** Returns a logistic regression model for two classes. */
  public static LinearModel logistic(int inputs) {
    return new LinearModel(Kind.LOGISTIC, inputs, 1);
  }

  /** Returns a softmax (multinomial logistic) regression model. */
  public static LinearModel softmax(int inputs, int classes) {
    return new LinearModel(Kind.SOFTMAX, inputs, classes);
  }

  /** Returns the layout of the parameters. */
  public Layout layout() {
    return Layout.of(
        new Layout.Vector("weight", outputs * inputs), new Layout.Vector("bias", outputs));
  }

  /**
   * Returns the prediction for one example: the value for a regression, the probability of class 1
   * for logistic regression, the probabilities of all classes for softmax.
   *
   * @param theta the parameters
   * @param examples the examples
   * @param index index of the example
   */
  public double[] predict(double[] theta, Examples examples, int index) {
    double[] z = new double[outputs];
    scores(theta, examples.features(), index * inputs, z);
    toPredictions(z);
    return z;
  }

  /** Computes z = W x + b for the features that start at {@code row}. */
  void scores(double[] theta, float[] features, int row, double[] z) {
    for (int k = 0; k < outputs; k++) {
      double sum = theta[outputs * inputs + k];
      for (int j = 0; j < inputs; j++) {
        sum += theta[k * inputs + j] * features[row + j];
      }
      z[k] = sum;
    }
  }

  /** Converts scores to predictions in place; never overflows. */
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

  /** Converts scores to dloss/dz in place: prediction minus target for all three losses. */
  void toResiduals(double[] z, float target) {
    toPredictions(z);
    if (kind == Kind.SOFTMAX) {
      z[(int) target] -= 1;
    } else {
      z[0] -= target;
    }
  }

  /** Returns the loss of an example with these scores. */
  double loss(double[] z, float target) {
    return switch (kind) {
      case REGRESSION -> (z[0] - target) * (z[0] - target) / 2;
      case LOGISTIC -> softplus(z[0]) - target * z[0];
      case SOFTMAX -> {
        double largest = Arrays.stream(z).max().orElseThrow();
        double sum = 0;
        for (double score : z) {
          sum += Math.exp(score - largest);
        }
        yield largest + Math.log(sum) - z[(int) target];
      }
    };
  }

  private static double softplus(double z) {
    return Math.max(z, 0) + Math.log1p(Math.exp(-Math.abs(z)));
  }

  /** Returns whether these scores predict the true class; always false for a regression. */
  boolean hits(double[] z, float target) {
    return switch (kind) {
      case REGRESSION -> false;
      case LOGISTIC -> z[0] > 0 == target > 0.5;
      case SOFTMAX -> {
        int best = 0;
        for (int k = 1; k < z.length; k++) {
          best = z[k] > z[best] ? k : best;
        }
        yield best == (int) target;
      }
    };
  }

  /** Returns the number of classes; 0 for a regression. */
  public int classes() {
    return switch (kind) {
      case REGRESSION -> 0;
      case LOGISTIC -> 2;
      case SOFTMAX -> outputs;
    };
  }

  /** Throws if the number of features is wrong or a target is not a class of the model. */
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
            "targets must be classes 0 to "
                + (classes - 1)
                + ", got another value at example "
                + i
                + "; correct it");
      }
    }
  }
}
