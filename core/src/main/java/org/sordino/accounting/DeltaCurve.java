package org.sordino.accounting;

/**
 * delta as a function of epsilon for one composition and one {@link Direction}, as certified
 * brackets. Every method of the tight accountant provides one; {@link TightAccountant} inverts it.
 */
interface DeltaCurve {

  /**
   * Returns a bracket of delta(epsilon) = E[(1 - e^(epsilon - loss))+].
   *
   * @param epsilon at least 0, finite
   */
  Bracket delta(double epsilon);
}
