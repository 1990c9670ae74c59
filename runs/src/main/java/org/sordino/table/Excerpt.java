package org.sordino.table;

import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Formats text from a file for an error message: shortened, on one line and with control characters
 * escaped.
 */
final class Excerpt {

  private static final int LONGEST = 40;
  private static final int MOST_NAMES = 12;

  private Excerpt() {}

  /** Returns the text in quotes, with at most 40 characters and control characters escaped. */
  static String of(CharSequence text) {
    return '"' + plain(text) + '"';
  }

  /** Returns part of a buffer in the form of {@link #of(CharSequence)}. */
  static String of(char[] buffer, int offset, int length) {
    return of(new String(buffer, offset, Math.min(length, LONGEST + 1)));
  }

  /** Returns the first 12 names in quotes, and the number of the others. */
  static String list(Collection<String> names) {
    String shown = names.stream().limit(MOST_NAMES).map(Excerpt::of).collect(joining());
    int rest = names.size() - MOST_NAMES;
    return rest <= 0 ? shown : shown + " and " + rest + " more";
  }

  /** Returns the first text that occurs more than once, in quotes. */
  static String repeated(List<String> texts) {
    return of(
        texts.stream()
            .filter(text -> Collections.frequency(texts, text) > 1)
            .findFirst()
            .orElse(""));
  }

  /** Returns a suggestion of the most similar name, or {@code otherwise} if none is similar. */
  static String didYouMean(String wrong, List<String> names, String otherwise) {
    Optional<String> nearest =
        names.stream()
            .filter(name -> distance(wrong, name) <= Math.max(1, wrong.length() / 3))
            .min(Comparator.comparingInt(name -> distance(wrong, name)));
    return nearest.map(name -> "did you mean " + of(name) + "?").orElse(otherwise);
  }

  private static java.util.stream.Collector<CharSequence, ?, String> joining() {
    return Collectors.joining(", ");
  }

  private static String plain(CharSequence text) {
    StringBuilder out = new StringBuilder();
    for (int i = 0; i < text.length(); i++) {
      String next = escape(text.charAt(i));
      if (out.length() + next.length() > LONGEST - (i + 1 < text.length() ? 3 : 0)) {
        return out + "...";
      }
      out.append(next);
    }
    return out.toString();
  }

  private static String escape(char c) {
    boolean harmless =
        c >= ' ' && c != 0x7f && Character.isDefined(c) && !Character.isISOControl(c);
    int type = Character.getType(c);
    boolean invisible =
        type == Character.FORMAT
            || type == Character.SURROGATE
            || type == Character.LINE_SEPARATOR
            || type == Character.PARAGRAPH_SEPARATOR;
    return harmless && !invisible ? String.valueOf(c) : String.format("\\u%04x", (int) c);
  }

  /** Returns the Levenshtein distance, ignoring case, of at most the first 40 characters. */
  private static int distance(String a, String b) {
    String s = a.substring(0, Math.min(a.length(), LONGEST)).toLowerCase(Locale.ROOT);
    String t = b.substring(0, Math.min(b.length(), LONGEST)).toLowerCase(Locale.ROOT);
    int[] row = new int[t.length() + 1];
    for (int j = 0; j < row.length; j++) {
      row[j] = j;
    }
    for (int i = 1; i <= s.length(); i++) {
      int diagonal = row[0];
      row[0] = i;
      for (int j = 1; j < row.length; j++) {
        int replaced = diagonal + (s.charAt(i - 1) == t.charAt(j - 1) ? 0 : 1);
        diagonal = row[j];
        row[j] = Math.min(replaced, 1 + Math.min(row[j], row[j - 1]));
      }
    }
    return row[t.length()];
  }
}
