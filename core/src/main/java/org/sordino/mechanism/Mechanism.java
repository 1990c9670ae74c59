package org.sordino.mechanism;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
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

  /** Vector by vector: its group, and alpha. */
  private final int[] groupOf;

  private final double[] scaleOf;

  private Mechanism(
      Layout layout, List<VectorGroup> groups, double[] groupDeviations, double noiseMultiplier) {
    this.layout = layout;
    this.groups = List.copyOf(groups);
    this.groupDeviations = groupDeviations;
    this.noiseMultiplier = noiseMultiplier;
    groupOf = new int[layout.size()];
    scaleOf = new double[layout.size()];
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
    return of(layout, groups, allocation, List.of(), noiseMultiplier);
  }

  /**
   * Groups of which some have a fixed share of the cost: 1 / z^2 is the sum of (S_g / sigma_g)^2
   * over all groups, and a share is a group's part of that sum. The others get what is left.
   *
   * @param layout what a record yields
   * @param groups who is bounded with whom; with those below, every vector in exactly one group
   * @param allocation how the noise is spread over {@code groups}
   * @param shared groups with shares, which add up to less than 1
   * @param noiseMultiplier z of all groups together; 0 for no noise
   */
  public static Mechanism of(
      Layout layout,
      List<VectorGroup> groups,
      NoiseAllocation allocation,
      List<Shared> shared,
      double noiseMultiplier) {
    if (!(noiseMultiplier >= 0 && noiseMultiplier < Double.POSITIVE_INFINITY)) {
      throw new IllegalArgumentException(
          "noiseMultiplier must be finite and at least 0, got " + noiseMultiplier);
    }
    double rest = 1 - shared.stream().mapToDouble(Shared::share).sum();
    if (!(rest > 0)) {
      throw new IllegalArgumentException(
          "shares must add up to less than 1, got " + shared.stream().map(Shared::share).toList());
    }
    List<VectorGroup> all = new ArrayList<>(groups);
    shared.forEach(other -> all.add(other.group()));
    double[] deviations = new double[all.size()];
    if (noiseMultiplier > 0) {
      requireFinite(all);
      // Rounded up, so that the composed multiplier is z at least.
      double up = noiseMultiplier * (1 + (all.size() + 16) * 0x1p-53);
      double[] main =
          allocation.deviations(bounds(groups), dimensions(layout, groups), up / Math.sqrt(rest));
      System.arraycopy(main, 0, deviations, 0, main.length);
      for (int k = 0; k < shared.size(); k++) {
        Shared other = shared.get(k);
        deviations[main.length + k] = other.group().bound() * up / Math.sqrt(other.share());
      }
    }
    return new Mechanism(layout, all, deviations, noiseMultiplier);
  }

  /**
   * A group with a fixed share of the cost.
   *
   * @param group its vectors and bound
   * @param share in (0, 1)
   */
  public record Shared(VectorGroup group, double share) {

    public Shared {
      if (!(share > 0 && share < 1)) {
        throw new IllegalArgumentException(
            "share of group " + group.name() + " must be in (0, 1), got " + share);
      }
    }
  }

  /**
   * The same mechanism with other bounds: every bound and the noise that goes with it times a
   * factor, so that the cost is the same.
   *
   * @param factors one per group, above 0
   */
  public Mechanism scaled(double[] factors) {
    List<VectorGroup> scaled = new ArrayList<>();
    double[] deviations = new double[groups.size()];
    for (int g = 0; g < deviations.length; g++) {
      VectorGroup group = groups.get(g);
      double bound = group.bound() * factors[g];
      scaled.add(
          new VectorGroup(group.name(), group.vectors(), bound, group.scales(), group.gamma()));
      // Upwards from the ratio, so that no rounding of the product lowers it.
      deviations[g] = groupDeviations[g] / group.bound() * bound * (1 + 4 * 0x1p-53);
    }
    return new Mechanism(layout, scaled, deviations, noiseMultiplier);
  }

  /** The part of the cost that a group has: (S_g / sigma_g)^2 z^2. */
  public double share(int group) {
    double ratio = groups.get(group).bound() / groupDeviations[group] * noiseMultiplier;
    return groups.size() == 1 ? 1 : ratio * ratio;
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

  /**
   * Groups as they stand in a plan that was written before.
   *
   * @param deviations of the noise on each group's sum, before scales
   * @param noiseMultiplier z, refused if the deviations do not reach it
   */
  public static Mechanism planned(
      Layout layout, List<VectorGroup> groups, double[] deviations, double noiseMultiplier) {
    if (noiseMultiplier > 0) {
      requireFinite(groups);
      double z = PrivacyEvent.Gaussian.joint(bounds(groups), deviations).noiseMultiplier();
      if (!(z >= noiseMultiplier * (1 - 4 * 0x1p-53))) {
        throw new IllegalArgumentException(
            "deviations of the groups must compose to the noise multiplier "
                + noiseMultiplier
                + " at least, got "
                + z);
      }
    }
    return new Mechanism(layout, groups, deviations.clone(), noiseMultiplier);
  }

  /** What a record yields. */
  public Layout layout() {
    return layout;
  }

  /**
   * Refuses records that yield something else: it would be neither bounded nor noised.
   *
   * @param yielded the vectors of an engine's records
   */
  public void requireLayout(Layout yielded) {
    if (!yielded.equals(layout)) {
      throw new IllegalArgumentException(
          "the plan is for the vectors "
              + layout.vectors()
              + ", but a record yields "
              + yielded.vectors());
    }
  }

  /** Who is bounded with whom. */
  public List<VectorGroup> groups() {
    return groups;
  }

  /** z, that of all groups together. */
  public double noiseMultiplier() {
    return noiseMultiplier;
  }

  /** The numbers of the groups that have gradients. */
  public int[] gradientGroups() {
    return IntStream.range(0, groups.size())
        .filter(g -> groups.get(g).isGradient(layout))
        .toArray();
  }

  /** The bound of the group that a vector belongs to, before scales. */
  public double bound(int vector) {
    return groups.get(groupOf[vector]).bound();
  }

  /** The deviation of the noise on group {@code group}, before scales. */
  public double groupDeviation(int group) {
    return groupDeviations[group];
  }

  /** The deviation of the noise on every coordinate of the sum of vector {@code vector}. */
  public double deviation(int vector) {
    return scaleOf[vector] * groupDeviations[groupOf[vector]];
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
    for (int j = 0; j < units.length; j++) {
      units[j] = unit(groups.get(groupOf[j]).bound() * scaleOf[j], deviation(j), population);
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
   * Checks what was done against what was planned: every vector that a record yields was noised, as
   * much as planned; then the groups compose to z.
   *
   * @param executed the deviation that was put on each vector's sum
   * @throws IllegalStateException naming the vector that got less
   */
  public void verify(double[] executed) {
    if (executed.length != layout.size()) {
      throw new IllegalStateException(
          "noise was added to "
              + executed.length
              + " vectors, but a record yields "
              + layout.size());
    }
    for (int j = 0; j < executed.length; j++) {
      if (!(executed[j] >= deviation(j))) {
        throw new IllegalStateException(
            "vector "
                + layout.names().get(j)
                + " was to get noise of deviation "
                + deviation(j)
                + ", got "
                + executed[j]);
      }
    }
  }

  private void requirePartition() {
    List<String> names = layout.names();
    Set<String> missing = new LinkedHashSet<>(names);
    List<String> metrics =
        layout.vectors(Layout.Role.METRIC).stream().map(Layout.Vector::name).toList();
    for (int g = 0; g < groups.size(); g++) {
      VectorGroup group = groups.get(g);
      if (group.vectors().stream().map(metrics::contains).distinct().count() > 1) {
        throw new IllegalArgumentException(
            "group %s must hold either metrics or none, got %s; whether a gradient is clipped must not depend on what is noted about it"
                .formatted(group.name(), group.vectors()));
      }
      for (int k = 0; k < group.vectors().size(); k++) {
        String vector = group.vectors().get(k);
        int j = names.indexOf(vector);
        if (j < 0) {
          throw new IllegalArgumentException(
              "group %s names the vector %s, which no record yields; there are %s"
                  .formatted(group.name(), vector, names));
        }
        if (!missing.remove(vector)) {
          throw new IllegalArgumentException(
              "vector %s must be in one group, got it in %s and %s"
                  .formatted(vector, groups.get(groupOf[j]).name(), group.name()));
        }
        groupOf[j] = g;
        scaleOf[j] = group.scales().get(k);
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
