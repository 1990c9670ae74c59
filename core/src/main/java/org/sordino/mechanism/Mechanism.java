package org.sordino.mechanism;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.sordino.PrivacyEvent;

/**
 * How one private sum is made: every vector of a record belongs to exactly one group, every group
 * has a bound and a noise deviation, and all of them together cost as much as one Gaussian sum
 * query with noise multiplier z.
 */
public final class Mechanism {

  /** Exact sums keep this many bits below the bound, or fewer where the population is large. */
  private static final int FRACTION_BITS = 40;

  private final Layout layout;
  private final List<VectorGroup> groups;
  private final double[] groupDeviations;
  private final double noiseMultiplier;

  private Mechanism(
      Layout layout, List<VectorGroup> groups, double[] groupDeviations, double noiseMultiplier) {
    this.layout = layout;
    this.groups = List.copyOf(groups);
    this.groupDeviations = groupDeviations;
    this.noiseMultiplier = noiseMultiplier;
    requirePartition();
  }

  /**
   * Groups that together have the noise multiplier z.
   *
   * @param layout what a record yields
   * @param groups who is bounded with whom; every vector in exactly one group
   * @param allocation how the noise is spread
   * @param noiseMultiplier z; 0 for no noise
   */
  public static Mechanism of(
      Layout layout, List<VectorGroup> groups, NoiseAllocation allocation, double noiseMultiplier) {
    if (!(noiseMultiplier >= 0 && noiseMultiplier < Double.POSITIVE_INFINITY)) {
      throw new IllegalArgumentException(
          "noiseMultiplier must be finite and at least 0, got " + noiseMultiplier);
    }
    double[] deviations = new double[groups.size()];
    if (noiseMultiplier > 0) {
      requireFinite(groups);
      // Rounded up, so that the composed multiplier is z at least.
      double up = noiseMultiplier * (1 + (groups.size() + 16) * 0x1p-53);
      deviations = allocation.deviations(bounds(groups), dimensions(layout, groups), up);
    }
    return new Mechanism(layout, groups, deviations, noiseMultiplier);
  }

  /**
   * Groups with given noise; z follows from it.
   *
   * @param deviations of the noise on each group's sum, before scales
   */
  public static Mechanism withDeviations(
      Layout layout, List<VectorGroup> groups, double... deviations) {
    requireFinite(groups);
    PrivacyEvent.Gaussian composed = PrivacyEvent.Gaussian.joint(bounds(groups), deviations);
    double z = composed.noiseMultiplier() * (1 - (groups.size() + 16) * 0x1p-53);
    return new Mechanism(layout, groups, deviations.clone(), z);
  }

  /** What a record yields. */
  public Layout layout() {
    return layout;
  }

  /** Who is bounded with whom. */
  public List<VectorGroup> groups() {
    return groups;
  }

  /** z, that of all groups together. */
  public double noiseMultiplier() {
    return noiseMultiplier;
  }

  /** The deviation of the noise on group {@code group}, before scales. */
  public double groupDeviation(int group) {
    return groupDeviations[group];
  }

  /** The deviation of the noise on every coordinate of the sum of vector {@code vector}. */
  public double deviation(int vector) {
    String name = layout.names().get(vector);
    for (int g = 0; g < groups.size(); g++) {
      int k = groups.get(g).vectors().indexOf(name);
      if (k >= 0) {
        return groups.get(g).scales().get(k) * groupDeviations[g];
      }
    }
    throw new IllegalStateException("vector " + name + " is in no group");
  }

  /**
   * The rule for engines.
   *
   * @param population how many records there may be; sums have room for four times as many
   * @param insideDecay lambda of the decay inside the clip, or 0
   * @param slack by how much the engine's rounding may exceed a bound, relative to it
   */
  public Clipping clipping(long population, double insideDecay, double slack) {
    double[] units = new double[layout.size()];
    for (VectorGroup group : groups) {
      for (int k = 0; k < group.vectors().size(); k++) {
        int vector = layout.names().indexOf(group.vectors().get(k));
        units[vector] = unit(group.bound() * group.scales().get(k), deviation(vector), population);
      }
    }
    return new Clipping(layout, groups, units, insideDecay, slack);
  }

  /**
   * A power of two so small that 40 bits of a bound are kept, and so large that the sum over four
   * times the population and 16 deviations of noise fit into 62 bits.
   */
  private static double unit(double bound, double deviation, long population) {
    if (bound == Double.POSITIVE_INFINITY) {
      return Math.scalb(1.0, -FRACTION_BITS);
    }
    double largest = 4.0 * population + 16 * deviation / bound;
    int bits = Math.min(FRACTION_BITS, 61 - Math.getExponent(largest));
    return Math.scalb(1.0, Math.getExponent(bound) - bits);
  }

  /**
   * Checks what was done against what was planned: every vector was noised, and the noise composes
   * to z at least.
   *
   * @param executed the deviation that was put on each vector's sum
   * @throws IllegalStateException naming the group that got less
   */
  public void verify(double[] executed) {
    if (executed.length != layout.size()) {
      throw new IllegalStateException(
          "noise was added to "
              + executed.length
              + " vectors, but a record yields "
              + layout.size());
    }
    double[] perGroup = new double[groups.size()];
    Map<String, Integer> index = new HashMap<>();
    layout.names().forEach(name -> index.put(name, index.size()));
    for (int g = 0; g < groups.size(); g++) {
      VectorGroup group = groups.get(g);
      perGroup[g] = Double.POSITIVE_INFINITY;
      for (int k = 0; k < group.vectors().size(); k++) {
        int vector = index.getOrDefault(group.vectors().get(k), -1);
        perGroup[g] = Math.min(perGroup[g], executed[vector] / group.scales().get(k));
      }
      if (!(perGroup[g] >= groupDeviations[g] * (1 - 0x1p-50))) {
        throw new IllegalStateException(
            "group "
                + group.name()
                + " was to get noise of deviation "
                + groupDeviations[g]
                + ", got "
                + perGroup[g]);
      }
    }
  }

  private void requirePartition() {
    List<String> missing = new ArrayList<>(layout.names());
    for (VectorGroup group : groups) {
      for (String vector : group.vectors()) {
        if (!layout.names().contains(vector)) {
          throw new IllegalArgumentException(
              "group "
                  + group.name()
                  + " names the vector "
                  + vector
                  + ", which no record yields; there are "
                  + layout.names());
        }
        if (!missing.remove(vector)) {
          throw new IllegalArgumentException(
              "vector "
                  + vector
                  + " must be in one group, got it in several, one is "
                  + group.name());
        }
      }
    }
    if (!missing.isEmpty()) {
      throw new IllegalArgumentException(
          "every vector must be in a group, or its sum would be released without noise; missing: "
              + missing);
    }
  }

  private static void requireFinite(List<VectorGroup> groups) {
    for (VectorGroup group : groups) {
      if (group.bound() == Double.POSITIVE_INFINITY) {
        throw new IllegalArgumentException(
            "bound of group " + group.name() + " must be finite where there is noise");
      }
    }
  }

  private static double[] bounds(List<VectorGroup> groups) {
    return groups.stream().mapToDouble(VectorGroup::bound).toArray();
  }

  private static int[] dimensions(Layout layout, List<VectorGroup> groups) {
    return groups.stream()
        .mapToInt(
            group ->
                layout.vectors().stream()
                    .filter(vector -> group.vectors().contains(vector.name()))
                    .mapToInt(Layout.Vector::dimension)
                    .sum())
        .toArray();
  }
}
