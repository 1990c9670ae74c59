package org.sordino.accounting;

/**
 * delta as a function of epsilon for one composition and one {@link Direction}, as certified
 * brackets. What every method of the tight accountant provides; {@link TightAccountant} inverts it.
 */
interface DeltaCurve {

  /**
   * Encloses delta(epsilon) = E[(1 - e^(epsilon - loss))+].
   *
   * @param epsilon at least 0, finite
   */
  Bracket delta(double epsilon);
}
