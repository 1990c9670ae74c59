package org.sordino.run;

import java.util.List;
import org.sordino.table.Label;

/**
 * What a model predicts for one record.
 *
 * @param target what is predicted
 * @param scores the probabilities of all classes, or the encoded number alone
 */
@SuppressWarnings("ArrayRecordComponent") // made for one caller, never compared
public record Prediction(Label target, double[] scores) {

  /** The most probable class, or the predicted number as text. */
  public String label() {
    return target.isNumber()
        ? Double.toString(value())
        : target.classes().get(Evaluation.prediction(scores));
  }

  /**
   * The probability of a class.
   *
   * @throws IllegalArgumentException if the model does not know the class
   */
  public double probability(String name) {
    int index = target.classes().indexOf(name);
    if (index < 0) {
      throw new IllegalArgumentException(
          "the class must be one of " + target.classes() + ", got " + name);
    }
    return scores[index];
  }

  /** The classes, in the order of {@link #probabilities}; none if the model predicts a number. */
  public List<String> classes() {
    return target.classes();
  }

  /** The probabilities of all classes; none if the model predicts a number. */
  public double[] probabilities() {
    return target.isNumber() ? new double[0] : scores.clone();
  }

  /**
   * The predicted number, in the unit of the label.
   *
   * @throws IllegalStateException if the model predicts classes
   */
  public double value() {
    if (!target.isNumber()) {
      throw new IllegalStateException("the model predicts classes; ask for label()");
    }
    return target.number(scores[0]);
  }
}
