package org.sordino.table;

import java.util.ArrayList;
import java.util.List;

/**
 * A growing list of rows of floats. The rows are copied only once, to a single array at the end.
 */
final class FloatList {

  private static final int CHUNK = 1 << 20;

  private final int width;
  private final int rowsPerChunk;
  private final List<float[]> full = new ArrayList<>();
  private float[] chunk = new float[0];
  private int at;

  FloatList(int width) {
    this.width = width;
    this.rowsPerChunk = Math.max(1, CHUNK / width);
  }

  /** Returns the array with the new row, which starts at {@link #at} and contains zeros. */
  float[] chunk() {
    if (at == chunk.length) {
      if (chunk.length > 0) {
        full.add(chunk);
      }
      // The first chunk is small, because most tables are.
      int rows = full.isEmpty() && chunk.length == 0 ? Math.min(64, rowsPerChunk) : rowsPerChunk;
      chunk = new float[rows * width];
      at = 0;
    }
    return chunk;
  }

  int at() {
    return at;
  }

  void endOfRow() {
    at += width;
  }

  long size() {
    long size = at;
    for (float[] each : full) {
      size += each.length;
    }
    return size;
  }

  float[] toArray() {
    float[] all = new float[Math.toIntExact(size())];
    int end = 0;
    for (float[] each : full) {
      System.arraycopy(each, 0, all, end, each.length);
      end += each.length;
    }
    System.arraycopy(chunk, 0, all, end, at);
    return all;
  }
}
