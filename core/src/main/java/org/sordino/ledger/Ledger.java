package org.sordino.ledger;

/** The ledger. */
public final class Ledger {
  private Ledger() {}
}
