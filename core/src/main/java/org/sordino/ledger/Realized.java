package org.sordino.ledger;

/**
 * What a step did to one group of vectors, in absolute numbers; the reserved event holds only their
 * ratio.
 *
 * @param group the name of the group
 * @param bound S_t, the largest norm of one record's contribution to the sum; infinite if nothing
 *     was bounded
 * @param deviation sigma_t, the noise deviation on the sum
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
