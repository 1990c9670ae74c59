package org.sordino.ledger;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import org.jspecify.annotations.Nullable;

/** Splits a file at its line feeds, without reading a huge line into memory. */
final class LineReader {

  /** Largest length of a line, for readers and writers; far longer than any line of a ledger. */
  static final int MAX_LINE = 1 << 20;

  private final InputStream in;
  private final byte[] buffer = new byte[1 << 13];
  private int position;
  private int limit;
  private boolean complete;

  LineReader(InputStream in) {
    this.in = in;
  }

  /**
   * Returns the next line without its line feed, or null at the end of the file.
   *
   * @throws IllegalArgumentException if the line is too long
   */
  byte @Nullable [] next() throws IOException {
    ByteArrayOutputStream line = new ByteArrayOutputStream(256);
    complete = false;
    while (!complete && fill()) {
      int start = position;
      while (position < limit && buffer[position] != '\n') {
        position++;
      }
      line.write(buffer, start, position - start);
      if (line.size() > MAX_LINE) {
        throw new IllegalArgumentException("a line must have at most " + MAX_LINE + " bytes");
      }
      if (position < limit) {
        position++;
        complete = true;
      }
    }
    return complete || line.size() > 0 ? line.toByteArray() : null;
  }

  /** Returns whether the last line ended with a line feed rather than at the end of the file. */
  boolean isComplete() {
    return complete;
  }

  private boolean fill() throws IOException {
    if (position < limit) {
      return true;
    }
    position = 0;
    limit = Math.max(0, in.read(buffer));
    return limit > 0;
  }
}
