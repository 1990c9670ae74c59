package org.sordino.sampling;

import org.sordino.random.RandomStream;

/** How the records of a block are drawn one after the other. */
interface Draw {

  /** Above this rate a coin for every record is cheaper than a gap for every hit. */
  double LARGEST_GAP_RATE = 0.125;

  /**
   * The first record that is in, among {@code position} and those after it; {@code limit} or more
   * if there is none before {@code limit}.
   */
  int next(RandomStream stream, int position, int limit);

  /** The way for a rate in [0, 1]. */
  static Draw of(double rate) {
    if (rate == 1) {
      return (stream, position, limit) -> position;
    }
    if (rate > LARGEST_GAP_RATE) {
      return coins(rate);
    }
    return rate < Gaps.SMALLEST_RATE ? (stream, position, limit) -> limit : Gaps.of(rate);
  }

  /**
   * One coin of 63 bits for every record. The threshold is exact: a double above 1/8 is a multiple
   * of 2^-56.
   */
  private static Draw coins(double rate) {
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
