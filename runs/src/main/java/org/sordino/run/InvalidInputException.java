package org.sordino.run;

/**
 * Thrown for an argument, file or option that the caller can correct. The message names the value
 * and the fix; nothing was trained or written.
 */
public final class InvalidInputException extends IllegalArgumentException {

  private static final long serialVersionUID = 1;

  /** An exception with a message for people. */
  public InvalidInputException(String message) {
    super(message);
  }

  /**
   * An exception with a message in the usual form: {@code <name> must be <condition>, got <value>;
   * <fix>}.
   */
  public static InvalidInputException of(String name, String condition, String got, String fix) {
    return new InvalidInputException(name + " must be " + condition + ", got " + got + "; " + fix);
  }
}
