package org.sordino.table;

/** Turns one field into the features of its column. */
interface FieldEncoder {

  /**
   * Writes the features from {@code at} on, into a row that holds zeros.
   *
   * @return whether the column may hold such a text
   */
  boolean encode(char[] buffer, int offset, int length, float[] row, int at);

  /**
   * Writes the features of a value that may be a number already. Encoders that need no text
   * override it; the features are the same bits either way.
   */
  default boolean encode(FieldText field, float[] row, int at) {
    field.render();
    return encode(field.buffer(), field.offset(), field.length(), row, at);
  }
}
