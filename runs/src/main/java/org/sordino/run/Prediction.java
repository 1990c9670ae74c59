package org.sordino.run;

import java.util.List;
import org.sordino.table.Label;

/**
 * The prediction of a model for one record.
 *
 * @param target predicted label
 * @param scores probabilities of all classes, or a single encoded number for a regression
 */
@SuppressWarnings("ArrayRecordComponent") // created for one caller and never compared
public record Prediction(Label target, double[] scores) {

  /** Returns the most probable class, or the predicted number as text. */
  public String label() {
    return target.isNumber()
        ? Double.toString(value())
        : target.classes().get(Evaluation.prediction(scores));
  }

  /**
   * Returns the probability of a class.
   *
   * @param name name of the class
   * @throws IllegalArgumentException if the class is not one of {@link #classes}
   */
  public double probability(String name) {
    int index = target.classes().indexOf(name);
    if (index < 0) {
      throw new IllegalArgumentException(
          "the class must be one of " + target.classes() + ", got " + name);
    }
    return scores[index];
  }

  /**
   * Returns the classes, in the order of {@link #probabilities}; empty if the model predicts a
   * number.
   */
  public List<String> classes() {
    return target.classes();
  }

  /** Returns the probabilities of all classes; empty if the model predicts a number. */
  public double[] probabilities() {
    return target.isNumber() ? new double[0] : scores.clone();
  }

  /**
   * Returns the predicted number, in the unit of the label.
   *
   * @throws IllegalStateException if the model predicts classes
   */
  public double value() {
    if (!target.isNumber()) {
      throw new IllegalStateException("the model predicts classes; use label()");
    }
    return target.number(scores[0]);
  }
}
