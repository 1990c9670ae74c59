package org.sordino.spark;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.LongBuffer;

/**
 * Arrays as bytes: on their way through Spark, arrays of numbers take several times as long, and
 * nothing but the same bits will do.
 */
final class Numbers {

  /** That of the processors in use, so that nothing is turned around. */
  private static final ByteOrder ORDER = ByteOrder.LITTLE_ENDIAN;

  private Numbers() {}

  private static ByteBuffer room(int size, int count) {
    return ByteBuffer.allocate(Math.multiplyExact(size, count)).order(ORDER);
  }

  /** The numbers where they lie. */
  static LongBuffer view(byte[] bytes) {
    return ByteBuffer.wrap(bytes).order(ORDER).asLongBuffer();
  }

  static byte[] bytes(double[] numbers) {
    ByteBuffer buffer = room(Double.BYTES, numbers.length);
    buffer.asDoubleBuffer().put(numbers);
    return buffer.array();
  }

  static double[] doubles(byte[] bytes) {
    double[] numbers = new double[bytes.length / Double.BYTES];
    ByteBuffer.wrap(bytes).order(ORDER).asDoubleBuffer().get(numbers);
    return numbers;
  }

  static byte[] bytes(long[] numbers) {
    ByteBuffer buffer = room(Long.BYTES, numbers.length);
    buffer.asLongBuffer().put(numbers);
    return buffer.array();
  }

  static long[] longs(byte[] bytes) {
    long[] numbers = new long[bytes.length / Long.BYTES];
    view(bytes).get(numbers);
    return numbers;
  }
}
