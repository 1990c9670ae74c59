package org.sordino.sampling;

import java.util.Arrays;
import org.sordino.random.RandomStream;

/**
 * Draws the gaps between included records, in integer arithmetic only. Every machine therefore
 * draws the same gaps, and the error is known exactly.
 *
 * <p><b>Method.</b> Let S_0 = 2^62 and S_{k+1} = S_k - floor(p S_k). A uniform u in [0, 2^62)
 * represents a gap of at least k records if u &lt; S_k. Gaps end at a cap C. A draw that reaches
 * the cap advances by C records and draws again, since geometric gaps are memoryless. C is the
 * first index with S_C below 2^59, or 1024 if that is smaller.
 *
 * <p><b>Distribution.</b> After k &lt; C records since the last draw, the next record is included
 * with probability h_k = floor(p S_k) / S_k, whatever came before. With e = 2^-59, p - e &lt; h_k
 * &lt;= p. Given all other records of its block, including those after it, the odds of a record are
 *
 * <pre>
 *   h_k / (1 - h_k)  *  product of up to 2^16 factors (1 - h) / (1 - h')  *  h / h'
 * </pre>
 *
 * <p>because including or excluding it shifts the phase k of the records up to the next included
 * one (the last factor). For 2^-50 &lt;= p &lt;= 1/8, the odds lie between p / (1 - p) times 1 - 2
 * e / p - 1.3 2^-43 and p / (1 - p) times 1 + 1.01 e / p + 1.3 2^-43. Odds of p / (1 - p) (1 + x)
 * correspond to a probability of at most p (1 + x), or of at least p (1 + x) if x is negative.
 *
 * <p><b>Direction of the error.</b> With p = q (1 - 2^-42) - 2^-58, the probability that a record
 * is included, given all others, is therefore at most q and at least q - (2^-41 q + 2^-57).
 * Relative to q, that is 4.6e-13 for q = 0.01. Rates below 2^-49 are treated as 0.
 */
final class Gaps implements Draw {

  /** Below this rate, the bound on the relative error does not hold. */
  static final double SMALLEST_RATE = 0x1p-49;

  private static final int LARGEST_CAP = 1024;
  private static final int COIN_BITS = 62;
  private static final long SMALLEST_REACH = 1L << 59;

  private static final int CELL_BITS = 12;
  private static final int CELL_SHIFT = COIN_BITS - CELL_BITS;

  /** The tables of the last rate; a run uses the same rate in every step. */
  private static volatile Gaps recent = new Gaps(0.01);

  private final double rate;

  /** Element k is S_k, up to S_C; all later elements are 0. */
  private final long[] reach;

  private final int cap;

  /** For every value of the leading bits of u, the shortest gap that u can represent. */
  private final short[] shortest = new short[1 << CELL_BITS];

  private Gaps(double rate) {
    this.rate = rate;
    reach = reach(rate * (1 - 0x1p-42) - 0x1p-58);
    cap = reach.length - 2;
    int gap = cap;
    for (int cell = 0; cell < shortest.length; cell++) {
      long largest = ((cell + 1L) << CELL_SHIFT) - 1;
      while (reach[gap] <= largest) {
        gap--;
      }
      shortest[cell] = (short) gap;
    }
  }

  /** Returns the gaps for a rate in [2^-49, 1/8]. */
  static Gaps of(double rate) {
    Gaps gaps = recent;
    if (gaps.rate != rate) {
      gaps = new Gaps(rate);
      recent = gaps;
    }
    return gaps;
  }

  private static long[] reach(double p) {
    long[] reach = new long[LARGEST_CAP + 2];
    reach[0] = 1L << COIN_BITS;
    int k = 0;
    while (k < LARGEST_CAP && reach[k] >= SMALLEST_REACH) {
      reach[k + 1] = reach[k] - floorOfProduct(reach[k], p);
      k++;
    }
    return Arrays.copyOf(reach, k + 2);
  }

  /** Returns the floor of n p, exactly, for n up to 2^62 and p in [2^-50, 1/8). */
  static long floorOfProduct(long n, double p) {
    int shift = Math.getExponent(p);
    long mantissa = (long) Math.scalb(p, 52 - shift);
    int bits = 52 - shift; // p = mantissa / 2^bits, from 56 to 102
    long high = Math.multiplyHigh(n, mantissa);
    long low = n * mantissa;
    return bits >= Long.SIZE
        ? high >>> (bits - Long.SIZE)
        : high << (Long.SIZE - bits) | low >>> bits;
  }

  @Override
  public int next(RandomStream stream, int position, int limit) {
    int next = position;
    while (next < limit) {
      int gap = gap(stream.nextLong() >>> (Long.SIZE - COIN_BITS));
      next += gap;
      if (gap < cap) {
        break;
      }
    }
    return next;
  }

  /** Returns the largest k up to the cap with u &lt; S_k. */
  int gap(long u) {
    int gap = shortest[(int) (u >>> CELL_SHIFT)];
    while (u < reach[gap + 1]) {
      gap++;
    }
    return gap;
  }

  /** Returns C. */
  int cap() {
    return cap;
  }
}
