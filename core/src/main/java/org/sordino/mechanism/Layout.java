package org.sordino.mechanism;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The vectors that every record yields, in order; laid end to end they are one flat array. For a
 * network these are the gradients of its parameter tensors, and behind them whatever else is to be
 * known about the sample: its loss, the share of records that were clipped.
 *
 * @param vectors at least one, with names of their own; metrics behind all others
 */
public record Layout(List<Vector> vectors) implements Serializable {

  /** What becomes of the noisy average of a vector. */
  public enum Role {
    /** It is the gradient by parameters of the same shape; the optimizer gets it. */
    GRADIENT,
    /**
     * It is the difference between numbers of the model and what they are to follow, such as the
     * statistics of a normalization; a part of it is subtracted, without an optimizer.
     */
    MOVING_AVERAGE,
    /** It is released as it is, and belongs to no parameter. */
    METRIC
  }

  /**
   * One vector.
   *
   * @param name such as {@code conv1.weight}
   * @param dimension how many numbers it has
   * @param role what becomes of it
   */
  public record Vector(String name, int dimension, Role role) implements Serializable {

    /** A gradient. */
    public Vector(String name, int dimension) {
      this(name, dimension, Role.GRADIENT);
    }

    public Vector {
      if (name.isBlank()) {
        throw new IllegalArgumentException("the name of a vector must not be blank");
      }
      if (dimension < 1) {
        throw new IllegalArgumentException(
            "dimension of vector " + name + " must be at least 1, got " + dimension);
      }
    }
  }

  public Layout {
    vectors = List.copyOf(vectors);
    if (vectors.isEmpty()) {
      throw new IllegalArgumentException("a layout must have at least one vector");
    }
    Set<String> names = new HashSet<>();
    long dimension = 0;
    boolean metrics = false;
    for (Vector vector : vectors) {
      if (metrics && vector.role() != Role.METRIC) {
        throw new IllegalArgumentException(
            "metrics must stand behind all other vectors, but " + vector.name() + " follows one");
      }
      metrics |= vector.role() == Role.METRIC;
      if (!names.add(vector.name())) {
        throw new IllegalArgumentException(
            "vectors must have different names, got " + vector.name() + " twice");
      }
      dimension += vector.dimension();
    }
    if (dimension > Integer.MAX_VALUE - 8) {
      throw new IllegalArgumentException(
          "all vectors together must have fewer than 2^31 numbers, got " + dimension);
    }
  }

  /** A layout of these vectors. */
  public static Layout of(Vector... vectors) {
    return new Layout(List.of(vectors));
  }

  /** This layout with metrics behind it. */
  public Layout with(List<Vector> metrics) {
    List<Vector> all = new ArrayList<>(vectors);
    all.addAll(metrics);
    return new Layout(all);
  }

  /** The vectors of one role, in order. */
  public List<Vector> vectors(Role role) {
    return vectors.stream().filter(vector -> vector.role() == role).toList();
  }

  /** How many numbers the model has: the length of the flat array before the metrics. */
  public int parameters() {
    return dimension() - vectors(Role.METRIC).stream().mapToInt(Vector::dimension).sum();
  }

  /** How many vectors there are. */
  public int size() {
    return vectors.size();
  }

  /** The length of the flat array. */
  public int dimension() {
    return offset(size());
  }

  /** Where vector {@code index} begins in the flat array; where the array ends, for the size. */
  public int offset(int index) {
    int offset = 0;
    for (int i = 0; i < index; i++) {
      offset += vectors.get(i).dimension();
    }
    return offset;
  }

  /** The names, in order. */
  public List<String> names() {
    return vectors.stream().map(Vector::name).toList();
  }
}
