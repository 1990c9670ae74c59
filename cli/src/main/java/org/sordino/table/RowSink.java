package org.sordino.table;

/** Takes the rows of a table, field by field, without an object for either. */
interface RowSink {

  /**
   * Called once, before any row.
   *
   * @return whether the rows are wanted
   */
  boolean columns(Place place);

  /** One field, without the spaces around it. The buffer is the parser's own. */
  void field(int column, char[] buffer, int offset, int length);

  /** Called after all fields of a row. */
  void endOfRow();
}
