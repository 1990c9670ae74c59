package org.sordino.table;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.Reader;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CoderResult;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.zip.ZipException;

/**
 * Reads text that must be UTF-8. An invalid byte or a NUL is rejected with its line number. (A
 * lenient decoder would silently turn a name in a different encoding into a new category.)
 */
final class TextReader extends Reader {

  private static final int BUFFER = 1 << 16;
  private static final int PAIR = 2;
  private static final char BYTE_ORDER_MARK = '\uFEFF';

  private final String name;
  private final InputStream in;
  private final CharsetDecoder decoder =
      StandardCharsets.UTF_8
          .newDecoder()
          .onMalformedInput(CodingErrorAction.REPORT)
          .onUnmappableCharacter(CodingErrorAction.REPORT);
  private final ByteBuffer bytes = ByteBuffer.allocate(BUFFER).flip();
  private CharBuffer ahead = CharBuffer.allocate(0);
  private boolean ended;
  private boolean begun;
  private long line = 1;
  private boolean afterReturn;

  TextReader(String name, InputStream in) {
    this.name = name;
    this.in = in;
  }

  /** Returns the beginning of the text without consuming it. */
  String beginning(int length) throws IOException {
    char[] buffer = new char[length];
    int count = 0;
    for (int n = 0; n >= 0 && count < length - 1; count += Math.max(0, n)) {
      n = decode(buffer, count, length - count);
    }
    ahead = CharBuffer.wrap(buffer, 0, count);
    return ahead.toString();
  }

  @Override
  public int read(char[] target, int offset, int length) throws IOException {
    if (length == 1 && !ahead.hasRemaining()) {
      beginning(PAIR); // a surrogate pair needs room for two
    }
    if (ahead.hasRemaining()) {
      int count = Math.min(length, ahead.remaining());
      ahead.get(target, offset, count);
      return count;
    }
    return length < PAIR ? length - 1 : decode(target, offset, length);
  }

  /** Decodes at least one character, or returns -1 at the end. */
  private int decode(char[] target, int offset, int length) throws IOException {
    int count = 0;
    while (count == 0) {
      CharBuffer out = CharBuffer.wrap(target, offset, length);
      CoderResult result = decoder.decode(bytes, out, ended);
      count = length - out.remaining();
      check(target, offset, count);
      if (result.isError()) {
        throw notUtf8();
      }
      if (count == 0 && ended) {
        return -1;
      }
      if (count == 0) {
        fill();
      }
      count = skipMark(target, offset, count);
    }
    return count;
  }

  private void fill() throws IOException {
    bytes.compact();
    try {
      int count = in.read(bytes.array(), bytes.position(), bytes.remaining());
      ended = count < 0;
      bytes.position(bytes.position() + Math.max(0, count));
    } catch (EOFException e) {
      throw new TableException(
          at() + "compressed data must be complete, got a truncated file; copy the file again", e);
    } catch (ZipException e) {
      throw new TableException(
          at() + "compressed data must be intact, got damaged data; copy the file again", e);
    }
    bytes.flip();
  }

  private int skipMark(char[] target, int offset, int count) {
    if (begun || count == 0) {
      return count;
    }
    begun = true;
    if (target[offset] != BYTE_ORDER_MARK) {
      return count;
    }
    System.arraycopy(target, offset + 1, target, offset, count - 1);
    return count - 1;
  }

  /** Counts lines in the same way as the parser: CR, LF and CRLF each end a line. */
  private void check(char[] text, int offset, int count) {
    for (int i = offset; i < offset + count; i++) {
      char c = text[i];
      if (c <= '\r') {
        control(c);
      } else {
        afterReturn = false;
      }
    }
  }

  private void control(char c) {
    if (c == 0) {
      throw new TableException(
          at() + "text must not contain a NUL character, got one; save the file as UTF-8 text");
    }
    line += c == '\r' || (c == '\n' && !afterReturn) ? 1 : 0;
    afterReturn = c == '\r';
  }

  private TableException notUtf8() {
    String got = String.format("byte 0x%02X", bytes.get(bytes.position()));
    return new TableException(at() + "text must be UTF-8, got " + got + "; save the file as UTF-8");
  }

  private String at() {
    return name + " line " + line + ": ";
  }

  @Override
  public void close() throws IOException {
    in.close();
  }
}
