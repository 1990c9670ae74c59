package org.sordino.training;

/**
 * Adaptive clipping: bounds that follow a quantile of the gradient norms. After every step, the
 * bound S becomes S exp(-rate (b - quantile)), where b is the noisy share of records with a norm of
 * at most S (Andrew et al. 2021, arXiv:1905.03871). Every group of gradients has a separate bound.
 * The update is divided by the current S, so the meaning of the learning rate does not depend on S.
 * The ratio of noise to bound is constant, so the privacy cost is the planned one.
 *
 * @param quantile share of records that the bound should cover, in [0, 1]
 * @param rate learning rate of the bound, in (0, 10]
 */
public record AdaptiveClipping(double quantile, double rate) {

  /** Largest bound; 1 / LARGEST is the smallest one. */
  private static final double LARGEST = 1e20;

  public AdaptiveClipping {
    if (!(quantile >= 0 && quantile <= 1)) {
      throw new IllegalArgumentException(
          "quantile of adaptive clipping must be in [0, 1], got " + quantile);
    }
    if (!(rate > 0 && rate <= 10)) {
      throw new IllegalArgumentException(
          "rate of adaptive clipping must be in (0, 10], got " + rate);
    }
  }

  /** Returns adaptive clipping to a quantile with the rate of the paper, 0.2. */
  public static AdaptiveClipping to(double quantile) {
    return new AdaptiveClipping(quantile, 0.2);
  }

  /**
   * Returns the next bound.
   *
   * @param bound current bound S
   * @param within noisy share of records within the bound
   */
  double next(double bound, double within) {
    double moved = bound * Math.exp(-rate * (Math.max(0, Math.min(1, within)) - quantile));
    return Math.max(1 / LARGEST, Math.min(LARGEST, moved));
  }
}
