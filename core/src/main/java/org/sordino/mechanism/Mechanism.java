package org.sordino.mechanism;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.sordino.PrivacyEvent;

/**
 * The definition of one private sum. Every vector of a record belongs to exactly one group, and
 * every group has a bound and a standard deviation of noise. Together, the groups cost as much as
 * one Gaussian sum query with noise multiplier z.
 */
public final class Mechanism {

  /** Number of bits that exact sums keep below the bound; fewer for large populations. */
  private static final int FRACTION_BITS = 40;

  private final Layout layout;
  private final List<VectorGroup> groups;
  private final double[] groupDeviations;
  private final double noiseMultiplier;

  /** Per vector: its group, and alpha. */
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
    for (int g = 0; g < groupDeviations.length; g++) {
      ProvenRange.requireDeviation(groups.get(g), groupDeviations[g]);
    }
  }

  /**
   * Returns a mechanism whose groups together have the noise multiplier z.
   *
   * @param layout vectors of a record
   * @param groups groups of vectors, with every vector in exactly one group
   * @param allocation distribution of the noise over the groups
   * @param noiseMultiplier z; 0 for no noise
   */
  public static Mechanism of(
      Layout layout, List<VectorGroup> groups, NoiseAllocation allocation, double noiseMultiplier) {
    return of(layout, groups, allocation, List.of(), noiseMultiplier);
  }

  /**
   * Returns a mechanism in which some groups have a fixed share of the cost. 1 / z^2 is the sum of
   * (S_g / sigma_g)^2 over all groups, and a share is the part of one group in that sum. The other
   * groups have the rest.
   *
   * @param layout vectors of a record
   * @param groups groups without a fixed share; together with {@code shared}, every vector is in
   *     exactly one group
   * @param allocation distribution of the noise over {@code groups}
   * @param shared groups with fixed shares, which add up to less than 1
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
      // Rounded up, so that the composed multiplier is at least z.
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
   * @param group vectors and bound
   * @param share share of the cost, in (0, 1)
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
   * Returns the same mechanism with other bounds. The bound and the noise of each group are
   * multiplied by the same factor, so the cost does not change.
   *
   * @param factors one factor per group, above 0
   */
  public Mechanism scaled(double[] factors) {
    List<VectorGroup> scaled = new ArrayList<>();
    double[] deviations = new double[groups.size()];
    for (int g = 0; g < deviations.length; g++) {
      VectorGroup group = groups.get(g);
      double bound = group.bound() * factors[g];
      scaled.add(
          new VectorGroup(group.name(), group.vectors(), bound, group.scales(), group.gamma()));
      // Rounded up from the ratio, so that rounding of the product does not lower it.
      deviations[g] = groupDeviations[g] / group.bound() * bound * (1 + 4 * 0x1p-53);
    }
    return new Mechanism(layout, scaled, deviations, noiseMultiplier);
  }

  /**
   * Raises factors for {@link #scaled} that would lead to bounds below the range that is proven for
   * an engine.
   *
   * @param factors one factor per group, changed in place
   * @param slack rounding slack of the engine
   */
  public void limit(double[] factors, double slack) {
    for (int g = 0; g < factors.length; g++) {
      VectorGroup group = groups.get(g);
      if (!group.isMetric(layout)) {
        double scale = group.scales().stream().mapToDouble(s -> s).min().orElse(1);
        // Rounded up, so that the product with the bound is not below the limit.
        double least = Math.nextUp(ProvenRange.least(slack) / scale / group.bound());
        factors[g] = Math.max(factors[g], least);
      }
    }
  }

  /** Returns the share of a group in the cost: (S_g / sigma_g)^2 z^2. */
  public double share(int group) {
    double ratio = groups.get(group).bound() / groupDeviations[group] * noiseMultiplier;
    return groups.size() == 1 ? 1 : ratio * ratio;
  }

  /**
   * Returns a mechanism with given noise, which determines z.
   *
   * @param deviations standard deviations of the noise on the sum of each group, before scaling
   */
  public static Mechanism withDeviations(
      Layout layout, List<VectorGroup> groups, double... deviations) {
    requireFinite(groups);
    PrivacyEvent.Gaussian composed = PrivacyEvent.Gaussian.joint(bounds(groups), deviations);
    double z = composed.noiseMultiplier() * (1 - (groups.size() + 16) * 0x1p-53);
    return new Mechanism(layout, groups, deviations.clone(), z);
  }

  /**
   * Returns the mechanism of a stored plan.
   *
   * @param deviations standard deviations of the noise on the sum of each group, before scaling
   * @param noiseMultiplier z
   * @throws IllegalArgumentException if the deviations compose to less than z
   */
  public static Mechanism planned(
      Layout layout, List<VectorGroup> groups, double[] deviations, double noiseMultiplier) {
    if (noiseMultiplier > 0) {
      requireFinite(groups);
      double z = PrivacyEvent.Gaussian.joint(bounds(groups), deviations).noiseMultiplier();
      if (!(z >= noiseMultiplier * (1 - 4 * 0x1p-53))) {
        throw new IllegalArgumentException(
            "deviations of the groups must compose to a noise multiplier of at least "
                + noiseMultiplier
                + ", got "
                + z);
      }
    }
    return new Mechanism(layout, groups, deviations.clone(), noiseMultiplier);
  }

  /** Returns the vectors of a record. */
  public Layout layout() {
    return layout;
  }

  /**
   * Throws if records yield other vectors, which would be neither clipped nor noised.
   *
   * @param yielded vectors of an engine's records
   */
  public void requireLayout(Layout yielded) {
    if (!yielded.equals(layout)) {
      throw new IllegalArgumentException(
          "vectors of a record must be those of the plan, "
              + layout.vectors()
              + ", got "
              + yielded.vectors()
              + "; use the same model for the plan and the engine");
    }
  }

  /** Returns the groups of vectors. */
  public List<VectorGroup> groups() {
    return groups;
  }

  /** Returns z, the noise multiplier of all groups together. */
  public double noiseMultiplier() {
    return noiseMultiplier;
  }

  /** Returns the indices of the groups that contain gradients. */
  public int[] gradientGroups() {
    return IntStream.range(0, groups.size())
        .filter(g -> groups.get(g).isGradient(layout))
        .toArray();
  }

  /** Returns the bound of the group of a vector, before scaling. */
  public double bound(int vector) {
    return groups.get(groupOf[vector]).bound();
  }

  /** Returns the standard deviation of the noise on a group, before scaling. */
  public double groupDeviation(int group) {
    return groupDeviations[group];
  }

  /** Returns the standard deviation of the noise on every coordinate of the sum of a vector. */
  public double deviation(int vector) {
    return scaleOf[vector] * groupDeviations[groupOf[vector]];
  }

  /**
   * Returns the clipping rule for engines.
   *
   * @param population largest expected number of records; sums have room for four times as many
   * @param insideDecay lambda of the weight decay inside the clip: 0 or in [10^-30, 10^30]
   * @param slack amount by which rounding in the engine may exceed a bound, relative to the bound.
   *     If it is above 0, the engine adds in float32, and bounds must be at least 10^-12
   * @throws IllegalArgumentException if the rule is not proven for these numbers
   */
  public Clipping clipping(long population, double insideDecay, double slack) {
    if (!(slack >= 0 && slack < Double.POSITIVE_INFINITY)) {
      throw new IllegalArgumentException("slack must be finite and at least 0, got " + slack);
    }
    ProvenRange.requireDecay(insideDecay);
    double[] units = new double[layout.size()];
    for (int j = 0; j < units.length; j++) {
      units[j] = unit(groups.get(groupOf[j]).bound() * scaleOf[j], deviation(j), population);
    }
    if (slack > 0) {
      requireFloat32();
      requireFloat32(units);
    }
    return new Clipping(layout, groups, units, insideDecay, slack);
  }

  /**
   * Throws if a bound or gamma is so small that the rule is not proven for engines that add in
   * float32. Metrics are added exactly by all engines.
   */
  public void requireFloat32() {
    groups.stream().filter(group -> !group.isMetric(layout)).forEach(ProvenRange::requireFloat32);
  }

  private void requireFloat32(double[] units) {
    for (int j = 0; j < units.length; j++) {
      VectorGroup group = groups.get(groupOf[j]);
      if (!group.isMetric(layout)) {
        ProvenRange.requireFloat32(group, group.bound() * scaleOf[j], units[j]);
      }
    }
  }

  /**
   * Returns a power of two, small enough to keep 40 bits of a bound and large enough for the sum
   * over four times the population plus 16 standard deviations of noise to fit into 62 bits.
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
   * Checks the executed noise against the plan. If every vector of a record received at least the
   * planned noise, the groups compose to z.
   *
   * @param executed standard deviation of the noise that was added to the sum of each vector
   * @throws IllegalStateException if a vector received less noise; the message names it
   */
  public void verify(double[] executed) {
    if (executed.length != layout.size()) {
      throw new IllegalStateException(
          "noise must be added to all "
              + layout.size()
              + " vectors of a record, got "
              + executed.length);
    }
    for (int j = 0; j < executed.length; j++) {
      if (!(executed[j] >= deviation(j))) {
        throw new IllegalStateException(
            "noise on vector "
                + layout.names().get(j)
                + " must have a standard deviation of at least "
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
            "group %s must contain either only metrics or no metrics, got %s; clipping of gradients must not depend on metrics"
                .formatted(group.name(), group.vectors()));
      }
      for (int k = 0; k < group.vectors().size(); k++) {
        String vector = group.vectors().get(k);
        int j = names.indexOf(vector);
        if (j < 0) {
          throw new IllegalArgumentException(
              "group %s names the vector %s, which no record yields; the vectors are %s"
                  .formatted(group.name(), vector, names));
        }
        if (!missing.remove(vector)) {
          throw new IllegalArgumentException(
              "vector %s must be in exactly one group, got %s and %s"
                  .formatted(vector, groups.get(groupOf[j]).name(), group.name()));
        }
        groupOf[j] = g;
        scaleOf[j] = group.scales().get(k);
      }
    }
    if (!missing.isEmpty()) {
      throw new IllegalArgumentException(
          "every vector must be in a group, otherwise its sum would be released without noise;"
              + " missing: "
              + missing);
    }
  }

  private static void requireFinite(List<VectorGroup> groups) {
    for (VectorGroup group : groups) {
      if (group.bound() == Double.POSITIVE_INFINITY) {
        throw new IllegalArgumentException(
            "bound of group " + group.name() + " must be finite if noise is added");
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
