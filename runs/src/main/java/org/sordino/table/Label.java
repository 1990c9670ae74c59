package org.sordino.table;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;

/**
 * The column that a model predicts: one of some classes, or a number within bounds.
 *
 * <p>The target of a class is its place in {@link #classes}; of two classes, the positive one comes
 * second and is therefore 1. The target of a number runs from -1 at the lower bound to 1 at the
 * upper; {@link #number} leads back.
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
   * A label that is one of some values.
   *
   * @param positive the value that is asked about, such as the one that a rate of true positives
   *     counts
   */
  public static Label ofClasses(String column, List<String> values, String positive) {
    if (values.size() < 2 || values.size() > MOST_CLASSES) {
      throw new TableException(
          "values must be from 2 to 1,000, got " + values.size() + "; declare all classes");
    }
    if (new HashSet<>(values).size() < values.size()) {
      throw new TableException("values must differ, got one twice; delete it");
    }
    if (!values.contains(positive)) {
      throw new TableException(
          "positive must be one of the values "
              + Excerpt.list(values)
              + ", got "
              + Excerpt.of(positive)
              + "; choose the class that is asked about");
    }
    List<String> classes = new ArrayList<>(values);
    if (classes.size() == 2 && classes.get(0).equals(positive)) {
      classes = List.of(classes.get(1), classes.get(0));
    }
    return new Label(column, List.copyOf(classes), positive, 0, 0);
  }

  /** A label that is a number, for a regression. */
  public static Label ofNumber(String column, double min, double max) {
    if (!(min < max && Double.isFinite(min) && Double.isFinite(max - min))) {
      throw new TableException(
          "min must be below max, got "
              + NumericColumn.text(min)
              + " and "
              + NumericColumn.text(max)
              + "; give both bounds");
    }
    return new Label(column, List.of(), "", min, max);
  }

  /** The name of the column. */
  public String column() {
    return column;
  }

  /** Whether the label is a number. */
  public boolean isNumber() {
    return classes.isEmpty();
  }

  /** The classes in the order of their targets; none if the label is a number. */
  public List<String> classes() {
    return classes;
  }

  /** The positive class; empty if the label is a number. */
  public String positive() {
    return positive;
  }

  /** The lower bound of a number. */
  public double min() {
    return min;
  }

  /** The upper bound of a number. */
  public double max() {
    return max;
  }

  /** The number that a target or a prediction stands for. */
  public double number(double target) {
    return min + (Math.min(Math.max(target, -1), 1) + 1) / 2 * (max - min);
  }

  /** How a field becomes the target, in place 0 of a row. */
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
