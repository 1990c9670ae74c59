package org.sordino.ledger;

import java.io.IOException;
import java.io.UncheckedIOException;

/**
 * The ledger could not be opened or written. What the file holds is then unknown, so the {@link
 * Ledger} refuses every further call; nothing may be released from steps it did not confirm.
 */
public final class LedgerWriteException extends UncheckedIOException {

  private static final long serialVersionUID = 1;

  LedgerWriteException(String message, IOException cause) {
    super(message, cause);
  }
}
