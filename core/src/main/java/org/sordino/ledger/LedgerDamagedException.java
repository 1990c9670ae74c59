package org.sordino.ledger;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Thrown if a file is not the expected ledger. Nothing was read from it, since a lost or changed
 * entry would under-report the privacy cost.
 */
public final class LedgerDamagedException extends RuntimeException {

  private static final long serialVersionUID = 1;

  private static final String RESTORE = "restore the file from a copy, and never edit it";

  private final long line;

  private LedgerDamagedException(
      Path ledger, long line, String problem, String fix, @Nullable Throwable cause) {
    super("ledger " + ledger + ", line " + line + ": " + problem + "; " + fix, cause);
    this.line = line;
  }

  LedgerDamagedException(Path ledger, long line, String problem, String fix) {
    this(ledger, line, problem, fix, null);
  }

  LedgerDamagedException(Path ledger, long line, String problem) {
    this(ledger, line, problem, RESTORE, null);
  }

  LedgerDamagedException(Path ledger, long line, IllegalArgumentException cause) {
    this(ledger, line, String.valueOf(cause.getMessage()), RESTORE, cause);
  }

  /** Returns the number of the first invalid line, counted from 1. */
  public long line() {
    return line;
  }
}
