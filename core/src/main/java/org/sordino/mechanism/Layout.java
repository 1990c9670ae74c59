package org.sordino.mechanism;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The vectors that every record yields, in order. Concatenated, they form one flat array. For a
 * network these are the gradients of its parameter tensors, followed by metrics of the sample, such
 * as the loss and the share of records within the clipping bound.
 *
 * @param vectors at least one vector, with distinct names; metrics after all others
 */
public record Layout(List<Vector> vectors) implements Serializable {

  /** Use of the noisy average of a vector. */
  public enum Role {
    /** Gradient with respect to parameters of the same shape; passed to the optimizer. */
    GRADIENT,
    /**
     * Difference between numbers in the model and the values that they track, such as the
     * statistics of a normalization layer. A fraction of it is subtracted, without an optimizer.
     */
    MOVING_AVERAGE,
    /** Released directly; belongs to no parameter. */
    METRIC
  }

  /**
   * One vector.
   *
   * @param name name, such as {@code conv1.weight}
   * @param dimension number of elements
   * @param role use of its noisy average
   */
  public record Vector(String name, int dimension, Role role) implements Serializable {

    /** Creates a gradient. */
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
            "metrics must come after all other vectors, but "
                + vector.name()
                + " follows a metric");
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

  /** Returns a layout of these vectors. */
  public static Layout of(Vector... vectors) {
    return new Layout(List.of(vectors));
  }

  /** Returns this layout with metrics appended. */
  public Layout with(List<Vector> metrics) {
    List<Vector> all = new ArrayList<>(vectors);
    all.addAll(metrics);
    return new Layout(all);
  }

  /** Returns the vectors of one role, in order. */
  public List<Vector> vectors(Role role) {
    return vectors.stream().filter(vector -> vector.role() == role).toList();
  }

  /**
   * Returns the number of parameters of the model: the length of the flat array before the metrics.
   */
  public int parameters() {
    return dimension() - vectors(Role.METRIC).stream().mapToInt(Vector::dimension).sum();
  }

  /** Returns the number of vectors. */
  public int size() {
    return vectors.size();
  }

  /** Returns the length of the flat array. */
  public int dimension() {
    return offset(size());
  }

  /** Returns the start of vector {@code index} in the flat array, or its end for {@link #size}. */
  public int offset(int index) {
    int offset = 0;
    for (int i = 0; i < index; i++) {
      offset += vectors.get(i).dimension();
    }
    return offset;
  }

  /** Returns the names of the vectors, in order. */
  public List<String> names() {
    return vectors.stream().map(Vector::name).toList();
  }
}
