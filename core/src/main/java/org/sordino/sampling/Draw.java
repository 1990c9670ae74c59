package org.sordino.sampling;

import org.sordino.random.RandomStream;

/** Draws the records of a block in ascending order. */
interface Draw {

  /** Above this rate, a random number per record is cheaper than a gap per included record. */
  double LARGEST_GAP_RATE = 0.125;

  /**
   * Returns the first included record at or after {@code position}; {@code limit} or more if no
   * record before {@code limit} is included.
   */
  int next(RandomStream stream, int position, int limit);

  /** Returns the method for a rate in [0, 1]. */
  static Draw of(double rate) {
    if (rate == 1) {
      return (stream, position, limit) -> position;
    }
    if (rate > LARGEST_GAP_RATE) {
      return perRecord(rate);
    }
    return rate < Gaps.SMALLEST_RATE ? (stream, position, limit) -> limit : Gaps.of(rate);
  }

  /**
   * Compares 63 random bits per record with a threshold. The threshold is exact: a double above 1/8
   * is a multiple of 2^-56.
   */
  private static Draw perRecord(double rate) {
    long threshold = (long) (rate * 0x1p63);
    return (stream, position, limit) -> {
      int next = position;
      while (next < limit && stream.nextLong() >>> 1 >= threshold) {
        next++;
      }
      return next;
    };
  }
}
