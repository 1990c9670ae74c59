package org.sordino.table;

import java.util.List;

/** The position of a scan: its source and current row. Builds error messages with the position. */
final class Place {

  private final String source;
  private final Kind kind;
  private List<String> columns = List.of();
  private long row = 1;

  private Place(String source, Kind kind) {
    this.source = source;
    this.kind = kind;
  }

  /** Returns a position in a delimited text file. */
  static Place inFile(String source) {
    return new Place(source, Kind.FILE);
  }

  /** Returns a position in rows that Java code supplies. */
  static Place inRows(String source) {
    return new Place(source, Kind.ROWS);
  }

  /** Returns a position in the result of a query. */
  static Place inQuery(String source) {
    return new Place(source, Kind.QUERY);
  }

  /** Returns a position in a Parquet file. */
  static Place inParquet(String source) {
    return new Place(source, Kind.PARQUET);
  }

  /** Returns a position with the same source and columns, for another scan. */
  Place copy() {
    Place copy = new Place(source, kind);
    copy.columns = columns;
    return copy;
  }

  List<String> columns() {
    return columns;
  }

  void columns(List<String> names) {
    columns = List.copyOf(names);
  }

  /** Sets the number of the current row or, in a text file, of the line where the row starts. */
  void row(long number) {
    row = number;
  }

  /**
   * Returns the index of a column, or -1 if no column has this name. Databases differ in how they
   * fold the case of unquoted names. In the result of a query a name therefore also matches if it
   * differs from exactly one column in case only.
   */
  int index(String name) {
    int exact = columns.indexOf(name);
    if (exact >= 0 || kind != Kind.QUERY) {
      return exact;
    }
    int found = -1;
    for (int i = 0; i < columns.size(); i++) {
      if (columns.get(i).equalsIgnoreCase(name)) {
        if (found >= 0) {
          return -1;
        }
        found = i;
      }
    }
    return found;
  }

  /** Returns a word for the source of the columns: "file", "table" or "query result". */
  String container() {
    return kind.container;
  }

  /**
   * Describes a field that was rejected. Only messages about text files quote the field, because
   * the owner of the file reads them on a console. Messages about other sources may be written to
   * the log of a service.
   */
  String got(char[] buffer, int offset, int length) {
    if (kind == Kind.FILE) {
      return Excerpt.of(buffer, offset, length);
    }
    return length == 0 ? "a missing value" : "a different value (not shown)";
  }

  /** Returns an error about the whole table. */
  TableException inTable(String message) {
    return new TableException(source + ": " + message);
  }

  /** Returns an error about the current row. */
  TableException inRow(String message) {
    return new TableException(source + " " + kind.row + " " + row + ": " + message);
  }

  /** Returns an error about a field of the current row. */
  TableException inColumn(int column, String message) {
    return inRow("column " + Excerpt.of(columns.get(column)) + " " + message);
  }

  /** Returns an error about two columns with the same name. */
  TableException sameName(String name) {
    String message =
        "column names must be unique, got " + Excerpt.of(name) + " twice; " + kind.rename;
    return kind == Kind.FILE ? inRow(message) : inTable(message);
  }

  /** Returns an error about a table without rows. */
  TableException noRecords() {
    return inTable("the table must have at least one record, got " + kind.empty);
  }

  private enum Kind {
    FILE(
        "line",
        "file",
        "rename one, or use `withoutHeader` if the first line is a record",
        "only a header; use `withoutHeader` if the first line is a record"),
    PARQUET("row", "file", "rename one", "none; check that it is the right file"),
    ROWS("row", "table", "rename one", "none; add records"),
    QUERY("row", "query result", "rename one with AS", "none; check the query");

    private final String row;
    private final String container;
    private final String rename;
    private final String empty;

    Kind(String row, String container, String rename, String empty) {
      this.row = row;
      this.container = container;
      this.rename = rename;
      this.empty = empty;
    }
  }
}
