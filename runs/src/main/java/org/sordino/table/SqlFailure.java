package org.sordino.table;

import java.sql.SQLException;
import java.sql.SQLInvalidAuthorizationSpecException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLSyntaxErrorException;
import java.sql.SQLTimeoutException;
import java.sql.SQLTransientConnectionException;
import java.util.Set;

/**
 * Explains a failure of a database by its codes. The message of the driver is not used and not kept
 * as a cause, because it may quote values of the table, the query or a password.
 */
final class SqlFailure {

  /** The codes of Oracle and SQL Server for a wrong password, which have another SQLState. */
  private static final Set<Integer> WRONG_PASSWORD = Set.of(1017, 18456);

  private SqlFailure() {}

  /** Explains why a query failed. */
  static TableException ofQuery(String source, SQLException e) {
    String[] explanation = explanation(e);
    return new TableException(
        source + ": " + explanation[0] + ", got " + codes(e) + "; " + explanation[1]);
  }

  /** The SQLState and the code of the vendor, which identify a kind of failure only. */
  static String codes(SQLException e) {
    String state = state(e);
    return (state.isEmpty() ? "no SQLState" : "SQLState " + state)
        + ", vendor code "
        + e.getErrorCode();
  }

  /** Empty if it does not look like one. */
  private static String state(SQLException e) {
    String state = e.getSQLState();
    return state != null && state.matches("[0-9A-Za-z]{5}") ? state : "";
  }

  private static String[] explanation(SQLException e) {
    String state = state(e);
    if (state.startsWith("28")
        || e instanceof SQLInvalidAuthorizationSpecException
        || WRONG_PASSWORD.contains(e.getErrorCode())) {
      return new String[] {
        "the database must accept the user", "check the user name and the password"
      };
    }
    if (state.equals("08004")) { // PostgreSQL, if no password was given
      return new String[] {
        "the database must accept the connection",
        "check the user name, the password and the server's limits for connections"
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
      return new String[] {"the query must only read", "use a SELECT without side effects"};
    }
    if (state.startsWith("22")) {
      return new String[] {
        "the query must have a value for every row", "check its casts and divisions"
      };
    }
    if (state.equals("57014") || e instanceof SQLTimeoutException) {
      return new String[] {
        "the query must finish", "it was canceled or ran out of time; raise the time limit"
      };
    }
    return new String[] {
      "the database must answer the query", "run it in a database client to see the reason"
    };
  }
}
