package org.sordino.table;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Checks the column names of a table. The limits are the same for all sources. */
final class ColumnNames {

  static final int MOST = 20_000;
  static final int LONGEST = 1_000;

  private ColumnNames() {}

  /**
   * Returns the names, with empty names replaced by c1, c2, ... according to their position.
   * Spreadsheets and data frames leave the name of an index column empty, and some databases leave
   * the name of an expression empty.
   *
   * @throws TableException if there are no names or too many, if a name is too long, or if two
   *     names are equal
   */
  static List<String> checked(Place place, List<String> names) {
    if (names.isEmpty() || names.size() > MOST) {
      throw place.inTable(
          String.format(
              "the table must have 1 to %,d columns, got %,d; select the columns to use",
              MOST, names.size()));
    }
    Set<String> seen = new HashSet<>();
    List<String> checked = new ArrayList<>();
    for (int i = 0; i < names.size(); i++) {
      String name = names.get(i).isEmpty() ? numbered(i) : names.get(i);
      if (name.length() > LONGEST) {
        throw place.inTable(
            String.format(
                "the name of column %d must have at most %,d characters, got %,d; shorten it",
                i + 1, LONGEST, name.length()));
      }
      if (!seen.add(name)) {
        throw place.sameName(name);
      }
      checked.add(name);
    }
    return checked;
  }

  /** Returns the names c1, c2, ... for a table without a header. */
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
