package org.sordino.table;

/** Finds out what stands between the fields, from the first line. */
final class Delimiters {

  static final String CANDIDATES = ",;\t|";

  private Delimiters() {}

  /**
   * The candidate that occurs most often on the first line that is not empty; a comma if there is
   * none, which makes a table of one column. Other lines do not count: they are records, and
   * whether a table can be read must not depend on how one of them is written.
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

  /** What is in quotes does not count. */
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
