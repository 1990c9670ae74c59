package org.sordino.spark;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.api.java.function.MapPartitionsFunction;
import org.apache.spark.ml.linalg.Vector;
import org.apache.spark.ml.linalg.Vectors;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.sordino.run.Learner;
import org.sordino.training.Examples;

/**
 * Adds predictions to rows. Rows are processed in batches of several hundred, because a network
 * predicts many at once efficiently.
 */
final class Predictions implements MapPartitionsFunction<Row, Row> {

  private static final long serialVersionUID = 1;

  private static final int ROWS = 512;

  private final Learner learner;
  private final double[] weights;
  private final int features;
  private final boolean probability;
  private final boolean prediction;

  /**
   * Creates the task.
   *
   * @param features index of the field with the feature vector
   * @param probability whether to add the class probabilities
   * @param prediction whether to add the predicted class or number, after the probabilities
   */
  Predictions(
      Learner learner, double[] weights, int features, boolean probability, boolean prediction) {
    this.learner = learner;
    this.weights = weights.clone();
    this.features = features;
    this.probability = probability;
    this.prediction = prediction;
  }

  @Override
  public Iterator<Row> call(Iterator<Row> rows) {
    return new Iterator<>() {
      private Iterator<Row> answered = List.<Row>of().iterator();

      @Override
      public boolean hasNext() {
        return answered.hasNext() || rows.hasNext();
      }

      @Override
      public Row next() {
        if (!answered.hasNext()) {
          answered = answer(some(rows)).iterator();
        }
        return answered.next();
      }
    };
  }

  private static List<Row> some(Iterator<Row> rows) {
    List<Row> some = new ArrayList<>(ROWS);
    while (some.size() < ROWS && rows.hasNext()) {
      some.add(rows.next());
    }
    return some;
  }

  private List<Row> answer(List<Row> rows) {
    double[][] predicted = learner.predict(weights, examples(rows));
    List<Row> answers = new ArrayList<>(rows.size());
    for (int i = 0; i < predicted.length; i++) {
      answers.add(extended(rows.get(i), predicted[i]));
    }
    return answers;
  }

  /** Converts the feature vectors to floats, as in training. */
  private Examples examples(List<Row> rows) {
    int width = learner.inputs();
    float[] values = new float[rows.size() * width];
    for (int i = 0; i < rows.size(); i++) {
      Vector vector = rows.get(i).getAs(features);
      if (vector == null || vector.size() != width) {
        throw new IllegalArgumentException(
            "a feature vector must have size "
                + width
                + ", got "
                + (vector == null ? "none" : vector.size())
                + "; check the columns");
      }
      RowExamples.copy(vector, values, i * width);
    }
    return new Examples(values, width, new float[rows.size()]);
  }

  private Row extended(Row row, double[] predicted) {
    List<Object> fields = new ArrayList<>();
    for (int i = 0; i < row.length(); i++) {
      fields.add(row.get(i));
    }
    Vector probabilities = Vectors.dense(predicted);
    if (probability) {
      fields.add(probabilities);
    }
    if (prediction) {
      fields.add(predicted.length == 1 ? predicted[0] : (double) probabilities.argmax());
    }
    return RowFactory.create(fields.toArray());
  }
}
