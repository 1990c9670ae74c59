package org.sordino.mechanism;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Vectors of a record that are clipped together and share one standard deviation of noise (McMahan
 * &amp; Andrew 2018, arXiv:1812.06210, section 3). With s = |(v_1 / alpha_1, ..., v_k / alpha_k)|,
 * all vectors of the group are multiplied by the same weight: min(1, S / s), or S / (s + gamma) for
 * automatic clipping. In both cases, the scaled vectors together have a norm of at most S.
 *
 * @param name name in messages and in the ledger
 * @param vectors names of the vectors
 * @param bound S, in [10^-30, 10^30]; infinite for no clipping, which is possible only without
 *     noise. Engines that add in float32 need at least 10^-12
 * @param scales alpha_j in [10^-30, 10^30], one per vector; 1 unless vectors of very different
 *     norms are combined
 * @param gamma 0 to clip; in [10^-30, 10^30] for automatic clipping, which needs no tuned bound (Bu
 *     et al. 2022, arXiv:2206.07136)
 */
public record VectorGroup(
    String name, List<String> vectors, double bound, List<Double> scales, double gamma)
    implements Serializable {

  public VectorGroup {
    vectors = List.copyOf(vectors);
    scales = List.copyOf(scales);
    if (name.isBlank()) {
      throw new IllegalArgumentException("the name of a group must not be blank");
    }
    if (vectors.isEmpty() || new HashSet<>(vectors).size() != vectors.size()) {
      throw new IllegalArgumentException(
          "group " + name + " must have at least one vector, and each vector once, got " + vectors);
    }
    if (!(ProvenRange.contains(bound) || bound == Double.POSITIVE_INFINITY)) {
      throw new IllegalArgumentException(
          "bound of group " + name + " must be in [1e-30, 1e30] or infinite, got " + bound);
    }
    if (scales.size() != vectors.size() || !scales.stream().allMatch(ProvenRange::contains)) {
      throw new IllegalArgumentException(
          "scales of group "
              + name
              + " must be "
              + vectors.size()
              + " numbers in [1e-30, 1e30], got "
              + scales);
    }
    if (!(gamma == 0 || ProvenRange.contains(gamma))) {
      throw new IllegalArgumentException(
          "gamma of group "
              + name
              + " must be 0 for clipping or in [1e-30, 1e30] for automatic clipping, got "
              + gamma);
    }
    if (gamma > 0 && bound == Double.POSITIVE_INFINITY) {
      throw new IllegalArgumentException(
          "bound of group " + name + " must be finite for automatic clipping");
    }
  }

  /** Returns a group that clips the vectors together to the norm S, as one concatenated vector. */
  public static VectorGroup flat(String name, List<String> vectors, double bound) {
    return new VectorGroup(name, vectors, bound, ones(vectors), 0);
  }

  /**
   * Returns a group that scales the vectors together to a norm just below S, whatever their norm.
   */
  public static VectorGroup automatic(
      String name, List<String> vectors, double bound, double gamma) {
    if (!ProvenRange.contains(gamma)) {
      throw new IllegalArgumentException(
          "gamma of group " + name + " must be in [1e-30, 1e30], got " + gamma);
    }
    return new VectorGroup(name, vectors, bound, ones(vectors), gamma);
  }

  /**
   * Returns a group that clips vectors of different norms together. If vector j is expected to have
   * a norm of about alpha_j, the norm of the scaled vector lies between 1 (all but one are zero)
   * and sqrt(k).
   *
   * @param scales alpha_j, one per vector
   * @param bound S, in [1, sqrt(k)]
   */
  public static VectorGroup joint(
      String name, List<String> vectors, List<Double> scales, double bound) {
    if (!(bound >= 1 && bound <= Math.sqrt(vectors.size()))) {
      throw new IllegalArgumentException(
          "bound of the joint group "
              + name
              + " must be in [1, sqrt("
              + vectors.size()
              + ")], got "
              + bound);
    }
    return new VectorGroup(name, vectors, bound, scales, 0);
  }

  /**
   * Returns one group per layer, all with the same bound, which together have the bound S. Vectors
   * belong to the same layer if their names are equal up to the last dot, as in {@code
   * conv1.weight} and {@code conv1.bias}.
   */
  public static List<VectorGroup> perLayer(List<String> vectors, double bound) {
    Map<String, List<String>> layers = new LinkedHashMap<>();
    for (String vector : vectors) {
      int dot = vector.lastIndexOf('.');
      String layer = dot < 0 ? "model" : vector.substring(0, dot);
      layers.computeIfAbsent(layer, name -> new ArrayList<>()).add(vector);
    }
    double each = bound / Math.sqrt(layers.size());
    return layers.entrySet().stream()
        .map(layer -> flat(layer.getKey(), layer.getValue(), each))
        .toList();
  }

  /** Returns whether the group contains a gradient. */
  public boolean isGradient(Layout layout) {
    return layout.vectors(Layout.Role.GRADIENT).stream()
        .anyMatch(vector -> vectors.contains(vector.name()));
  }

  /** Returns whether all vectors of the group are metrics. */
  boolean isMetric(Layout layout) {
    return layout.vectors(Layout.Role.METRIC).stream()
        .map(Layout.Vector::name)
        .toList()
        .containsAll(vectors);
  }

  private static List<Double> ones(List<String> vectors) {
    return Collections.nCopies(vectors.size(), 1.0);
  }
}
