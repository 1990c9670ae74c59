package org.sordino.cli;

/** Something the user can mend. Printed as one line; the process ends with code 2. */
final class InvalidInputException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  InvalidInputException(String message) {
    super(message);
  }
}
