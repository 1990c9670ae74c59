package org.sordino.torch;

import org.sordino.mechanism.Clipping;
import org.sordino.mechanism.Layout;

/**
 * Adds the sums of batches in whole units, so that their order does not matter. Each vector has a
 * lock of its own.
 */
final class ExactSums {

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
    int offset = layout.offset(vector);
    for (int k = 0; decay != 0 && k < values.length; k++) {
      values[k] += decay * theta[offset + k];
    }
    double scale = 1 / clipping.unit(vector); // a power of two
    long lost = 0;
    synchronized (locks[vector]) {
      for (int k = 0; k < values.length; k++) {
        long units = (long) (values[k] * scale);
        long before = sums[offset + k];
        long after = before + units;
        sums[offset + k] = after;
        lost |= lost(before, units, after);
      }
    }
    check(lost);
  }

  /** The same for float32, where nothing decays. */
  void add(int vector, float[] values) {
    double scale = 1 / clipping.unit(vector);
    int offset = layout.offset(vector);
    long lost = 0;
    synchronized (locks[vector]) {
      for (int k = 0; k < values.length; k++) {
        long units = (long) (values[k] * scale);
        long before = sums[offset + k];
        long after = before + units;
        sums[offset + k] = after;
        lost |= lost(before, units, after);
      }
    }
    check(lost);
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
