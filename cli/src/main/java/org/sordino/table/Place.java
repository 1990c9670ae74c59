package org.sordino.table;

import java.util.List;

/** Where in which file the parser is. */
final class Place {

  private final String source;
  private List<String> columns = List.of();
  private long line = 1;

  Place(String source) {
    this.source = source;
  }

  String source() {
    return source;
  }

  List<String> columns() {
    return columns;
  }

  void columns(List<String> names) {
    columns = List.copyOf(names);
  }

  void line(long number) {
    line = number;
  }

  /** An error about the file as a whole. */
  TableException inFile(String message) {
    return new TableException(source + ": " + message);
  }

  /** An error about the current line. */
  TableException inLine(String message) {
    return new TableException(source + " line " + line + ": " + message);
  }

  /** An error about a field of the current line. */
  TableException inColumn(int column, String message) {
    return inLine("column " + Excerpt.of(columns.get(column)) + " " + message);
  }
}
