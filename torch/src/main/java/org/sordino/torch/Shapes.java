package org.sordino.torch;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/** Utilities for the shape of one record. */
final class Shapes {

  private Shapes() {}

  static String text(int[] shape) {
    return Arrays.stream(shape).mapToObj(Integer::toString).collect(Collectors.joining("x"));
  }

  static List<Integer> list(int[] shape) {
    return Arrays.stream(shape).boxed().toList();
  }

  static int size(int[] shape) {
    long size = 1;
    for (int dim : shape) {
      size = Math.multiplyExact(size, (long) dim);
    }
    return Math.toIntExact(size);
  }

  static int last(int[] shape) {
    return shape[shape.length - 1];
  }

  /** Returns the shape of a batch. */
  static long[] batch(long records, int... shape) {
    long[] dims = new long[shape.length + 1];
    dims[0] = records;
    for (int i = 0; i < shape.length; i++) {
      dims[i + 1] = shape[i];
    }
    return dims;
  }

  static long[] longs(int... values) {
    return Arrays.stream(values).asLongStream().toArray();
  }

  /** Returns the number of positions of a kernel along an axis; 0 if the kernel does not fit. */
  static int windows(int size, int kernel, int stride, int padding, int dilation) {
    long reach = (long) dilation * (kernel - 1) + 1;
    long room = size + 2L * padding - reach;
    return room < 0 ? 0 : (int) (room / stride + 1);
  }
}
