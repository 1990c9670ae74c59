package org.sordino.run;

/**
 * Thrown for an argument, file or option that the caller can correct. The message names the value
 * and the fix. Nothing was trained or written.
 */
public final class InvalidInputException extends IllegalArgumentException {

  private static final long serialVersionUID = 1;

  /** Creates an exception with a message for people. */
  public InvalidInputException(String message) {
    super(message);
  }

  /**
   * Creates an exception with a message of the form {@code <name> must be <condition>, got <value>;
   * <fix>}.
   *
   * @param name name of the argument, file or option
   * @param condition condition that the value must satisfy
   * @param got actual value
   * @param fix suggested fix
   */
  public static InvalidInputException of(String name, String condition, String got, String fix) {
    return new InvalidInputException(name + " must be " + condition + ", got " + got + "; " + fix);
  }
}
