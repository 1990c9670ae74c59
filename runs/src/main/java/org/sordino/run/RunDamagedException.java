package org.sordino.run;

/**
 * Thrown if a file of a run or a budget is missing or damaged. The message names the file and,
 * where there is one, the fix.
 */
public final class RunDamagedException extends RuntimeException {

  private static final long serialVersionUID = 1;

  /** Creates an exception with a message for people. */
  public RunDamagedException(String message) {
    super(message);
  }
}
