package org.sordino.table;

/** Encodes a field as the features of its column. */
interface FieldEncoder {

  /**
   * Writes the features into a row of zeros, starting at index {@code at}.
   *
   * @return whether the column accepts the text
   */
  boolean encode(char[] buffer, int offset, int length, float[] row, int at);

  /**
   * Writes the features of a value that may already be a number. Encoders that do not need the text
   * override this method. The features are bit for bit those of the text.
   */
  default boolean encode(FieldText field, float[] row, int at) {
    field.render();
    return encode(field.buffer(), field.offset(), field.length(), row, at);
  }
}
