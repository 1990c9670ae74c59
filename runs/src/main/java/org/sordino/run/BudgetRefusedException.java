package org.sordino.run;

/** A run would cost more than is left; nothing was started. */
public final class BudgetRefusedException extends RuntimeException {

  private static final long serialVersionUID = 1;

  BudgetRefusedException(String message) {
    super(message);
  }
}
