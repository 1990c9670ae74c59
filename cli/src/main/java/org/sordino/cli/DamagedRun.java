package org.sordino.cli;

/** A run directory is not what was written; the message says which file and what to do. */
final class DamagedRun extends RuntimeException {

  private static final long serialVersionUID = 1;

  DamagedRun(String message) {
    super(message);
  }
}
