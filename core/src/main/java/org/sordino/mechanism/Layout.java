package org.sordino.mechanism;

import java.io.Serializable;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The vectors that every record yields, in order; laid end to end they are one flat array. For a
 * network these are the gradients of its parameter tensors.
 *
 * @param vectors at least one, with names of their own
 */
public record Layout(List<Vector> vectors) implements Serializable {

  /**
   * One vector.
   *
   * @param name such as {@code conv1.weight}
   * @param dimension how many numbers it has
   */
  public record Vector(String name, int dimension) implements Serializable {

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
    for (Vector vector : vectors) {
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
