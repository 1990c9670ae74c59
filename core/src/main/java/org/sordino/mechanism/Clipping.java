package org.sordino.mechanism;

import java.io.Serializable;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The clipping rule for engines: a pure function from the norms of a record's vectors to their
 * weights in the sum. No rule needs the vectors themselves.
 *
 * <p>The weights keep the computed weighted vectors of a record within the bound of the group.
 * Given upper bounds on the squared norms, they allow for every rounding up to and including the
 * product w v. With u = 2^-53 and k vectors in a group, the relative error is at most (k + 2) u for
 * the sum of the scaled squares, half of that plus u for its root, and u each for the quotient and
 * the product. The total is less than (k + 16) u, and the bound is lowered by that.
 */
public final class Clipping implements Serializable {

  private static final long serialVersionUID = 1;

  private static final double U = 0x1p-53;

  /** Per group: its vectors, 1 / alpha_j^2, S lowered for rounding, gamma. */
  private final int[][] vectors;

  private final double[][] inverseSquares;
  private final double[] bounds;
  private final double[] gammas;
  private final int[] gradientGroups;
  private final double[] units;
  private final double insideDecay;
  private final double slack;
  private final double scale; // factor of all weights

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

  /** Returns the number of vectors of a record. */
  public int vectors() {
    return units.length;
  }

  /**
   * Returns the size of one unit in the exact sum of a vector: a power of two that depends only on
   * the plan.
   */
  public double unit(int vector) {
    return units[vector];
  }

  /**
   * Returns lambda if lambda theta must be added to the vectors of every record before clipping,
   * otherwise 0.
   */
  public double insideDecay() {
    return insideDecay;
  }

  /**
   * Computes weights from norms.
   *
   * @param squaredNorms upper bounds on |v_ij|^2, record by record: record i, vector j at {@code i
   *     * vectors() + j}; a value that is not finite gives the record's group the weight 0
   * @param weights array of the same shape, filled with w_ij in [0, 1], or in [0, S / gamma] for
   *     automatic clipping
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

  /** Returns the groups that contain gradients, in order. */
  public int[] gradientGroups() {
    return gradientGroups.clone();
  }

  /**
   * Returns whether the vectors of a record in a group are within the bound, and so are not scaled
   * down.
   */
  public boolean isWithin(int group, double[] squaredNorms, int record) {
    return norm(group, squaredNorms, record * units.length) <= bounds[group];
  }

  /**
   * Returns the largest contribution of vectors of these norms when they are added to the vectors
   * of any record with any weight, relative to the bound of their group. If they are lambda theta,
   * the gradient of a record alone may contribute S (1 + reach), of which lambda theta cancels all
   * but S.
   *
   * @param squaredNorms upper bounds on the squared norms, one per vector
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
   * Returns the same rule for gradients that may exceed the clipped vectors by reach times the
   * bound S / (1 + s). Slack s is relative to gradients, so a bound B must satisfy B (1 + s) + s
   * reach S / (1 + s) &lt;= S. The bound is lowered by up to a half. If that is not enough, all
   * weights are lowered too, which also reduces the contribution of lambda theta.
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
