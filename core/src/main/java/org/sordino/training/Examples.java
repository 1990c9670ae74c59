package org.sordino.training;

import java.io.Serializable;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;

/**
 * Examples as numbers: features and one target each. The arrays may contain millions of numbers and
 * are shared, not copied. (This class is not a Java record because Kryo, the serializer of many
 * Spark clusters, cannot read records.)
 */
public final class Examples implements Rows, Serializable {

  private static final long serialVersionUID = 1;

  private final float[] features;
  private final int width;
  private final float[] targets;

  /**
   * Creates examples.
   *
   * @param features row by row: feature j of example i is at {@code i * width + j}
   * @param width number of features of an example
   * @param targets one per example: the class (0, 1, ...) or, for a regression, the value
   */
  public Examples(float[] features, int width, float[] targets) {
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
    this.features = features;
    this.width = width;
    this.targets = targets;
  }

  /** Returns the features row by row: feature j of example i is at {@code i * width + j}. */
  public float[] features() {
    return features;
  }

  @Override
  public int width() {
    return width;
  }

  /** Returns the targets, one per example. */
  public float[] targets() {
    return targets;
  }

  @Override
  public void read(int example, float[] row) {
    System.arraycopy(features, example * width, row, 0, width);
  }

  /**
   * Returns a digest of the features and the target of an example. It looks random and depends on
   * that example only.
   */
  public byte[] digest(int example) {
    ByteBuffer buffer = ByteBuffer.allocate(Float.BYTES * (width + 1));
    buffer.asFloatBuffer().put(features, example * width, width).put(targets[example]);
    return Digests.sha256(buffer.array());
  }

  /** Returns an empty list of examples with the given number of features. */
  public static Examples none(int width) {
    return new Examples(new float[0], width, new float[0]);
  }

  /** Returns a copy of the examples from {@code from} (inclusive) to {@code to} (exclusive). */
  public Examples slice(int from, int to) {
    return new Examples(
        Arrays.copyOfRange(features, from * width, to * width),
        width,
        Arrays.copyOfRange(targets, from, to));
  }

  /**
   * Concatenates examples. There must be at least one part, and all parts must have the same width.
   */
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

  /** Returns the number of examples. This number is private unless it was declared. */
  @Override
  public int size() {
    return targets.length;
  }
}
