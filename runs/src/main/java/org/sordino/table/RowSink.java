package org.sordino.table;

/** Receives the rows of a table, field by field, without an object for either. */
interface RowSink {

  /**
   * Called once, before any row.
   *
   * @return whether the rows are wanted
   */
  boolean columns(Place place);

  /** One field, without the spaces around it. The buffer is the parser's own. */
  void field(int column, char[] buffer, int offset, int length);

  /**
   * One field of a source of Java values.
   *
   * @throws TableException if the sink uses the column and the value has no text
   */
  void value(int column, FieldText field);

  /** Called after all fields of a row. */
  void endOfRow();
}
