package org.sordino.table;

/**
 * Thrown for an error in a table or schema that the user can correct. The message is a single line
 * with the file, the position in it, the expected value and the fix.
 *
 * <p>A message may quote a shortened value of the table. Show it only to the owner of the table,
 * for example on the console. Do not write it to a report, statement or log.
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
