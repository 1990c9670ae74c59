package org.sordino.table;

import java.util.ArrayList;
import java.util.List;

/**
 * Stores the rows of a scan as bytes. Each field starts with a code of variable length:
 *
 * <ul>
 *   <li>0: a number, as the eight bytes of a {@code double}
 *   <li>1: a whole number, with variable length
 *   <li>2: a value without a text, followed by the error message as a text
 *   <li>3 + 2n: a text of n characters with one byte each
 *   <li>4 + 2n: a text of n characters with two bytes each
 * </ul>
 */
final class RowStore implements RowSink {

  private static final int CHUNK = 1 << 20;
  private static final int NUMBER = 0;
  private static final int WHOLE = 1;
  private static final int COMPLAINT = 2;
  private static final int TEXT = 3;

  private final List<byte[]> chunks = new ArrayList<>();
  private byte[] chunk = new byte[1 << 10]; // small at first, because most tables are
  private int end;
  private long rows;
  private Place place = Place.inRows("");

  @Override
  public boolean columns(Place start) {
    place = start.copy();
    return true;
  }

  @Override
  public void field(int column, char[] buffer, int offset, int length) {
    writeText(buffer, offset, length);
  }

  @Override
  public void value(int column, FieldText field) {
    String complaint = field.complaint();
    if (complaint != null) {
      writeCode(COMPLAINT);
      writeText(complaint.toCharArray(), 0, complaint.length());
    } else if (field.isNumber()) {
      writeNumber(field.number());
    } else {
      writeText(field.buffer(), field.offset(), field.length());
    }
  }

  @Override
  public void endOfRow() {
    rows++;
  }

  /** Passes all rows to another sink. Can be called repeatedly. */
  void replay(RowSink sink) {
    Place start = place.copy();
    if (!sink.columns(start)) {
      return;
    }
    Reader reader = new Reader();
    FieldText field = new FieldText();
    int columns = start.columns().size();
    for (long row = 1; row <= rows; row++) {
      start.row(row);
      for (int column = 0; column < columns; column++) {
        reader.next(field);
        sink.value(column, field);
      }
      sink.endOfRow();
    }
  }

  private void writeNumber(double number) {
    long whole = (long) number;
    if (whole == number) { // never -0.0, because FieldText replaces it by 0.0
      writeCode(WHOLE);
      writeCode(whole << 1 ^ whole >> 63); // a small code also for small negative numbers
    } else {
      writeCode(NUMBER);
      long bits = Double.doubleToRawLongBits(number);
      for (int shift = 0; shift < Long.SIZE; shift += Byte.SIZE) {
        write((byte) (bits >>> shift));
      }
    }
  }

  private void writeText(char[] buffer, int offset, int length) {
    boolean wide = false;
    for (int i = offset; i < offset + length; i++) {
      wide |= buffer[i] > 0xff;
    }
    writeCode(TEXT + 2L * length + (wide ? 1 : 0));
    for (int i = offset; i < offset + length; i++) {
      write((byte) buffer[i]);
      if (wide) {
        write((byte) (buffer[i] >>> Byte.SIZE));
      }
    }
  }

  /** Writes seven bits per byte, lowest first; the highest bit is set in all but the last byte. */
  private void writeCode(long code) {
    long rest = code;
    while (rest >>> 7 != 0) {
      write((byte) (rest | 0x80));
      rest >>>= 7;
    }
    write((byte) rest);
  }

  private void write(byte value) {
    if (end == chunk.length) {
      chunks.add(chunk);
      chunk = new byte[CHUNK];
      end = 0;
    }
    chunk[end++] = value;
  }

  /** Reads the stored fields, starting with the first. */
  private final class Reader {

    private int number;
    private byte[] from = chunks.isEmpty() ? chunk : chunks.get(0);
    private int at;

    private void next(FieldText field) {
      long code = readCode();
      if (code == NUMBER) {
        field.setNumber(readDouble());
      } else if (code == WHOLE) {
        long whole = readCode();
        field.setNumber((double) (whole >>> 1 ^ -(whole & 1)));
      } else if (code == COMPLAINT) {
        readText(readCode(), field);
        field.setComplaint(new String(field.buffer(), 0, field.length()));
      } else {
        readText(code, field);
      }
    }

    private void readText(long code, FieldText field) {
      int length = (int) (code - TEXT >>> 1);
      boolean wide = (code - TEXT & 1) == 1;
      char[] text = field.setText(length);
      for (int i = 0; i < length; i++) {
        int low = read();
        text[i] = (char) (wide ? low | read() << Byte.SIZE : low);
      }
    }

    private double readDouble() {
      long bits = 0;
      for (int shift = 0; shift < Long.SIZE; shift += Byte.SIZE) {
        bits |= (long) read() << shift;
      }
      return Double.longBitsToDouble(bits);
    }

    private long readCode() {
      long code = 0;
      int shift = 0;
      int next;
      do {
        next = read();
        code |= (long) (next & 0x7f) << shift;
        shift += 7;
      } while (next >= 0x80);
      return code;
    }

    private int read() {
      if (at == from.length) {
        number++;
        from = number < chunks.size() ? chunks.get(number) : chunk;
        at = 0;
      }
      return from[at++] & 0xff;
    }
  }
}
