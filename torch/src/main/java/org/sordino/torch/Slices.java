package org.sordino.torch;

import java.util.stream.IntStream;

/** Long arrays in slices, on several threads where that pays. */
final class Slices {

  private static final int SLICE = 1 << 16;

  private Slices() {}

  /** What to do with the numbers from {@code from} to before {@code to}. */
  interface Body {
    void run(int from, int to);
  }

  static void forEach(int length, Body body) {
    IntStream slices = IntStream.range(0, (int) ((length + SLICE - 1L) / SLICE));
    (length > 2 * SLICE ? slices.parallel() : slices)
        .forEach(slice -> body.run(slice * SLICE, (int) Math.min(length, (slice + 1L) * SLICE)));
  }
}
