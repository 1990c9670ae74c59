package org.sordino.ledger;

import java.nio.file.Path;

/** Thrown if another process, or another {@link Ledger} in this process, is writing this ledger. */
public final class LedgerLockedException extends RuntimeException {

  private static final long serialVersionUID = 1;

  LedgerLockedException(Path ledger, String where) {
    super(
        "ledger "
            + ledger
            + " is being written "
            + where
            + "; wait until that run has ended, or choose another run directory");
  }
}
