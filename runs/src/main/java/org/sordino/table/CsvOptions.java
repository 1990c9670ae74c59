package org.sordino.table;

import org.jspecify.annotations.Nullable;

/**
 * How a file is laid out, as far as the user says so.
 *
 * @param header whether the first line names the columns; if not, they are c1, c2, ...
 * @param delimiter what stands between two fields, or null to look at the first line
 */
public record CsvOptions(boolean header, @Nullable Character delimiter) {

  /** A header, and a delimiter that is found out. */
  public static final CsvOptions DEFAULT = new CsvOptions(true, null);

  public CsvOptions {
    if (delimiter != null && Delimiters.CANDIDATES.indexOf(delimiter) < 0) {
      throw new TableException(
          "delimiter must be a comma, a semicolon, a tab or a vertical bar, got "
              + Excerpt.of(String.valueOf(delimiter))
              + "; convert the file");
    }
  }

  /** The same for a file whose first line is a record already. */
  public CsvOptions withoutHeader() {
    return new CsvOptions(false, delimiter);
  }

  /** The same with this delimiter. */
  public CsvOptions delimitedBy(char character) {
    return new CsvOptions(header, character);
  }
}
