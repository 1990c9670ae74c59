package org.sordino.table;

import java.util.List;

/**
 * The declaration of a column: the values that it may contain and their encoding as features. The
 * declaration is public. It should be written before the records are read. If it is drafted from
 * the records instead, the privacy statement reports this.
 *
 * <p>Every feature lies in [-1, 1], and the norm of a column's features is at most the square root
 * of 2. This keeps the gradient of an unusual record short.
 */
public sealed interface Column permits NumericColumn, CategoryColumn, IgnoredColumn {

  /** Returns the name of the column in the header. */
  String name();

  /** Returns the names of the features, in order; an empty list for an ignored column. */
  List<String> featureNames();

  /**
   * Returns an encoder of the column's fields.
   *
   * @param missing the texts that represent a missing value
   */
  FieldEncoder encoder(Vocabulary missing);

  /** Describes the values that {@link #encoder} accepts, for an error message. */
  String expected();

  /** Rejects an empty name and a name that exceeds the limit for a header. */
  static void checkName(String name) {
    if (name.isEmpty() || name.length() > ColumnNames.LONGEST) {
      throw new TableException(
          "name must have 1 to 1,000 characters, got " + Excerpt.of(name) + "; choose another");
    }
  }
}
