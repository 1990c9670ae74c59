package org.sordino.table;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Checks the column names of a table. Every source has the same limits. */
final class ColumnNames {

  static final int MOST = 20_000;
  static final int LONGEST = 1_000;

  private ColumnNames() {}

  /**
   * Returns the names, with c1, c2, ... in place of empty ones: spreadsheets and data frames leave
   * the name of an index column empty, and some databases the name of an expression.
   *
   * @throws TableException if there are none, too many, too long ones or two that are equal
   */
  static List<String> checked(Place place, List<String> names) {
    if (names.isEmpty() || names.size() > MOST) {
      throw place.inTable(
          String.format(
              "a table must have from 1 to %,d columns, got %,d; choose the columns to use",
              MOST, names.size()));
    }
    Set<String> seen = new HashSet<>();
    List<String> checked = new ArrayList<>();
    for (int i = 0; i < names.size(); i++) {
      String name = names.get(i).isEmpty() ? numbered(i) : names.get(i);
      if (name.length() > LONGEST) {
        throw place.inTable(
            String.format(
                "a column name must have at most %,d characters, got more; rename column %d",
                LONGEST, i + 1));
      }
      if (!seen.add(name)) {
        throw place.sameName(name);
      }
      checked.add(name);
    }
    return checked;
  }

  /** Returns c1, c2, ... for a table without a header. */
  static List<String> numbered(List<String> fields) {
    List<String> names = new ArrayList<>();
    for (int i = 0; i < fields.size(); i++) {
      names.add(numbered(i));
    }
    return names;
  }

  private static String numbered(int index) {
    return "c" + (index + 1);
  }
}
