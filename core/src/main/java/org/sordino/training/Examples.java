package org.sordino.training;

import java.io.Serializable;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;

/**
 * Records as numbers: features and one target each. The arrays, millions of numbers, are shared and
 * not copied. (No record of Java, because Kryo, with which many Spark clusters move their data,
 * cannot read those.)
 */
public final class Examples implements Rows, Serializable {

  private static final long serialVersionUID = 1;

  private final float[] features;
  private final int width;
  private final float[] targets;

  /**
   * Records.
   *
   * @param features row by row: feature j of record i is at {@code i * width + j}
   * @param width how many features a record has
   * @param targets one per record: the class 0, 1, ... or, for a regression, the value
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

  /** Row by row: feature j of record i is at {@code i * width + j}. */
  public float[] features() {
    return features;
  }

  @Override
  public int width() {
    return width;
  }

  /** One per record. */
  public float[] targets() {
    return targets;
  }

  @Override
  public void read(int example, float[] row) {
    System.arraycopy(features, example * width, row, 0, width);
  }

  /** A digest of one example, features and target: it looks random and depends on nothing else. */
  public byte[] digest(int example) {
    ByteBuffer buffer = ByteBuffer.allocate(Float.BYTES * (width + 1));
    buffer.asFloatBuffer().put(features, example * width, width).put(targets[example]);
    return Digests.sha256(buffer.array());
  }

  /** No records of a width. */
  public static Examples none(int width) {
    return new Examples(new float[0], width, new float[0]);
  }

  /** A copy of the records from {@code from} to before {@code to}. */
  public Examples slice(int from, int to) {
    return new Examples(
        Arrays.copyOfRange(features, from * width, to * width),
        width,
        Arrays.copyOfRange(targets, from, to));
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
  @Override
  public int size() {
    return targets.length;
  }
}
