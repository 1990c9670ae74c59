package org.sordino.table;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;

/**
 * A column whose fields have one of a few declared values.
 *
 * <p>Two declared values are encoded as one feature: 0 for the first value, 1 for the second and
 * 0.5 for an undeclared value. Declare the more frequent value first, because a feature that is
 * mostly 0 keeps gradients short. Three or more values are encoded one-hot, with an additional
 * feature {@code other} for undeclared values. If missing values are declared, they have a separate
 * feature. Otherwise a missing value counts as undeclared.
 *
 * @param values the declared values, at least two
 * @param missing whether missing values are declared
 */
public record CategoryColumn(String name, List<String> values, boolean missing) implements Column {

  /** Maximum number of values; more would not make useful features. */
  static final int MOST_VALUES = 1_000;

  private static final float NEITHER = 0.5f;

  public CategoryColumn {
    Column.checkName(name);
    values = List.copyOf(values);
    if (values.size() < 2 || values.size() > MOST_VALUES) {
      throw new TableException(
          "values must have 2 to 1,000 entries, got "
              + values.size()
              + "; correct the list, or set kind to \"ignored\"");
    }
    if (new HashSet<>(values).size() < values.size()) {
      throw new TableException(
          "values must be distinct, got " + Excerpt.repeated(values) + " twice; delete one");
    }
  }

  @Override
  public List<String> featureNames() {
    List<String> names = new ArrayList<>();
    if (binary()) {
      names.add(name + "=" + values.get(1));
    } else {
      values.forEach(value -> names.add(name + "=" + value));
      names.add(name + " other");
    }
    if (missing) {
      names.add(name + " missing");
    }
    return names;
  }

  @Override
  public FieldEncoder encoder(Vocabulary missingTexts) {
    Vocabulary known = Vocabulary.of(values);
    int count = values.size();
    return (buffer, offset, length, row, at) -> {
      if (missing && missingTexts.find(buffer, offset, length) >= 0) {
        row[at + (binary() ? 1 : count + 1)] = 1;
        return true;
      }
      int number = find(known, buffer, offset, length);
      if (!binary()) {
        row[at + (number >= 0 ? number : count)] = 1;
      } else {
        row[at] = number >= 0 ? number : NEITHER;
      }
      return true;
    };
  }

  /**
   * Finds a value as written or, if it is not declared, without a fraction of zeros. Files with
   * missing values often contain 1.0 in place of 1.
   */
  static int find(Vocabulary known, char[] buffer, int offset, int length) {
    int number = known.find(buffer, offset, length);
    int end = offset + length;
    if (number >= 0 || length < 3 || buffer[end - 1] != '0') {
      return number;
    }
    while (end > offset && buffer[end - 1] == '0') {
      end--;
    }
    boolean whole = end - 1 > offset && buffer[end - 1] == '.';
    return whole ? known.find(buffer, offset, end - 1 - offset) : Vocabulary.ABSENT;
  }

  @Override
  public String expected() {
    return "a text";
  }

  private boolean binary() {
    return values.size() == 2;
  }
}
