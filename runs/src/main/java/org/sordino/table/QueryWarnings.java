package org.sordino.table;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.sordino.table.SqlReading.Token;

/**
 * Constructs in a query that can weaken the privacy guarantee, which protects one row of the
 * result.
 *
 * <p>With a join, an aggregate, a window function or a limit, one person's data can change many
 * rows of the result. The guarantee for that person is then weaker than for one row. Without a
 * top-level ORDER BY, the database may return the rows in a different order the next time.
 *
 * <p>The search is by keyword and errs toward a warning. A query is parsed in the dialects of all
 * common databases, and a construct is reported if it occurs in any of them. Definitions of views
 * and functions of the database are not searched.
 *
 * @param constructs the constructs found, such as {@code JOIN}, {@code GROUP BY} or {@code COUNT},
 *     in the order of the query; may be empty
 * @param ordered whether the query has an ORDER BY at its top level
 */
public record QueryWarnings(List<String> constructs, boolean ordered) {

  private static final Set<String> KEYWORDS =
      Set.of(
          "JOIN",
          "OVER",
          "LIMIT",
          "OFFSET",
          "FETCH",
          "UNION",
          "INTERSECT",
          "EXCEPT",
          "MINUS",
          "HAVING",
          "LATERAL",
          "APPLY",
          "EXISTS",
          "TABLESAMPLE",
          "PIVOT",
          "UNPIVOT",
          "QUALIFY",
          "ROLLUP",
          "CUBE",
          "ROWNUM",
          "RECURSIVE");

  /** Functions that combine rows, or produce several rows from one. */
  private static final Set<String> FUNCTIONS =
      Set.of(
          "MIN",
          "MAX",
          "MIN_BY",
          "MAX_BY",
          "ARG_MIN",
          "ARG_MAX",
          "ARGMIN",
          "ARGMAX",
          "MEDIAN",
          "MODE",
          "CORR",
          "EVERY",
          "SOME",
          "BOOL_AND",
          "BOOL_OR",
          "LOGICAL_AND",
          "LOGICAL_OR",
          "BIT_AND",
          "BIT_OR",
          "BIT_XOR",
          "ANY_VALUE",
          "FIRST",
          "LAST",
          "LIST",
          "HISTOGRAM",
          "GROUP_CONCAT",
          "GROUPING",
          "PRODUCT",
          "ENTROPY",
          "KURTOSIS",
          "SKEWNESS",
          "COLLECT",
          "UNNEST",
          "EXPLODE",
          "FLATTEN",
          "JSON_TABLE",
          "XMLTABLE",
          "OPENJSON",
          "STRING_SPLIT",
          "STRING_TO_TABLE",
          "REGEXP_SPLIT_TO_TABLE",
          "GENERATE_SERIES",
          "SAMPLE");

  private static final List<String> FUNCTION_STARTS =
      List.of(
          "COUNT",
          "SUM",
          "AVG",
          "STD",
          "VAR_",
          "VARIANCE",
          "COVAR",
          "REGR_",
          "PERCENTILE",
          "QUANTILE",
          "APPROX");

  private static final Set<String> AFTER_FROM =
      Set.of(
          "WHERE",
          "GROUP",
          "ORDER",
          "HAVING",
          "LIMIT",
          "FETCH",
          "OFFSET",
          "WINDOW",
          "QUALIFY",
          "UNION",
          "INTERSECT",
          "EXCEPT",
          "MINUS",
          "SELECT",
          "FOR",
          ";");

  private static final Token NONE = new Token("", 0);

  public QueryWarnings {
    constructs = List.copyOf(constructs);
  }

  /** Returns the warnings for a query. */
  public static QueryWarnings of(String sql) {
    Set<String> constructs = new LinkedHashSet<>();
    boolean ordered = true;
    for (SqlReading reading : SqlReading.all(sql)) {
      List<Token> tokens = reading.tokens();
      boolean orderedHere = false;
      for (int i = 0; i < tokens.size(); i++) {
        constructs.addAll(at(tokens, i));
        orderedHere |= isOrder(tokens, i);
      }
      ordered &= orderedHere;
    }
    return new QueryWarnings(new ArrayList<>(constructs), ordered);
  }

  private static boolean isOrder(List<Token> tokens, int i) {
    Token token = tokens.get(i);
    return token.depth() == 0 && token.is("ORDER") && token(tokens, i + 1).is("BY");
  }

  /** Returns the constructs that start at a token. */
  private static List<String> at(List<Token> tokens, int i) {
    Token token = tokens.get(i);
    Token before = token(tokens, i - 1);
    Token after = token(tokens, i + 1);
    String word = token.text();
    if (before.is(".")) { // a column of a table, as in t.limit
      return List.of();
    }
    if (KEYWORDS.contains(word)) {
      return List.of(word);
    }
    if (word.equals("GROUP") || word.equals("CONNECT")) {
      return after.is("BY") ? List.of(word + " BY") : List.of();
    }
    if (word.equals("DISTINCT")) { // but not IS DISTINCT FROM, which compares two values
      return after.is("FROM") ? List.of() : List.of(word);
    }
    if (word.equals("TOP") && (before.is("SELECT") || before.is("DISTINCT") || before.is("ALL"))) {
      return List.of(word);
    }
    if (word.equals("SELECT") && token.depth() > 0 && i > token.depth()) {
      return List.of("subquery");
    }
    if (word.equals("SAMPLE") && before.is("USING")) {
      return List.of(word);
    }
    if (word.equals("FROM") && !before.is("DISTINCT")) {
      return hasSeveralTables(tokens, i) ? List.of("JOIN") : List.of();
    }
    return after.is("(") && isFunction(word) ? List.of(word) : List.of();
  }

  private static boolean isFunction(String word) {
    return FUNCTIONS.contains(word)
        || word.endsWith("AGG")
        || word.equals("VAR")
        || word.equals("VARP")
        || FUNCTION_STARTS.stream().anyMatch(word::startsWith);
  }

  /** Returns whether a comma separates tables, which is a join. */
  private static boolean hasSeveralTables(List<Token> tokens, int from) {
    int depth = tokens.get(from).depth();
    for (int i = from + 1; i < tokens.size(); i++) {
      Token token = tokens.get(i);
      boolean ended = token.depth() == depth && AFTER_FROM.contains(token.text());
      if (token.depth() < depth || ended) {
        return false;
      }
      if (token.depth() == depth && token.is(",")) {
        return true;
      }
    }
    return false;
  }

  private static Token token(List<Token> tokens, int i) {
    return i >= 0 && i < tokens.size() ? tokens.get(i) : NONE;
  }
}
