package org.sordino.table;

/** Receives the rows of a table field by field, without an object per row or field. */
interface RowSink {

  /**
   * Called once, before any row.
   *
   * @return whether to scan the rows
   */
  boolean columns(Place place);

  /** Receives a field without leading and trailing spaces. The parser reuses the buffer. */
  void field(int column, char[] buffer, int offset, int length);

  /**
   * Receives a field of a source of Java values.
   *
   * @throws TableException if the sink uses the column and the value has no text
   */
  void value(int column, FieldText field);

  /** Called after all fields of a row. */
  void endOfRow();
}
