package org.sordino.cli;

/** A run would cost more than is left; nothing was started. */
final class BudgetRefused extends RuntimeException {

  private static final long serialVersionUID = 1;

  BudgetRefused(String message) {
    super(message);
  }
}
