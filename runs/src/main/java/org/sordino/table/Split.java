package org.sordino.table;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.function.IntPredicate;
import org.sordino.training.Examples;

/**
 * A split of records into a training set and a held-out set for testing.
 *
 * <p>Each record is held out independently at random. The random bits depend only on the record's
 * number and a seed, not on the content of the record. For a fixed seed, the guarantee of a
 * training run therefore covers replacing a record by an empty one: the numbers of the other
 * records must not change. If a new seed is drawn for every run and kept secret like the sampling
 * key, the guarantee also covers removing a record from the file.
 *
 * @param training records for training
 * @param heldOut held-out records, never used for training
 */
public record Split(Examples training, Examples heldOut) {

  /**
   * Splits by user. All records of a user are on the same side, which depends only on the user ID
   * and the seed.
   *
   * @param heldOutShare probability that a user is held out, above 0 and below 1
   * @param seed seed of the split
   * @return the training records and the held-out records, with their users
   */
  public static List<OwnedExamples> byUser(OwnedExamples all, double heldOutShare, long seed) {
    requireShare(heldOutShare);
    List<OwnedExamples> sides = new ArrayList<>();
    for (boolean heldOut : new boolean[] {false, true}) {
      List<String> users = new ArrayList<>();
      Examples part =
          part(
              all.examples(),
              i -> {
                String user = all.users().get(i);
                boolean here = isHeldOut(user, heldOutShare, seed) == heldOut;
                if (here) {
                  users.add(user);
                }
                return here;
              });
      sides.add(new OwnedExamples(part, users));
    }
    requireBothSides(sides.get(0).examples(), sides.get(1).examples());
    return sides;
  }

  /** Returns whether a user is held out. */
  public static boolean isHeldOut(String user, double heldOutShare, long seed) {
    UUID name = UUID.nameUUIDFromBytes(user.getBytes(StandardCharsets.UTF_8));
    long number = name.getMostSignificantBits() ^ name.getLeastSignificantBits();
    return isHeldOut(number, heldOutShare, seed);
  }

  /**
   * Splits by record.
   *
   * @param heldOutShare probability that a record is held out, above 0 and below 1
   * @param seed seed of the split
   */
  public static Split of(Examples examples, double heldOutShare, long seed) {
    requireShare(heldOutShare);
    Examples heldOut = part(examples, i -> isHeldOut(i, heldOutShare, seed));
    Examples training = part(examples, i -> !isHeldOut(i, heldOutShare, seed));
    requireBothSides(training, heldOut);
    return new Split(training, heldOut);
  }

  private static void requireShare(double heldOutShare) {
    if (!(heldOutShare > 0 && heldOutShare < 1)) {
      throw new TableException(
          "held-out share must be above 0 and below 1, got " + heldOutShare + "; try 0.2");
    }
  }

  private static void requireBothSides(Examples training, Examples heldOut) {
    if (heldOut.size() == 0 || training.size() == 0) {
      throw new TableException(
          "a split must have records on both sides, got none on one side; use more records or a"
              + " different share");
    }
  }

  /** Returns whether the record with this number, starting from 0, is held out. */
  public static boolean isHeldOut(long number, double heldOutShare, long seed) {
    double uniform = (mix(mix(seed) + number) >>> 11) * 0x1p-53;
    return uniform < heldOutShare;
  }

  private static Examples part(Examples all, IntPredicate chosen) {
    int width = all.width();
    float[] features = new float[all.features().length];
    float[] targets = new float[all.size()];
    int count = 0;
    for (int i = 0; i < all.size(); i++) {
      if (chosen.test(i)) {
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
