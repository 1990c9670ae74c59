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
  static final ByteOrder ORDER = ByteOrder.LITTLE_ENDIAN;

  private Numbers() {}

  /** The numbers where they lie. */
  static LongBuffer view(ByteBuffer bytes) {
    return bytes.order(ORDER).asLongBuffer();
  }

  private static LongBuffer view(byte[] bytes) {
    return view(ByteBuffer.wrap(bytes));
  }

  static byte[] bytes(double[] numbers) {
    byte[] bytes = new byte[Math.multiplyExact(Double.BYTES, numbers.length)];
    ByteBuffer.wrap(bytes).order(ORDER).asDoubleBuffer().put(numbers);
    return bytes;
  }

  static double[] doubles(byte[] bytes) {
    double[] numbers = new double[bytes.length / Double.BYTES];
    ByteBuffer.wrap(bytes).order(ORDER).asDoubleBuffer().get(numbers);
    return numbers;
  }

  static byte[] bytes(long[] numbers) {
    byte[] bytes = new byte[Math.multiplyExact(Long.BYTES, numbers.length)];
    view(bytes).put(numbers);
    return bytes;
  }

  static long[] longs(byte[] bytes) {
    long[] numbers = new long[bytes.length / Long.BYTES];
    view(bytes).get(numbers);
    return numbers;
  }
}
