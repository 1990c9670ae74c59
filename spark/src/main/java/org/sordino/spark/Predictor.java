package org.sordino.spark;

import java.io.Serializable;
import org.apache.spark.ml.linalg.Vector;
import org.apache.spark.ml.linalg.Vectors;
import org.sordino.training.Examples;
import org.sordino.training.LinearModel;

/** Applies a model to one row, in the executors. */
final class Predictor implements Serializable {

  private static final long serialVersionUID = 1;

  private final LinearModel model;
  private final double[] weights;

  Predictor(LinearModel model, double[] weights) {
    this.model = model;
    this.weights = weights.clone();
  }

  Vector probabilities(Vector features) {
    double[] predicted = model.predict(weights, record(features), 0);
    return model.kind() == LinearModel.Kind.LOGISTIC
        ? Vectors.dense(1 - predicted[0], new double[] {predicted[0]})
        : Vectors.dense(predicted);
  }

  double likeliest(Vector features) {
    return probabilities(features).argmax();
  }

  /** In floats, as in training. */
  private Examples record(Vector features) {
    float[] row = new float[model.inputs()];
    if (features.size() != row.length) {
      throw new IllegalArgumentException(
          "features must be " + row.length + ", got " + features.size() + "; check the columns");
    }
    for (int j = 0; j < row.length; j++) {
      row[j] = (float) features.apply(j);
    }
    return new Examples(row, row.length, new float[1]);
  }
}
