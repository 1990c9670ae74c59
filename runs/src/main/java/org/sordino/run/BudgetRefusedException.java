package org.sordino.run;

/**
 * Thrown when the cost of a run exceeds what is left of its budget. The budget is unchanged, and
 * the run was not started or resumed.
 */
public final class BudgetRefusedException extends RuntimeException {

  private static final long serialVersionUID = 1;

  BudgetRefusedException(String message) {
    super(message);
  }
}
