package org.sordino.table;

import java.sql.SQLException;
import java.sql.SQLInvalidAuthorizationSpecException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLSyntaxErrorException;
import java.sql.SQLTimeoutException;
import java.sql.SQLTransientConnectionException;
import java.util.Set;

/**
 * Explains a database failure by its codes. The message of the driver is neither used nor kept as a
 * cause, because it may quote values of the table, the query or a password.
 */
final class SqlFailure {

  /** Codes of Oracle and SQL Server for a wrong password, which have a different SQLState. */
  private static final Set<Integer> WRONG_PASSWORD = Set.of(1017, 18456);

  private SqlFailure() {}

  /** Returns an exception that explains why a query failed. */
  static TableException ofQuery(String source, SQLException e) {
    String[] explanation = explanation(e);
    return new TableException(
        source + ": " + explanation[0] + ", got " + codes(e) + "; " + explanation[1]);
  }

  /** Returns the SQLState and the vendor code, which identify only the kind of failure. */
  static String codes(SQLException e) {
    String state = state(e);
    return (state.isEmpty() ? "no SQLState" : "SQLState " + state)
        + ", vendor code "
        + e.getErrorCode();
  }

  /** Returns the SQLState, or an empty string if it is not well-formed. */
  private static String state(SQLException e) {
    String state = e.getSQLState();
    return state != null && state.matches("[0-9A-Za-z]{5}") ? state : "";
  }

  private static String[] explanation(SQLException e) {
    String state = state(e);
    if (state.startsWith("28")
        || e instanceof SQLInvalidAuthorizationSpecException
        || WRONG_PASSWORD.contains(e.getErrorCode())) {
      return new String[] {"the database must accept the user name and password", "check both"};
    }
    if (state.equals("08004")) { // PostgreSQL, without a password
      return new String[] {
        "the database must accept the connection",
        "check the user name, the password and the server's connection limit"
      };
    }
    if (state.startsWith("3D")) {
      return new String[] {
        "the database must exist on the server", "check the name of the database in the URL"
      };
    }
    if (state.startsWith("08")
        || e instanceof SQLNonTransientConnectionException
        || e instanceof SQLTransientConnectionException) {
      return new String[] {
        "the database must be reachable", "check the host, the port and that the server is running"
      };
    }
    if (state.startsWith("42") || e instanceof SQLSyntaxErrorException) {
      return new String[] {
        "the query must be valid",
        "check its syntax, the names of tables and columns, and the permission to read them"
      };
    }
    if (state.equals("25006")) {
      return new String[] {"the query must be read-only", "use a SELECT without side effects"};
    }
    if (state.startsWith("22")) {
      return new String[] {
        "the query must compute a value for every row", "check its casts and divisions"
      };
    }
    if (state.equals("57014") || e instanceof SQLTimeoutException) {
      return new String[] {
        "the query must finish", "it was canceled or timed out; raise the time limit"
      };
    }
    return new String[] {
      "the database must execute the query", "run it in a database client to see the reason"
    };
  }
}
