package org.sordino.cli;

/** A run directory is not what was written; the message says which file and what to do. */
final class RunDamagedException extends RuntimeException {

  private static final long serialVersionUID = 1;

  RunDamagedException(String message) {
    super(message);
  }
}
