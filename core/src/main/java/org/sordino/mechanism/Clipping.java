package org.sordino.mechanism;

import java.io.Serializable;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The clipping rule as engines see it: a pure function from the norms of a record's vectors to the
 * weights with which they enter the sum. No rule needs the vectors themselves.
 *
 * <p>The weights are such that a record's weighted vectors, as computed, stay within the group's
 * bound: given upper bounds on the squared norms, every rounding on the way from them to the
 * product w v is covered. With u = 2^-53 and k vectors in a group, the sum of the scaled squares is
 * off by a relative (k + 2) u at most, its root by half of that and u, the quotient and the product
 * by u each: less than (k + 16) u together, by which the bound is lowered.
 */
public final class Clipping implements Serializable {

  private static final long serialVersionUID = 1;

  private static final double U = 0x1p-53;

  /** Group by group: its vectors, 1 / alpha_j^2, S lowered for rounding, gamma. */
  private final int[][] vectors;

  private final double[][] inverseSquares;
  private final double[] bounds;
  private final double[] gammas;
  private final int[] gradientGroups;
  private final double[] units;
  private final double insideDecay;
  private final double slack;
  private final double scale; // of all weights

  Clipping(
      Layout layout, List<VectorGroup> groups, double[] units, double insideDecay, double slack) {
    this.units = units.clone();
    this.insideDecay = insideDecay;
    this.slack = slack;
    this.scale = 1;
    vectors = new int[groups.size()][];
    inverseSquares = new double[groups.size()][];
    bounds = new double[groups.size()];
    gammas = new double[groups.size()];
    gradientGroups =
        IntStream.range(0, groups.size()).filter(g -> groups.get(g).isGradient(layout)).toArray();
    List<String> names = layout.names();
    for (int g = 0; g < groups.size(); g++) {
      VectorGroup group = groups.get(g);
      int k = group.vectors().size();
      vectors[g] = group.vectors().stream().mapToInt(names::indexOf).toArray();
      inverseSquares[g] =
          group.scales().stream().mapToDouble(scale -> 1 / (scale * scale)).toArray();
      boolean exact = group.isMetric(layout); // metrics are added record by record
      bounds[g] = group.bound() * (1 - (k + 16) * U) / (exact ? 1 : 1 + slack);
      gammas[g] = group.gamma();
    }
  }

  /** How many vectors a record has. */
  public int vectors() {
    return units.length;
  }

  /** The value of 1 in the exact sum of a vector: a power of two that depends on the plan only. */
  public double unit(int vector) {
    return units[vector];
  }

  /** lambda, where lambda theta is to be added to every record's vectors before clipping; or 0. */
  public double insideDecay() {
    return insideDecay;
  }

  /**
   * Turns norms into weights.
   *
   * @param squaredNorms upper bounds on |v_ij|^2, record by record: record i, vector j at {@code i
   *     * vectors() + j}; what is not finite gives the record's group the weight 0
   * @param weights the same shape, filled with w_ij in [0, 1], or in [0, S / gamma] where automatic
   */
  public void weights(double[] squaredNorms, double[] weights) {
    for (int row = 0; row < squaredNorms.length; row += units.length) {
      for (int g = 0; g < vectors.length; g++) {
        double weight = scale * weight(g, norm(g, squaredNorms, row));
        for (int vector : vectors[g]) {
          weights[row + vector] = weight;
        }
      }
    }
  }

  /** The groups of gradients, in order. */
  public int[] gradientGroups() {
    return gradientGroups.clone();
  }

  /** Whether a group of the vectors of a record is within its bound, and so not shortened. */
  public boolean isWithin(int group, double[] squaredNorms, int record) {
    return norm(group, squaredNorms, record * units.length) <= bounds[group];
  }

  /**
   * What vectors of these norms, added to those of any record, come to at most, relative to the
   * bound of their group, whatever the record's weight. If they are lambda theta, a record's
   * gradient alone may contribute S (1 + reach), and be canceled by them but for S.
   *
   * @param squaredNorms one per vector
   */
  public double reach(double[] squaredNorms) {
    double reach = 0;
    for (int g = 0; g < vectors.length; g++) {
      double norm = norm(g, squaredNorms, 0);
      reach = Math.max(reach, norm / (gammas[g] > 0 ? gammas[g] : bounds[g]));
    }
    return reach;
  }

  /**
   * The same rule where gradients may be larger than what is clipped, by reach times the bound S /
   * (1 + s): slack s is relative to gradients, so a bound B must satisfy B (1 + s) + s reach S / (1
   * + s) &lt;= S. It is lowered by up to a half; where that is not enough, all weights are, so that
   * less of lambda theta counts.
   */
  public Clipping lowered(double reach) {
    double share = slack / (1 + slack);
    double most = 1 / (2 * share);
    return new Clipping(this, 1 - share * Math.min(reach, most), Math.min(1, most / reach));
  }

  private Clipping(Clipping other, double factor, double scale) {
    vectors = other.vectors;
    inverseSquares = other.inverseSquares;
    bounds = Arrays.stream(other.bounds).map(bound -> bound * factor).toArray();
    gammas = other.gammas;
    gradientGroups = other.gradientGroups;
    units = other.units;
    insideDecay = other.insideDecay;
    slack = other.slack;
    this.scale = scale;
  }

  private double norm(int group, double[] squaredNorms, int row) {
    double square = 0;
    for (int k = 0; k < vectors[group].length; k++) {
      square += squaredNorms[row + vectors[group][k]] * inverseSquares[group][k];
    }
    return Math.sqrt(square);
  }

  private double weight(int group, double norm) {
    if (!(norm < Double.POSITIVE_INFINITY)) {
      return 0;
    }
    return gammas[group] > 0
        ? bounds[group] / (norm + gammas[group])
        : Math.min(1, bounds[group] / norm);
  }
}
