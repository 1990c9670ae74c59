package org.sordino.ledger;

import java.io.IOException;
import java.io.UncheckedIOException;

/**
 * Thrown if the ledger could not be opened or written. After a failed write the content of the file
 * is unknown, so every further call to the {@link Ledger} throws. Nothing may be released from
 * steps that it did not confirm.
 */
public final class LedgerWriteException extends UncheckedIOException {

  private static final long serialVersionUID = 1;

  LedgerWriteException(String message, IOException cause) {
    super(message, cause);
  }
}
