package org.sordino;

/**
 * What may be spent, or was: (epsilon, delta)-differential privacy.
 *
 * @param epsilon bound on the privacy loss, at least 0; may be infinite (no guarantee)
 * @param delta probability with which the bound may fail, in [0, 1]
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
