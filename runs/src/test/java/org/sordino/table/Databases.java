package org.sordino.table;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcDataSource;

/** In-memory databases for tests, and data sources that record or fail calls. */
final class Databases {

  static final String PEOPLE =
      "create table people (pos int, id bigint, age int, score double precision, ratio real,"
          + " price decimal(10, 2), income bigint, code int, level double precision, job varchar,"
          + " member boolean, since date, seen timestamp, employed char(5))";

  private Databases() {}

  /** Returns an in-memory database that exists until the JVM exits. */
  static DataSource h2(String name) {
    JdbcDataSource database = new JdbcDataSource();
    database.setURL("jdbc:h2:mem:" + name + ";DB_CLOSE_DELAY=-1");
    return database;
  }

  static void run(DataSource database, String... statements) throws SQLException {
    try (Connection connection = database.getConnection();
        Statement statement = connection.createStatement()) {
      for (String sql : statements) {
        statement.execute(sql);
      }
    }
  }

  static void insert(DataSource database, List<People.Person> people) throws SQLException {
    String marks = "?" + ", ?".repeat(People.COLUMNS.size());
    try (Connection connection = database.getConnection();
        PreparedStatement insert =
            connection.prepareStatement("insert into people values (" + marks + ")")) {
      for (int row = 0; row < people.size(); row++) {
        insert.setInt(1, row);
        Object[] values = people.get(row).values();
        for (int i = 0; i < values.length; i++) {
          insert.setObject(i + 2, values[i]);
        }
        insert.addBatch();
      }
      insert.executeBatch();
    }
  }

  /** Returns a data source that records calls to connections, statements and results, in order. */
  static DataSource recorded(DataSource database, List<String> calls) {
    return wrap(DataSource.class, database, calls);
  }

  /** Returns a data source that fails with the given exception. */
  static DataSource failing(Exception failure) {
    return dataSource(
        (proxy, method, arguments) -> {
          throw failure;
        });
  }

  /** Returns a data source that always returns the given connection. */
  static DataSource lending(Connection connection) {
    return dataSource((proxy, method, arguments) -> connection);
  }

  /** Returns a data source that keeps its connection open, for a database that closes with it. */
  static DataSource lendingOnly(Connection connection) {
    Class<?>[] types = {Connection.class};
    InvocationHandler handler =
        (proxy, method, arguments) ->
            method.getName().equals("close") ? null : method.invoke(connection, arguments);
    return lending(
        (Connection) Proxy.newProxyInstance(Databases.class.getClassLoader(), types, handler));
  }

  private static DataSource dataSource(InvocationHandler handler) {
    Class<?>[] types = {DataSource.class};
    return (DataSource) Proxy.newProxyInstance(Databases.class.getClassLoader(), types, handler);
  }

  private static <T> T wrap(Class<T> type, Object target, List<String> calls) {
    Object proxy =
        Proxy.newProxyInstance(
            Databases.class.getClassLoader(),
            new Class<?>[] {type},
            (self, method, arguments) -> {
              String name = type.getSimpleName() + "." + method.getName();
              List<Object> given = arguments == null ? List.of() : Arrays.asList(arguments);
              calls.add(name + new ArrayList<>(given));
              try {
                Object result = method.invoke(target, arguments);
                return watched(method.getReturnType())
                    ? wrap(method.getReturnType(), result, calls)
                    : result;
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
    return type.cast(proxy);
  }

  private static boolean watched(Class<?> type) {
    return type == Connection.class || type == Statement.class || type == ResultSet.class;
  }
}
