package org.sordino.run;

/** A run directory is not what was written; the message says which file and what to do. */
public final class RunDamagedException extends RuntimeException {

  private static final long serialVersionUID = 1;

  public RunDamagedException(String message) {
    super(message);
  }
}
