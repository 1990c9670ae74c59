package org.sordino.table;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;

/**
 * One of a few declared values.
 *
 * <p>Two values make one feature: 0 for the first, 1 for the second and, for a value that was not
 * declared, 0.5. The usual value should come first, because a feature that is mostly 0 keeps
 * gradients short. More values make a feature each (1 for the value, 0 otherwise) and one more,
 * {@code other}, for values that were not declared. A missing value is a feature of its own if it
 * is declared, and otherwise counts as not declared.
 *
 * @param values the declared values, at least two
 * @param missing whether values may be missing
 */
public record CategoryColumn(String name, List<String> values, boolean missing) implements Column {

  /** More make no sensible features. */
  static final int MOST_VALUES = 1_000;

  private static final float NEITHER = 0.5f;

  public CategoryColumn {
    Column.checkName(name);
    values = List.copyOf(values);
    if (values.size() < 2 || values.size() > MOST_VALUES) {
      throw new TableException(
          "values must be from 2 to 1,000, got "
              + values.size()
              + "; else let the kind be ignored");
    }
    if (new HashSet<>(values).size() < values.size()) {
      throw new TableException("values must differ, got one twice; delete it");
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

  /** As written, or else without a fraction of zeros: a file with gaps often has 1.0 for 1. */
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
