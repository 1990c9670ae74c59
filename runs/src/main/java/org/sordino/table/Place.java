package org.sordino.table;

import java.util.List;

/** The position of a scan: which source, which row. Error messages are built from it. */
final class Place {

  private final String source;
  private final Kind kind;
  private List<String> columns = List.of();
  private long row = 1;

  private Place(String source, Kind kind) {
    this.source = source;
    this.kind = kind;
  }

  /** A place in a file of delimited text. */
  static Place inFile(String source) {
    return new Place(source, Kind.FILE);
  }

  /** A place in rows that Java code supplies. */
  static Place inRows(String source) {
    return new Place(source, Kind.ROWS);
  }

  /** A place in the result of a query. */
  static Place inQuery(String source) {
    return new Place(source, Kind.QUERY);
  }

  /** A place in a Parquet file. */
  static Place inParquet(String source) {
    return new Place(source, Kind.PARQUET);
  }

  /** The same source and columns, for another scan. */
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

  /** Sets the number of the current row; in a file, of the line on which the row starts. */
  void row(long number) {
    row = number;
  }

  /**
   * Returns the index of a column, or -1 if there is none of this name. Databases fold the case of
   * unquoted names, each in its own way, so in the result of a query a name also matches if it
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

  /** What holds the columns: "file", "table" or "query". */
  String container() {
    return kind.container;
  }

  /**
   * Describes a field that was refused. Only messages about files quote it: their owner reads them
   * on a console. Messages about other sources may end in the log of a service.
   */
  String got(char[] buffer, int offset, int length) {
    if (kind == Kind.FILE) {
      return Excerpt.of(buffer, offset, length);
    }
    return length == 0 ? "a missing value" : "another value";
  }

  /** An error about the table as a whole. */
  TableException inTable(String message) {
    return new TableException(source + ": " + message);
  }

  /** An error about the current row. */
  TableException inRow(String message) {
    return new TableException(source + " " + kind.row + " " + row + ": " + message);
  }

  /** An error about a field of the current row. */
  TableException inColumn(int column, String message) {
    return inRow("column " + Excerpt.of(columns.get(column)) + " " + message);
  }

  /** An error about two columns of the same name. */
  TableException sameName(String name) {
    String message = "column names must differ, got " + Excerpt.of(name) + " twice; " + kind.rename;
    return kind == Kind.FILE ? inRow(message) : inTable(message);
  }

  /** An error about a table without rows. */
  TableException noRecords() {
    return inTable("a table must have records, got " + kind.empty);
  }

  private enum Kind {
    FILE(
        "line",
        "file",
        "rename one, or use `withoutHeader` if the first line is a record",
        "a header only; if it is a record, use `withoutHeader`"),
    PARQUET("row", "file", "rename one", "none; check the file"),
    ROWS("row", "table", "rename one", "none; add records"),
    QUERY("row", "query", "rename one with AS", "none; check the query");

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
