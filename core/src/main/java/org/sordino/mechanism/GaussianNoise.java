package org.sordino.mechanism;

import org.sordino.random.RandomKey;

/** Gaussian noise for exact sums. */
public final class GaussianNoise {

  private GaussianNoise() {}

  public static GaussianNoise of(RandomKey key) {
    throw new UnsupportedOperationException();
  }

  /**
   * Adds rounded Gaussian noise to the sums of one vector.
   *
   * @param step of which step
   * @param sums the flat array
   * @param from where the vector begins
   * @param to where it ends
   * @param deviation in units of the sums
   */
  public void add(long step, long[] sums, int from, int to, double deviation) {
    throw new UnsupportedOperationException();
  }
}
