package org.sordino.table;

import java.util.List;

/**
 * What a column may hold and how it becomes features. All of this is public: it is written down
 * before the records are looked at, or a statement says that it was not.
 *
 * <p>Every feature lies in [-1, 1], and the norm of a column's features is at most the square root
 * of 2, so that one odd record has no long gradient.
 */
public sealed interface Column permits NumericColumn, CategoryColumn, IgnoredColumn {

  /** The name in the header. */
  String name();

  /** The names of the features, in order; none for a column that is ignored. */
  List<String> featureNames();

  /**
   * How a field is encoded.
   *
   * @param missing the texts that stand for a missing value
   */
  FieldEncoder encoder(Vocabulary missing);

  /** What {@link #encoder} accepts, in words for a message. */
  String expected();

  /** Refuses a name that no header can hold. */
  static void checkName(String name) {
    if (name.isEmpty() || name.length() > ColumnNames.LONGEST) {
      throw new TableException(
          "name must have from 1 to 1,000 characters, got " + Excerpt.of(name) + "; shorten it");
    }
  }
}
