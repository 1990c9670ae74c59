package org.sordino.table;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;

/**
 * The column that a model predicts: a class, or a number with bounds.
 *
 * <p>The target of a class is its index in {@link #classes}. With two classes the positive class is
 * second, so its target is 1. The target of a number is scaled from -1 at the lower bound to 1 at
 * the upper bound; {@link #number} is the inverse.
 */
public final class Label {

  private static final int MOST_CLASSES = 1_000;

  private final String column;
  private final List<String> classes;
  private final String positive;
  private final double min;
  private final double max;

  private Label(String column, List<String> classes, String positive, double min, double max) {
    Column.checkName(column);
    this.column = column;
    this.classes = classes;
    this.positive = positive;
    this.min = min;
    this.max = max;
  }

  /**
   * Returns a label with classes.
   *
   * @param values the classes
   * @param positive the positive class, to which the AUC refers if there are two classes
   */
  public static Label ofClasses(String column, List<String> values, String positive) {
    if (values.size() < 2 || values.size() > MOST_CLASSES) {
      throw new TableException(
          "values must have 2 to 1,000 entries, got "
              + values.size()
              + "; list the classes of the label");
    }
    if (new HashSet<>(values).size() < values.size()) {
      throw new TableException(
          "values must be distinct, got " + Excerpt.repeated(values) + " twice; delete one");
    }
    if (!values.contains(positive)) {
      throw new TableException(
          "positive must be one of the values "
              + Excerpt.list(values)
              + ", got "
              + Excerpt.of(positive)
              + "; choose the class of interest");
    }
    List<String> classes = new ArrayList<>(values);
    if (classes.size() == 2 && classes.get(0).equals(positive)) {
      classes = List.of(classes.get(1), classes.get(0));
    }
    return new Label(column, List.copyOf(classes), positive, 0, 0);
  }

  /** Returns a numeric label, for regression. */
  public static Label ofNumber(String column, double min, double max) {
    if (!(min < max && Double.isFinite(min) && Double.isFinite(max - min))) {
      throw new TableException(
          "min must be below max, and both must be finite, got "
              + NumericColumn.text(min)
              + " and "
              + NumericColumn.text(max)
              + "; correct the bounds");
    }
    return new Label(column, List.of(), "", min, max);
  }

  /** Returns the name of the column. */
  public String column() {
    return column;
  }

  /** Returns whether the label is a number. */
  public boolean isNumber() {
    return classes.isEmpty();
  }

  /** Returns the classes in the order of their targets; an empty list if the label is a number. */
  public List<String> classes() {
    return classes;
  }

  /** Returns the positive class; an empty string if the label is a number. */
  public String positive() {
    return positive;
  }

  /** Returns the lower bound of a numeric label. */
  public double min() {
    return min;
  }

  /** Returns the upper bound of a numeric label. */
  public double max() {
    return max;
  }

  /** Converts a target or a prediction of a numeric label to the number. */
  public double number(double target) {
    return min + (Math.min(Math.max(target, -1), 1) + 1) / 2 * (max - min);
  }

  /** Returns an encoder that writes the target at the given index of a row. */
  FieldEncoder encoder() {
    if (isNumber()) {
      return new NumericColumn(column, min, max, NumericColumn.Scale.LINEAR, List.of(), false)
          .encoder(new Vocabulary());
    }
    Vocabulary known = Vocabulary.of(classes);
    return (buffer, offset, length, row, at) -> {
      int number = CategoryColumn.find(known, buffer, offset, length);
      row[at] = number;
      return number >= 0;
    };
  }

  String expected() {
    return isNumber() ? "a number" : "one of " + Excerpt.list(classes);
  }
}
