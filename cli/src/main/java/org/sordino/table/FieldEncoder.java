package org.sordino.table;

/** Turns one field into the features of its column. */
interface FieldEncoder {

  /**
   * Writes the features from {@code at} on, into a row that holds zeros.
   *
   * @return whether the column may hold such a text
   */
  boolean encode(char[] buffer, int offset, int length, float[] row, int at);
}
