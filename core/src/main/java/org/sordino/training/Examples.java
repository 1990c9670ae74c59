package org.sordino.training;

/**
 * Records as numbers: features and one target each.
 *
 * @param features row by row: feature j of record i is at {@code i * width + j}
 * @param width how many features a record has
 * @param targets one per record: the class 0, 1, ... or, for a regression, the value
 */
@SuppressWarnings("ArrayRecordComponent") // millions of numbers: shared, not copied
public record Examples(float[] features, int width, float[] targets) {

  public Examples {
    if (width < 1) {
      throw new IllegalArgumentException("width must be at least 1, got " + width);
    }
    if ((long) targets.length * width != features.length) {
      throw new IllegalArgumentException(
          "features must have width * targets = "
              + (long) targets.length * width
              + " numbers, got "
              + features.length);
    }
  }

  /** How many records there are. This number is private unless it was declared. */
  public int size() {
    return targets.length;
  }
}
