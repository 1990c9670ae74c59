package org.sordino.torch;

import java.util.List;
import java.util.stream.IntStream;

/**
 * The numbers of rows that tapes may have, the smallest first. A tape has the smallest number that
 * holds its records, and is filled up with zeros. {@link TapeCheck} has shown that all sizes
 * compute the same numbers for a record.
 */
record TapeSizes(List<Integer> sizes) {

  /** A multiple of the tiles of all kernels. */
  private static final int STEP = 16;

  TapeSizes {
    sizes = List.copyOf(sizes);
  }

  /** Returns the multiples of 16 up to the given one. */
  static TapeSizes upTo(int largest) {
    return new TapeSizes(IntStream.rangeClosed(1, largest / STEP).mapToObj(i -> i * STEP).toList());
  }

  /** Returns the same sizes without all but the largest. */
  TapeSizes onlyLargest() {
    return new TapeSizes(List.of(largest()));
  }

  /** Returns tapes of one record. */
  static TapeSizes one() {
    return new TapeSizes(List.of(1));
  }

  int largest() {
    return sizes.get(sizes.size() - 1);
  }

  int smallest() {
    return sizes.get(0);
  }

  /** Returns the size of the next tape for so many records. */
  int next(int records) {
    return sizes.stream().filter(size -> size >= records).findFirst().orElse(largest());
  }
}
