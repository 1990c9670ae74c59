package org.sordino.table;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.sordino.table.SqlReading.Token;

/**
 * The result of a database query. Every scan opens a connection, runs the query once, streams its
 * rows, rolls back and closes the connection.
 *
 * <p>Exceptions of the driver never leave this class, because their messages may quote values of
 * the table or a password.
 */
class JdbcSource extends TableSource {

  /** Rows per round trip; small enough that wide rows fit into memory. */
  private static final int FETCH_SIZE = 1_000;

  private static final Set<String> READING = Set.of("SELECT", "WITH", "VALUES", "TABLE", "FROM");

  private final DataSource database;
  private final String query;

  /** Creates a source for a statement that is known to be read-only. */
  JdbcSource(String name, DataSource database, String query) {
    super(name);
    this.database = database;
    this.query = query;
  }

  static JdbcSource of(DataSource database, String query) {
    requireOneSelect(query);
    return new JdbcSource("query", database, query);
  }

  /** Returns the position of a row for error messages. */
  Place place() {
    return Place.inQuery(name());
  }

  /** Converts an exception of the driver to one that does not contain its message. */
  TableException failure(SQLException e) {
    return SqlFailure.ofQuery(name(), e);
  }

  @Override
  public Optional<String> query() {
    return Optional.of(query);
  }

  @Override
  public TableSource cached() {
    return new CachedSource(this);
  }

  @Override
  void scan(RowSink sink) {
    Connection connection = call(database::getConnection);
    try {
      Settings before = Settings.of(connection);
      attempt(() -> connection.setReadOnly(true));
      attempt(() -> connection.setAutoCommit(false)); // PostgreSQL does not stream with auto-commit
      try {
        run(connection, sink);
      } finally {
        attempt(connection::rollback);
        before.restore(connection);
      }
    } finally {
      attempt(connection::close);
    }
  }

  private void run(Connection connection, RowSink sink) {
    Statement statement =
        call(
            () ->
                connection.createStatement(
                    ResultSet.TYPE_FORWARD_ONLY, ResultSet.CONCUR_READ_ONLY));
    try {
      boolean upperCase = call(() -> connection.getMetaData().storesUpperCaseIdentifiers());
      int fetchSize = fetchSize(connection);
      attempt(() -> statement.setFetchSize(fetchSize));
      ResultSet rows = call(() -> statement.executeQuery(query));
      try {
        read(rows, upperCase, sink);
      } finally {
        attempt(rows::close);
      }
    } finally {
      attempt(statement::close);
    }
  }

  private void read(ResultSet rows, boolean upperCase, RowSink sink) {
    List<JdbcColumn> columns = call(() -> JdbcColumn.all(rows.getMetaData(), upperCase));
    List<String> names = columns.stream().map(JdbcColumn::label).toList();
    RowWriter writer = new RowWriter(place(), sink);
    if (!writer.begin(names)) {
      return;
    }
    @Nullable Object[] values = new Object[columns.size()];
    while (call(rows::next)) {
      call(
          () -> {
            for (int i = 0; i < values.length; i++) {
              values[i] = columns.get(i).read(rows);
            }
            return values;
          });
      writer.row(values);
    }
    writer.end();
  }

  /** MySQL streams only with a special fetch size; with others it loads the whole result. */
  private static int fetchSize(Connection connection) {
    try {
      boolean mysql = "MySQL".equals(connection.getMetaData().getDatabaseProductName());
      return mysql ? Integer.MIN_VALUE : FETCH_SIZE;
    } catch (SQLException | RuntimeException e) {
      return FETCH_SIZE;
    }
  }

  /** Calls the driver and replaces its exceptions. */
  private <T> T call(Call<T> call) {
    try {
      return call.run();
    } catch (SQLException e) {
      throw failure(e);
    } catch (RuntimeException e) {
      throw new TableException(
          name()
              + ": the JDBC driver must run without an error, got "
              + e.getClass().getName()
              + "; check its version and configuration");
    }
  }

  /** Calls a method that some drivers do not support, or that must not hide an earlier failure. */
  private static void attempt(Action action) {
    try {
      action.run();
    } catch (SQLException | RuntimeException e) {
      // The scan continues without it.
    }
  }

  /**
   * Rejects everything except a single SELECT statement. Some databases commit a DROP TABLE
   * immediately. Other changes are undone by the rollback at the end, unless a second statement
   * commits before it. A query is therefore rejected if it contains a second statement in any
   * dialect: {@code select '\'; commit; ... --'} is one statement for MySQL and three for
   * PostgreSQL.
   */
  private static void requireOneSelect(String query) {
    List<List<Token>> readings =
        SqlReading.all(query).stream().map(JdbcSource::withoutLastSemicolons).toList();
    boolean one = readings.stream().flatMap(List::stream).noneMatch(token -> token.is(";"));
    if (!one || readings.stream().noneMatch(JdbcSource::isSelect)) {
      throw new TableException(
          "query must be a single SELECT statement; start it with SELECT or WITH, and remove"
              + " semicolons and additional statements");
    }
  }

  private static List<Token> withoutLastSemicolons(SqlReading reading) {
    List<Token> tokens = reading.tokens();
    int end = tokens.size();
    while (end > 0 && tokens.get(end - 1).is(";")) {
      end--;
    }
    return tokens.subList(0, end);
  }

  private static boolean isSelect(List<Token> tokens) {
    return tokens.stream()
        .filter(token -> !token.is("("))
        .findFirst()
        .filter(token -> READING.contains(token.text()))
        .isPresent();
  }

  /** The settings of a connection before the scan, to restore before it returns to its pool. */
  private record Settings(@Nullable Boolean readOnly, @Nullable Boolean autoCommit) {

    static Settings of(Connection connection) {
      Boolean readOnly = null;
      Boolean autoCommit = null;
      try {
        readOnly = connection.isReadOnly();
        autoCommit = connection.getAutoCommit();
      } catch (SQLException | RuntimeException e) {
        // An unknown setting is not restored.
      }
      return new Settings(readOnly, autoCommit);
    }

    void restore(Connection connection) {
      if (autoCommit != null) {
        attempt(() -> connection.setAutoCommit(autoCommit));
      }
      if (readOnly != null) {
        attempt(() -> connection.setReadOnly(readOnly));
      }
    }
  }

  private interface Call<T> {

    T run() throws SQLException;
  }

  private interface Action {

    void run() throws SQLException;
  }
}
