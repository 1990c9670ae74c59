package org.sordino.spark;

import java.util.Arrays;
import java.util.Iterator;
import org.apache.spark.api.java.function.Function2;
import org.sordino.table.Split;
import org.sordino.training.Examples;

/**
 * Selects the records that are held out, or the others, with the same random split as on one
 * machine.
 */
final class Select implements Function2<Integer, Iterator<Encoded>, Iterator<Examples>> {

  private static final long serialVersionUID = 1;

  private final long[] firsts;
  private final double share;
  private final long seed;
  private final boolean heldOut;

  /**
   * Creates a selection.
   *
   * @param firsts number of the first record of every partition
   * @param share share of the records that is held out; 0 for none
   * @param seed seed of the split
   * @param heldOut whether to select the held-out records or the others
   */
  Select(long[] firsts, double share, long seed, boolean heldOut) {
    this.firsts = firsts.clone();
    this.share = share;
    this.seed = seed;
    this.heldOut = heldOut;
  }

  @Override
  public Iterator<Examples> call(Integer partition, Iterator<Encoded> parts) {
    return new Iterator<>() {
      private long number = firsts[partition];

      @Override
      public boolean hasNext() {
        return parts.hasNext();
      }

      @Override
      public Examples next() {
        Examples all = parts.next().examples();
        Examples chosen = share == 0 ? all : choose(all, number);
        number += all.size();
        return chosen;
      }
    };
  }

  private Examples choose(Examples all, long first) {
    int width = all.width();
    float[] features = new float[all.features().length];
    float[] targets = new float[all.size()];
    int count = 0;
    for (int i = 0; i < all.size(); i++) {
      if (Split.isHeldOut(first + i, share, seed) == heldOut) {
        System.arraycopy(all.features(), i * width, features, count * width, width);
        targets[count++] = all.targets()[i];
      }
    }
    return new Examples(
        Arrays.copyOf(features, count * width), width, Arrays.copyOf(targets, count));
  }
}
