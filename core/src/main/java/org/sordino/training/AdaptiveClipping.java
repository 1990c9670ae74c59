package org.sordino.training;

/**
 * Bounds that follow the data: after every step, S becomes S exp(-rate (b - quantile)), where b is
 * the noisy share of records within S (Andrew et al. 2021, arXiv:1905.03871). Every group of
 * gradients has its own. The update is divided by the current S, so that the learning rate keeps
 * its meaning. The ratio of noise and bound never changes, so the cost is what was planned.
 *
 * @param quantile the share of records that the bound is to cover, in [0, 1]
 * @param rate how fast it moves, in (0, 10]
 */
public record AdaptiveClipping(double quantile, double rate) {

  /** Bounds stay this far from the ends of what can be computed. */
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

  /** Towards this quantile at the pace of the paper. */
  public static AdaptiveClipping to(double quantile) {
    return new AdaptiveClipping(quantile, 0.2);
  }

  /**
   * The next bound.
   *
   * @param bound S
   * @param within the noisy share of records within it
   */
  double next(double bound, double within) {
    double moved = bound * Math.exp(-rate * (Math.max(0, Math.min(1, within)) - quantile));
    return Math.max(1 / LARGEST, Math.min(LARGEST, moved));
  }
}
