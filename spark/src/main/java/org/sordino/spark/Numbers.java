package org.sordino.spark;

import java.nio.ByteBuffer;

/**
 * Arrays as bytes: on their way through Spark, arrays of numbers take several times as long, and
 * nothing but the same bits will do.
 */
final class Numbers {

  private Numbers() {}

  static byte[] bytes(double[] numbers) {
    ByteBuffer buffer = ByteBuffer.allocate(Math.multiplyExact(Double.BYTES, numbers.length));
    buffer.asDoubleBuffer().put(numbers);
    return buffer.array();
  }

  static double[] doubles(byte[] bytes) {
    double[] numbers = new double[bytes.length / Double.BYTES];
    ByteBuffer.wrap(bytes).asDoubleBuffer().get(numbers);
    return numbers;
  }

  static byte[] bytes(long[] numbers) {
    ByteBuffer buffer = ByteBuffer.allocate(Math.multiplyExact(Long.BYTES, numbers.length));
    buffer.asLongBuffer().put(numbers);
    return buffer.array();
  }

  static long[] longs(byte[] bytes) {
    long[] numbers = new long[bytes.length / Long.BYTES];
    ByteBuffer.wrap(bytes).asLongBuffer().get(numbers);
    return numbers;
  }
}
