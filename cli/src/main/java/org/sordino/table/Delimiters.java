package org.sordino.table;

import java.util.ArrayList;
import java.util.List;

/** Finds out what stands between the fields, from the beginning of a file. */
final class Delimiters {

  static final String CANDIDATES = ",;\t|";

  private static final int MOST_LINES = 50;
  private static final int SAME_ON_ALL_LINES = 1_000_000;

  private Delimiters() {}

  /**
   * The candidate that occurs equally often on all lines, else the most frequent on the first line;
   * a comma if there is none, which makes a table of one column.
   */
  static char detect(String beginning) {
    char best = ',';
    int bestScore = 0;
    for (int i = 0; i < CANDIDATES.length(); i++) {
      char candidate = CANDIDATES.charAt(i);
      int score = score(beginning, candidate);
      if (score > bestScore) {
        best = candidate;
        bestScore = score;
      }
    }
    return best;
  }

  private static int score(String text, char candidate) {
    List<Integer> counts = countPerLine(text, candidate);
    int first = counts.isEmpty() ? 0 : counts.get(0);
    boolean same = first > 0 && counts.stream().allMatch(count -> count == first);
    return same && counts.size() > 1 ? SAME_ON_ALL_LINES + first : first;
  }

  /** Of complete lines that are not empty; what is in quotes does not count. */
  private static List<Integer> countPerLine(String text, char candidate) {
    List<Integer> counts = new ArrayList<>();
    boolean quoted = false;
    boolean empty = true;
    int count = 0;
    for (int i = 0; i < text.length() && counts.size() < MOST_LINES; i++) {
      char c = text.charAt(i);
      if (c == '"') {
        quoted = !quoted;
      }
      if (!quoted && (c == '\n' || c == '\r')) {
        if (!empty) {
          counts.add(count);
        }
        count = 0;
        empty = true;
      } else {
        empty = false;
        count += !quoted && c == candidate ? 1 : 0;
      }
    }
    if (counts.isEmpty() && !empty) {
      counts.add(count);
    }
    return counts;
  }
}
