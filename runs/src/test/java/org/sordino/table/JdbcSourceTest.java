package org.sordino.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLInvalidAuthorizationSpecException;
import java.sql.SQLSyntaxErrorException;
import java.sql.SQLTransientConnectionException;
import java.util.ArrayList;
import java.util.List;
import java.util.TimeZone;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class JdbcSourceTest {

  private static final String QUERY =
      "select id, age, score, ratio, price, income, code, level, job, member, since, seen, employed"
          + " from people order by pos";
  private static final List<People.Person> ALL = People.people(2500, 1); // more than one fetch
  private static final DataSource H2 = Databases.h2("people");

  @BeforeAll
  static void create() throws SQLException {
    Databases.run(H2, Databases.PEOPLE);
    Databases.insert(H2, ALL);
  }

  @Test
  void labeled_query_givesTheBitsOfTheFile() {
    OwnedExamples expected = People.SCHEMA.labeled(People.csv(ALL), "id");
    TableSource source = TableSource.jdbc(H2, QUERY);

    assertThat(source.columns()).startsWith("id", "age").endsWith("employed");
    Tables.assertSame(People.SCHEMA.labeled(source, "id"), expected);
    Tables.assertSame(People.SCHEMA.labeled(source.cached(), "id"), expected);
    assertThat(People.SCHEMA.unlabeled(source).features())
        .isEqualTo(expected.examples().features());
  }

  @Test
  void draft_query_equalsTheDraftOfTheRecords() {
    Schema expected = Schema.draft(TableSource.records(ALL), "employed");
    Schema drafted = Schema.draft(TableSource.jdbc(H2, QUERY), "employed");

    assertThat(drafted.requireLabel().column()).isEqualTo("employed");
    assertThat(drafted.toJson()).isEqualTo(expected.toJson());
    assertThat(drafted.ignoring("id", "the user").columns())
        .contains(new IgnoredColumn("id", "the user"));
  }

  @Test
  void labeled_zone_makesNoDifference() throws SQLException {
    DataSource database = Databases.h2("zone");
    Databases.run(
        database,
        "create table t (a timestamp, b timestamp with time zone, y int)",
        // The first time does not exist in Paris, where clocks skip from 2 to 3 that night.
        "insert into t values (timestamp '2024-03-31 02:30:00', timestamp with time zone"
            + " '2024-03-31 02:30:00+01:00', 1), (timestamp '2024-03-31 04:30:00', timestamp with"
            + " time zone '2024-03-31 03:30:00+02:00', 0)");
    Schema schema =
        new Schema(
            List.of(
                new CategoryColumn("a", List.of("x", "2024-03-31T02:30:00"), false),
                new CategoryColumn("b", List.of("x", "2024-03-31T01:30:00Z"), false)),
            Schema.MISSING,
            null,
            false);
    TimeZone before = TimeZone.getDefault();
    try {
      for (String zone : List.of("UTC", "Europe/Paris", "America/New_York")) {
        TimeZone.setDefault(TimeZone.getTimeZone(zone));
        TableSource source = TableSource.jdbc(database, "select * from t order by y desc");
        assertThat(schema.unlabeled(source).features()).containsExactly(1, 1, 0.5f, 1);
      }
    } finally {
      TimeZone.setDefault(before);
    }
  }

  @Test
  void labeled_longText_isRead() throws SQLException {
    DataSource database = Databases.h2("clob");
    Databases.run(
        database,
        "create table t (x int, colour clob, photo blob, y varchar)",
        "insert into t values (5, 'red', X'01', 'yes')");

    TableSource source = TableSource.jdbc(database, "select * from t");
    for (TableSource each : List.of(source, source.cached())) {
      assertThat(Tables.row(Tables.SMALL.labeled(each), 0)).containsExactly(0, 0, 1, 0, 0, 0, 0);
      assertThatThrownBy(() -> Tables.SMALL.labeled(each, "photo"))
          .isInstanceOf(TableException.class)
          .hasMessageStartingWith("query row 1: column \"photo\" must be a string, a number")
          .hasMessageContaining("Blob");
    }
  }

  @Test
  void names_caseOnly_matchIfThereIsOneColumn() throws SQLException {
    DataSource database = Databases.h2("names");
    Databases.run(
        database,
        "create table t (x int, \"Colour\" varchar, \"coLOUR\" varchar, y varchar)",
        "insert into t values (5, 'red', 'blue', 'yes')");

    assertRefused(
        TableSource.jdbc(database, "select * from t"),
        "query: column \"colour\" must be in the query result, got columns \"x\", \"Colour\","
            + " \"coLOUR\", \"y\"");
    TableSource exact =
        TableSource.jdbc(database, "select x, \"Colour\" \"colour\", \"coLOUR\", y from t");
    assertThat(Tables.row(Tables.SMALL.labeled(exact), 0)).containsExactly(0, 0, 1, 0, 0, 0, 0);
    assertRefused(
        TableSource.jdbc(database, "select x, \"Colour\", x from t"),
        "query: column names must be unique, got \"x\" twice; rename one with AS");
  }

  /** Otherwise the label itself could become a feature. */
  @Test
  void names_twoForOneColumn_areRefused() throws SQLException {
    DataSource database = Databases.h2("two");
    Databases.run(database, "create table t (x int, y varchar)", "insert into t values (5, 'yes')");
    Column x = new NumericColumn("x", 0, 1, NumericColumn.Scale.LINEAR, List.of(), false);
    Column other = new NumericColumn("X", 0, 1, NumericColumn.Scale.LINEAR, List.of(), false);
    Label label = Label.ofNumber("X", 0, 1);
    TableSource source = TableSource.jdbc(database, "select * from t");

    for (Schema schema :
        List.of(
            new Schema(List.of(x), Schema.MISSING, label, false),
            new Schema(List.of(x, other), Schema.MISSING, Tables.SMALL.requireLabel(), false))) {
      assertThatThrownBy(() -> schema.labeled(source))
          .isInstanceOf(TableException.class)
          .hasMessage(
              "query: column \"x\" must match one name in the schema, got \"x\", \"X\"; delete"
                  + " one of them");
    }
  }

  @Test
  void scan_calls_streamOnceAndCloseEverything() throws SQLException {
    List<String> calls = new ArrayList<>();
    People.SCHEMA.labeled(TableSource.jdbc(Databases.recorded(H2, calls), QUERY));

    assertThat(calls)
        .containsSubsequence(
            "DataSource.getConnection[]",
            "Connection.setReadOnly[true]",
            "Connection.setAutoCommit[false]",
            "Connection.createStatement[1003, 1007]",
            "Statement.setFetchSize[1000]",
            "Statement.executeQuery[" + QUERY + "]",
            "ResultSet.close[]",
            "Statement.close[]",
            "Connection.rollback[]",
            "Connection.setAutoCommit[true]",
            "Connection.setReadOnly[false]",
            "Connection.close[]")
        .containsOnlyOnce(
            "DataSource.getConnection[]",
            "Statement.executeQuery[" + QUERY + "]",
            "Connection.close[]")
        .noneMatch(call -> call.contains("commit") || call.contains("execute["));
  }

  @ParameterizedTest
  @ValueSource(strings = {"select pos, age, employed from people", "select 1/(age-50) from people"})
  void scan_failure_closesEverything(String query) {
    List<String> calls = new ArrayList<>();
    TableSource source = TableSource.jdbc(Databases.recorded(H2, calls), query);

    assertThatThrownBy(() -> People.SCHEMA.labeled(source)).isInstanceOf(TableException.class);
    assertThat(calls).contains("Connection.rollback[]", "Connection.close[]");
    assertThat(calls.stream().filter(call -> call.endsWith(".close[]")))
        .hasSize(calls.contains("ResultSet.getMetaData[]") ? 3 : 2);
  }

  @Test
  void cached_severalScans_runTheQueryOnce() throws SQLException {
    List<String> calls = new ArrayList<>();
    TableSource cached = TableSource.jdbc(Databases.recorded(H2, calls), QUERY).cached();
    assertThat(calls).isEmpty();

    Schema schema = Schema.draft(cached, "employed");
    OwnedExamples first = schema.labeled(cached, "id");
    Tables.assertSame(schema.labeled(cached.cached(), "id"), first);
    assertThat(cached.columns()).hasSize(13);
    assertThat(cached.name()).isEqualTo("query");
    Tables.assertSame(schema.labeled(TableSource.jdbc(H2, QUERY), "id"), first);
    assertThat(calls).containsOnlyOnce("DataSource.getConnection[]");
  }

  @Test
  void cached_values_areReplayedBitForBit() {
    List<Object[]> rows = new ArrayList<>();
    for (Object value :
        new Object[] {
          null,
          "",
          "x",
          " \u00ff ",
          "\u4e2d\u6587",
          "y".repeat(70_000),
          "\u20ac".repeat(500),
          0,
          -1,
          1,
          63,
          64,
          -64,
          12345678,
          -999_999_999_999_999L,
          Long.MIN_VALUE,
          0.1,
          -1e300,
          5e-324,
          9.223372036854775807E18,
          Double.NaN,
          1.5f,
          true,
          new byte[3]
        }) {
      rows.add(new Object[] {value, "1.50"});
    }
    TableSource source = TableSource.arrays(List.of("a", "b"), rows);
    Dump expected = new Dump();
    source.scan(expected);
    for (int round = 0; round < 2; round++) {
      Dump replayed = new Dump();
      new CachedSource(source).scan(replayed);
      assertThat(replayed.lines).isEqualTo(expected.lines);
    }
    assertThat(expected.lines).hasSize(2 * rows.size());
  }

  @Test
  void cached_manyRows_crossChunks() {
    List<People.Person> many = People.people(30_000, 5);
    TableSource source = TableSource.records(many);

    Tables.assertSame(
        People.SCHEMA.labeled(new CachedSource(source), "id"), People.SCHEMA.labeled(source, "id"));
  }

  @Test
  void cached_failure_isTriedAgain() throws SQLException {
    DataSource database = Databases.h2("late");
    TableSource cached = TableSource.jdbc(database, "select x, colour, y from t").cached();
    assertRefused(cached, "query: the query must be valid, got SQLState 42S0");

    Databases.run(
        database,
        "create table t (x int, colour varchar, y varchar)",
        "insert into t values (5, 'red', 'yes')");
    assertThat(Tables.SMALL.labeled(cached).size()).isOne();
  }

  @Test
  void cached_fileOrRows_isTheSourceItself() {
    TableSource csv = Tables.csv("a,b\n1,2\n");
    TableSource rows = TableSource.records(ALL);

    assertThat(csv.cached()).isSameAs(csv);
    assertThat(rows.cached()).isSameAs(rows);
  }

  static Stream<Arguments> failures() {
    return Stream.of(
        Arguments.of(
            new SQLException("to host secret", "08001", 7),
            "query: the database must be reachable, got SQLState 08001, vendor code 7; check the"
                + " host, the port and that the server is running"),
        Arguments.of(new SQLTransientConnectionException("secret"), "must be reachable, got no"),
        Arguments.of(
            new SQLException("password secret", "28P01"),
            "query: the database must accept the user name and password, got SQLState 28P01, vendor"
                + " code 0; check both"),
        Arguments.of(
            new SQLException("secret", "S0001", 18456), "must accept the user name and password"),
        Arguments.of(new SQLException("secret", "08004"), "check the user name, the password"),
        Arguments.of(new SQLException("secret", "3D000"), "check the name of the database"),
        Arguments.of(
            new SQLInvalidAuthorizationSpecException("secret"),
            "must accept the user name and password"),
        Arguments.of(
            new SQLException("column secret", "42703"),
            "query: the query must be valid, got SQLState 42703, vendor code 0; check its syntax"),
        Arguments.of(new SQLSyntaxErrorException("secret"), "must be valid, got no SQLState"),
        Arguments.of(new SQLException("secret", "25006"), "must be read-only"),
        Arguments.of(new SQLException("value 'secret'", "22P02"), "check its casts and divisions"),
        Arguments.of(new SQLException("secret", "57014"), "the query must finish"),
        Arguments.of(
            new SQLException("secret", "the secret"),
            "query: the database must execute the query, got no SQLState, vendor code 0; run it in"
                + " a database client to see the reason"),
        Arguments.of(
            new IllegalStateException("secret"),
            "query: the JDBC driver must run without an error, got"
                + " java.lang.IllegalStateException"));
  }

  @ParameterizedTest
  @MethodSource("failures")
  void scan_driverFailure_isExplainedByItsCodesOnly(Exception failure, String message) {
    failure.addSuppressed(new SQLException("secret"));
    assertRefused(TableSource.jdbc(Databases.failing(failure), "select 'secret'"), message);
  }

  @Test
  void scan_realFailures_areExplained() throws SQLException {
    DataSource database = Databases.h2("failures");
    Databases.run(
        database,
        "create table t (x varchar, y varchar)",
        "insert into t values ('secret', 'yes')");

    assertRefused(
        TableSource.jdbc(database, "select secret from t"), "query: the query must be valid");
    assertRefused(
        TableSource.jdbc(database, "select * from secret"), "query: the query must be valid");
    assertRefused(TableSource.jdbc(database, "select from t where"), "the query must be valid");
    assertRefused(
        TableSource.jdbc(database, "select cast(x as int) x from t"),
        "query: the query must compute a value for every row, got SQLState 22018");
    assertRefused(
        TableSource.jdbc(database, "select x, 'red' colour, y from t"),
        "query row 1: column \"x\" must be a number, got a different value (not shown)");
    assertRefused(
        TableSource.jdbc(database, "select x, 'red' colour, y from t where x is null"),
        "query: the table must have at least one record, got none; check the query");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        ";",
        "-- select",
        "drop table people",
        "delete from people",
        "  /* select */ update people set age = 1",
        "select 1; drop table people",
        "select 1;; delete from people;",
        "select '\\'; commit; delete from people; --'",
        "select 1 # '\n; delete from people; -- '",
        "create table x as select * from people",
        "call system_exit()",
        "insert into people select * from people"
      })
  void jdbc_notOneSelect_isRefusedAtOnce(String query) {
    assertThatThrownBy(() -> TableSource.jdbc(H2, query))
        .isInstanceOf(TableException.class)
        .hasMessageStartingWith("query must be a single SELECT statement; ");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "select 1 a",
        "SELECT 1 a;",
        "  ( select 1 a )",
        "-- a; comment\nselect 1 a; -- and; another",
        "/* ; */ select ';' a",
        "with t as (select 1 a) select * from t",
        "values (1)",
        "table people"
      })
  void jdbc_oneSelect_isRead(String query) {
    assertThat(TableSource.jdbc(H2, query).columns()).isNotEmpty();
  }

  @Test
  void scan_queryThatWrites_changesNothing() throws SQLException {
    DataSource database = Databases.h2("writes");
    Databases.run(
        database,
        "create table t (x int, colour varchar, y varchar)",
        "insert into t values (5, 'red', 'yes')");
    String query =
        "select * from final table (insert into t values (6, 'blue', 'no'))"; // H2's own syntax
    assertThat(Tables.SMALL.labeled(TableSource.jdbc(database, query)).size()).isOne();

    assertThat(Tables.SMALL.labeled(TableSource.jdbc(database, "select * from t")).size()).isOne();
  }

  @Test
  void scan_sharedConnection_keepsItsSettings() throws SQLException {
    try (Connection connection = H2.getConnection()) {
      connection.setAutoCommit(false);
      List<String> calls = new ArrayList<>();
      DataSource pool = Databases.recorded(Databases.lending(connection), calls);
      TableSource.jdbc(pool, QUERY).columns();

      assertThat(connection.isClosed()).isTrue();
      assertThat(calls).contains("Connection.setReadOnly[false]");
      assertThat(calls).doesNotContain("Connection.setAutoCommit[true]");
    }
  }

  private static void assertRefused(TableSource source, String message) {
    Throwable thrown = catchThrowable(() -> Tables.SMALL.labeled(source));
    assertThat(thrown).isInstanceOf(TableException.class).hasMessageContaining(message);
    StringWriter trace = new StringWriter();
    thrown.printStackTrace(new PrintWriter(trace));
    assertThat(trace.toString()).doesNotContain("secret", "SECRET", "Caused by", "Suppressed");
  }

  /** Records the values that a sink receives. */
  private static final class Dump implements RowSink {

    private final List<String> lines = new ArrayList<>();

    @Override
    public boolean columns(Place place) {
      return true;
    }

    @Override
    public void field(int column, char[] buffer, int offset, int length) {
      throw new AssertionError("sources of Java values must call value");
    }

    @Override
    public void value(int column, FieldText field) {
      String kind =
          field.isNumber() ? Long.toHexString(Double.doubleToLongBits(field.number())) : "";
      field.render();
      String text = new String(field.buffer(), field.offset(), field.length());
      lines.add(column + " " + kind + " " + text + " " + field.complaint());
    }

    @Override
    public void endOfRow() {}
  }
}
