package org.sordino.table;

import java.util.Arrays;
import org.sordino.training.Examples;

/**
 * Records to learn from, and records held out to see how well that went.
 *
 * <p>A coin for each record decides, made from the record's number and a seed and from nothing that
 * the record says. For a fixed seed the guarantee of a training run is therefore about a record
 * whose place is left empty: the numbers of the others must not move. If the seed is drawn anew for
 * every run and kept, as the sampling key is, it is also about a record taken out of the file.
 *
 * @param training to learn from
 * @param heldOut never to learn from
 */
public record Split(Examples training, Examples heldOut) {

  /**
   * Splits records.
   *
   * @param heldOutShare the odds of being held out, above 0 and below 1
   * @param seed which coins are thrown
   */
  public static Split of(Examples examples, double heldOutShare, long seed) {
    if (!(heldOutShare > 0 && heldOutShare < 1)) {
      throw new TableException(
          "held-out share must be above 0 and below 1, got " + heldOutShare + "; try 0.2");
    }
    Examples heldOut = part(examples, heldOutShare, seed, true);
    Examples training = part(examples, heldOutShare, seed, false);
    if (heldOut.size() == 0 || training.size() == 0) {
      throw new TableException(
          "a split must leave records on both sides, got too few of them; use more records or"
              + " another share");
    }
    return new Split(training, heldOut);
  }

  /** Whether the record of this number, counted from 0, is held out. */
  public static boolean isHeldOut(long number, double heldOutShare, long seed) {
    double coin = (mix(mix(seed) + number) >>> 11) * 0x1p-53;
    return coin < heldOutShare;
  }

  private static Examples part(Examples all, double share, long seed, boolean heldOut) {
    int width = all.width();
    float[] features = new float[all.features().length];
    float[] targets = new float[all.size()];
    int count = 0;
    for (int i = 0; i < all.size(); i++) {
      if (isHeldOut(i, share, seed) == heldOut) {
        System.arraycopy(all.features(), i * width, features, count * width, width);
        targets[count++] = all.targets()[i];
      }
    }
    return new Examples(
        Arrays.copyOf(features, count * width), width, Arrays.copyOf(targets, count));
  }

  /** The finalizer of SplitMix64 (Steele, Lea and Flood 2014). */
  private static long mix(long value) {
    long z = value + 0x9E3779B97F4A7C15L;
    z = (z ^ z >>> 30) * 0xBF58476D1CE4E5B9L;
    z = (z ^ z >>> 27) * 0x94D049BB133111EBL;
    return z ^ z >>> 31;
  }
}
