package org.sordino.table;

/** Detects the delimiter of a file from its first line. */
final class Delimiters {

  static final String CANDIDATES = ",;\t|";

  private Delimiters() {}

  /**
   * Returns the candidate that occurs most often on the first nonempty line, or a comma if that
   * line contains no candidate; the table then has one column. Other lines are ignored. They are
   * records, and whether a table can be read must not depend on the content of a record.
   */
  static char detect(String beginning) {
    char best = ',';
    int most = 0;
    for (int i = 0; i < CANDIDATES.length(); i++) {
      char candidate = CANDIDATES.charAt(i);
      int count = countOnFirstLine(beginning, candidate);
      if (count > most) {
        best = candidate;
        most = count;
      }
    }
    return best;
  }

  /** Counts a candidate outside quotes on the first nonempty line. */
  private static int countOnFirstLine(String text, char candidate) {
    boolean quoted = false;
    boolean empty = true;
    int count = 0;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '"') {
        quoted = !quoted;
      }
      if (!quoted && (c == '\n' || c == '\r')) {
        if (!empty) {
          return count;
        }
      } else {
        empty = false;
        count += !quoted && c == candidate ? 1 : 0;
      }
    }
    return count;
  }
}
