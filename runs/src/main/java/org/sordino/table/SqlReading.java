package org.sordino.table;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * The words and symbols of a query in one dialect, without string literals, comments and quoted
 * identifiers.
 *
 * <p>Databases differ in where these begin and end: {@code 'it\'} is a complete literal in
 * PostgreSQL and the start of one in MySQL. {@link #all} therefore reads a query in every dialect,
 * so that a caller can check whether all readings, or any of them, contain a word.
 */
final class SqlReading {

  private final List<Token> tokens = new ArrayList<>();
  private final Set<Dialect> dialect;
  private final String sql;
  private int at;
  private int depth;

  private SqlReading(String sql, Set<Dialect> dialect) {
    this.sql = sql;
    this.dialect = dialect;
    while (at < sql.length()) {
      next();
    }
  }

  /**
   * A word in upper case, or a symbol.
   *
   * @param depth number of open parentheses around it
   */
  record Token(String text, int depth) {

    boolean is(String word) {
      return text.equals(word);
    }
  }

  /** The syntax rules in which databases differ. */
  private enum Dialect {
    /** A backslash escapes the next character of a literal. */
    BACKSLASH,
    /** {@code #} starts a comment. */
    HASH,
    /** {@code --} starts a comment only before a space. */
    DASH_AND_SPACE,
    /** Comments nest. */
    NESTED,
    /** The content of {@code /*!} is executed. */
    CONDITIONAL,
    /** {@code [x]} is a quoted identifier. */
    BRACKETS,
    /** {@code $tag$} starts and ends a literal. */
    DOLLAR
  }

  /** Reads a query in every combination of dialects, standard SQL first. */
  static List<SqlReading> all(String sql) {
    List<Set<Dialect>> dialects = new ArrayList<>(List.of(EnumSet.noneOf(Dialect.class)));
    for (Dialect point : Dialect.values()) {
      for (Set<Dialect> without : List.copyOf(dialects)) {
        Set<Dialect> with = EnumSet.of(point);
        with.addAll(without);
        dialects.add(with);
      }
    }
    return dialects.stream().map(dialect -> new SqlReading(sql, dialect)).toList();
  }

  List<Token> tokens() {
    return tokens;
  }

  private void next() {
    char c = sql.charAt(at);
    if (isComment(c)) {
      skipLine();
    } else if (sql.startsWith("/*!", at) && dialect.contains(Dialect.CONDITIONAL)) {
      at += 3;
    } else if (sql.startsWith("/*", at)) {
      skipComment();
    } else if (c == '\'' || c == '"' || c == '`') {
      skipQuoted(c);
    } else if (c == '[' && dialect.contains(Dialect.BRACKETS)) {
      skipQuoted(']');
    } else if (c == '$' && dialect.contains(Dialect.DOLLAR) && skipDollar()) {
      return;
    } else if (Character.isLetter(c) || c == '_') {
      word();
    } else {
      symbol(c);
    }
  }

  private boolean isComment(char c) {
    if (c == '#') {
      return dialect.contains(Dialect.HASH);
    }
    boolean dashes = sql.startsWith("--", at);
    boolean spaced = at + 2 >= sql.length() || Character.isWhitespace(sql.charAt(at + 2));
    return dashes && (spaced || !dialect.contains(Dialect.DASH_AND_SPACE));
  }

  private void skipLine() {
    while (at < sql.length() && sql.charAt(at) != '\n' && sql.charAt(at) != '\r') {
      at++;
    }
  }

  private void skipComment() {
    int open = 0;
    do {
      if (sql.startsWith("/*", at) && (open == 0 || dialect.contains(Dialect.NESTED))) {
        open++;
        at += 2;
      } else if (sql.startsWith("*/", at)) {
        open--;
        at += 2;
      } else {
        at++;
      }
    } while (open > 0 && at < sql.length());
  }

  /** Doubled quotes need no special case: they end one literal and start the next. */
  private void skipQuoted(char end) {
    at++;
    while (at < sql.length() && sql.charAt(at) != end) {
      boolean escape = sql.charAt(at) == '\\' && dialect.contains(Dialect.BACKSLASH);
      at += escape ? 2 : 1;
    }
    at++;
    tokens.add(new Token("'", depth)); // separates the words before and after the literal
  }

  private boolean skipDollar() {
    int end = at + 1;
    while (end < sql.length() && isWordPart(sql.charAt(end)) && sql.charAt(end) != '$') {
      end++;
    }
    if (end >= sql.length() || sql.charAt(end) != '$') {
      return false;
    }
    String tag = sql.substring(at, end + 1);
    int close = sql.indexOf(tag, end + 1);
    at = close < 0 ? sql.length() : close + tag.length();
    tokens.add(new Token("'", depth));
    return true;
  }

  private void word() {
    int start = at;
    while (at < sql.length() && isWordPart(sql.charAt(at))) {
      at++;
    }
    tokens.add(new Token(sql.substring(start, at).toUpperCase(Locale.ROOT), depth));
  }

  private boolean isWordPart(char c) {
    return Character.isLetterOrDigit(c)
        || c == '_'
        || (c == '$' && !dialect.contains(Dialect.DOLLAR));
  }

  private void symbol(char c) {
    at++;
    depth -= c == ')' ? 1 : 0;
    if (!Character.isWhitespace(c)) {
      tokens.add(new Token(String.valueOf(c), depth));
    }
    depth += c == '(' ? 1 : 0;
  }
}
