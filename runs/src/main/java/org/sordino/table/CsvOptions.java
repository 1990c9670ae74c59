package org.sordino.table;

import org.jspecify.annotations.Nullable;

/**
 * The layout of a delimited text file.
 *
 * @param header whether the first line contains the column names; otherwise the columns are named
 *     c1, c2, ...
 * @param delimiter the character between two fields, or null to detect it from the first line
 */
public record CsvOptions(boolean header, @Nullable Character delimiter) {

  /** A header, and a delimiter that is detected automatically. */
  public static final CsvOptions DEFAULT = new CsvOptions(true, null);

  public CsvOptions {
    if (delimiter != null && Delimiters.CANDIDATES.indexOf(delimiter) < 0) {
      throw new TableException(
          "delimiter must be a comma, a semicolon, a tab or a vertical bar, got "
              + Excerpt.of(String.valueOf(delimiter))
              + "; convert the file to one of these");
    }
  }

  /** Returns these options for a file without a header, whose first line is a record. */
  public CsvOptions withoutHeader() {
    return new CsvOptions(false, delimiter);
  }

  /** Returns these options with the given delimiter. */
  public CsvOptions delimitedBy(char character) {
    return new CsvOptions(header, character);
  }
}
