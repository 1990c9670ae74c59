package org.sordino.torch;

import org.sordino.mechanism.Clipping;
import org.sordino.mechanism.Layout;

/**
 * Adds the sums of batches in whole units, so that their order does not matter. Each vector has a
 * lock of its own.
 */
final class ExactSums {

  private static final double LARGEST = 0x1p62;

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
    this.locks = new Object[layout.size()];
    for (int j = 0; j < locks.length; j++) {
      locks[j] = new Object();
    }
  }

  /** Adds {@code values + decay * theta} to a vector. */
  void add(int vector, double[] values, double decay) {
    double scale = 1 / clipping.unit(vector); // a power of two
    int offset = layout.offset(vector);
    synchronized (locks[vector]) {
      for (int k = 0; k < values.length; k++) {
        double units = Math.rint((values[k] + decay * theta[offset + k]) * scale);
        sums[offset + k] = Math.addExact(sums[offset + k], whole(units));
      }
    }
  }

  /** The same for float32, where decay is always zero. */
  void add(int vector, float[] values, double decay) {
    if (decay != 0) {
      throw new IllegalStateException("decay inside the clip needs sums in float64");
    }
    double scale = 1 / clipping.unit(vector);
    int offset = layout.offset(vector);
    synchronized (locks[vector]) {
      for (int k = 0; k < values.length; k++) {
        sums[offset + k] = Math.addExact(sums[offset + k], whole(Math.rint(values[k] * scale)));
      }
    }
  }

  private static long whole(double units) {
    if (!(Math.abs(units) < LARGEST)) {
      throw new ArithmeticException(
          "a sum must fit into 62 bits; there are more records than the population declared");
    }
    return (long) units;
  }
}
