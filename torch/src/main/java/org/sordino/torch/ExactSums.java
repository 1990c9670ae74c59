package org.sordino.torch;

import java.util.Arrays;
import org.bytedeco.javacpp.DoublePointer;
import org.bytedeco.javacpp.FloatPointer;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch.ScalarType;
import org.sordino.mechanism.Clipping;
import org.sordino.mechanism.Layout;
import org.sordino.training.RecordMetrics;

/** Adds the sums of batches in whole units, so that their order does not matter. */
final class ExactSums {

  /** Two threads wait for each other only while they are at the same piece of the sums. */
  private static final int PIECE = 1 << 14;

  /** Kept per thread: new arrays for every sum would fill the heap with garbage. */
  private static final ThreadLocal<double[]> DOUBLES =
      ThreadLocal.withInitial(() -> new double[PIECE]);

  private static final ThreadLocal<float[]> FLOATS =
      ThreadLocal.withInitial(() -> new float[PIECE]);

  private final Layout layout;
  private final Clipping clipping;
  private final double[] theta;
  private final long[] sums;
  private final Object[] locks;

  ExactSums(Layout layout, Clipping clipping, double[] theta, long[] sums) {
    this.layout = layout;
    this.clipping = clipping;
    this.theta = theta;
    this.sums = sums;
    this.locks = new Object[sums.length / PIECE + 1];
    Arrays.setAll(locks, piece -> new Object());
  }

  /** Adds {@code values + decay * theta} to a vector. */
  void add(int vector, Tensor values, double decay) {
    int first = layout.offset(vector);
    int end = layout.offset(vector + 1);
    Tensor plain = values.contiguous();
    boolean exact = Tensors.is(plain, ScalarType.Double);
    FloatPointer floats = exact ? null : plain.data_ptr_float();
    DoublePointer doubles = exact ? plain.data_ptr_double() : null;
    double[] piece = DOUBLES.get();
    float[] narrow = FLOATS.get();
    for (int from = first; from < end; ) {
      int to = Math.min(end, (from / PIECE + 1) * PIECE); // pieces of the whole, not of the vector
      if (doubles != null) {
        doubles.position(from - first).get(piece, 0, to - from);
      } else if (floats != null) {
        floats.position(from - first).get(narrow, 0, to - from);
        for (int k = 0; k < to - from; k++) {
          piece[k] = narrow[k];
        }
      }
      for (int k = 0; decay != 0 && k < to - from; k++) {
        piece[k] += decay * theta[from + k];
      }
      add(piece, from, to, 1 / clipping.unit(vector)); // a power of two
      from = to;
    }
  }

  /** Adds values of a vector. */
  void add(int vector, double[] values) {
    int first = layout.offset(vector);
    int end = layout.offset(vector + 1);
    for (int from = first; from < end; ) {
      int to = Math.min(end, (from / PIECE + 1) * PIECE);
      double[] piece = Arrays.copyOfRange(values, from - first, to - first);
      add(piece, from, to, 1 / clipping.unit(vector));
      from = to;
    }
  }

  private void add(double[] values, int from, int to, double scale) {
    long lost = 0;
    synchronized (locks[from / PIECE]) {
      for (int k = from; k < to; k++) {
        long units = (long) (values[k - from] * scale);
        long before = sums[k];
        long after = before + units;
        sums[k] = after;
        lost |= lost(before, units, after);
      }
    }
    check(lost);
  }

  /** Adds the metrics of some records. */
  void add(RecordMetrics metrics, double[] weights) {
    if (!metrics.isEmpty()) {
      synchronized (this) {
        metrics.add(weights, sums);
      }
    }
  }

  /**
   * Negative where a sum overflows, or where a number of units is not below 2^62: conversion
   * saturates beyond 63 bits. Collected and checked once, because a branch per number costs more
   * than the sum.
   */
  private static long lost(long before, long units, long after) {
    return (before ^ after) & (units ^ after) | (units ^ units << 1);
  }

  private static void check(long lost) {
    if (lost < 0) {
      throw new ArithmeticException(
          "a sum must fit into 62 bits; there are more records than the population declared");
    }
  }
}
