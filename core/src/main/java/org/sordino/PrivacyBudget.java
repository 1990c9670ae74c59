package org.sordino;

/**
 * The parameters of (epsilon, delta)-differential privacy, as a limit or as the amount spent.
 *
 * @param epsilon bound on the privacy loss, at least 0; may be infinite (no guarantee)
 * @param delta probability that the bound fails, in [0, 1]
 */
public record PrivacyBudget(double epsilon, double delta) {

  public PrivacyBudget {
    if (!(epsilon >= 0)) {
      throw new IllegalArgumentException("epsilon must be at least 0, got " + epsilon);
    }
    if (!(delta >= 0 && delta <= 1)) {
      throw new IllegalArgumentException("delta must be in [0, 1], got " + delta);
    }
  }
}
