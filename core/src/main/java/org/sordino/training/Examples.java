package org.sordino.training;

import java.io.Serializable;
import java.util.List;

/**
 * Records as numbers: features and one target each.
 *
 * @param features row by row: feature j of record i is at {@code i * width + j}
 * @param width how many features a record has
 * @param targets one per record: the class 0, 1, ... or, for a regression, the value
 */
@SuppressWarnings("ArrayRecordComponent") // millions of numbers: shared, not copied
public record Examples(float[] features, int width, float[] targets) implements Serializable {

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

  /** Records one behind the other: at least one part, all of the same width. */
  public static Examples concat(List<Examples> parts) {
    int width = parts.get(0).width;
    int size = parts.stream().mapToInt(Examples::size).reduce(0, Math::addExact);
    float[] features = new float[Math.multiplyExact(size, width)];
    float[] targets = new float[size];
    int at = 0;
    for (Examples part : parts) {
      if (part.width != width) {
        throw new IllegalArgumentException(
            "parts must have " + width + " features each, got " + part.width);
      }
      System.arraycopy(part.features, 0, features, at * width, part.features.length);
      System.arraycopy(part.targets, 0, targets, at, part.size());
      at += part.size();
    }
    return new Examples(features, width, targets);
  }

  /** How many records there are. This number is private unless it was declared. */
  public int size() {
    return targets.length;
  }
}
