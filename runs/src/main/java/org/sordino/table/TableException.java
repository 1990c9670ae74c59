package org.sordino.table;

/**
 * A table or schema that the user can mend: the message is one line that names the file, the place,
 * what was expected and the fix.
 *
 * <p>A message may quote a value of the table, shortened. It is meant for the console of whoever
 * owns the table, and for no report, statement or log.
 */
public final class TableException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  public TableException(String message) {
    super(message);
  }

  public TableException(String message, Throwable cause) {
    super(message, cause);
  }
}
