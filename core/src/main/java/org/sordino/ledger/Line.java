package org.sordino.ledger;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/**
 * A line of the file.
 *
 * @param bytes the whole line, with its line feed
 * @param chain position in the ledger after this line
 */
record Line(byte[] bytes, Chain chain) {

  /**
   * Returns a JSON object with its checksum, as a line.
   *
   * @throws IllegalArgumentException if a reader would reject the line
   */
  static Line of(Chain before, String json) {
    ByteBuffer content = encode(json.substring(0, json.length() - 1));
    int length = content.remaining();
    if (length + Chain.FIELD_LENGTH > LineReader.MAX_LINE) {
      throw new IllegalArgumentException(
          "a line must have at most " + LineReader.MAX_LINE + " bytes, got " + length);
    }
    byte[] bytes = new byte[length + Chain.FIELD_LENGTH + 1];
    content.get(bytes, 0, length);
    Chain chain = before.next(bytes, length);
    System.arraycopy(chain.field(), 0, bytes, length, Chain.FIELD_LENGTH);
    bytes[bytes.length - 1] = '\n';
    return new Line(bytes, chain);
  }

  /** Encodes a text. {@link String#getBytes()} would silently replace an unpaired surrogate. */
  private static ByteBuffer encode(String text) {
    try {
      return StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(text));
    } catch (CharacterCodingException e) {
      throw new IllegalArgumentException(
          "texts must be valid Unicode, got an unpaired surrogate", e);
    }
  }
}
