package org.sordino.ledger;

/**
 * The bound and the noise of one group of vectors in a step, in absolute numbers. The reserved
 * event contains only their ratio.
 *
 * @param group name of the group
 * @param bound S_t, the largest norm of one record's contribution to the sum; infinite without
 *     clipping
 * @param deviation sigma_t, the standard deviation of the noise on the sum
 */
public record Realized(String group, double bound, double deviation) {

  public Realized {
    if (group.isBlank()) {
      throw new IllegalArgumentException("group must not be blank");
    }
    if (!(bound >= 0)) {
      throw new IllegalArgumentException(
          "bound of group " + group + " must be at least 0, got " + bound);
    }
    if (!(deviation >= 0)) {
      throw new IllegalArgumentException(
          "deviation of group " + group + " must be at least 0, got " + deviation);
    }
  }
}
