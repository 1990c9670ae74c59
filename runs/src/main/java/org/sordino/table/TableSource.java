package org.sordino.table;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import javax.sql.DataSource;

/**
 * A table of private records that can be read from the start any number of times: a file, the
 * result of a database query, or rows that Java code supplies.
 *
 * <p>The same rows in the same order have the same features, targets and users in every source, bit
 * for bit, because all sources convert values to text by the same rules before a {@link Schema}
 * encodes them. A missing value is {@code null}. Leading and trailing spaces are removed from
 * texts. Numbers are compared by value: {@code 3}, {@code 3L} and {@code 3.0} are the same. Dates
 * and times have ISO format. Values of other types, such as arrays, are rejected if a schema uses
 * their column.
 */
public abstract class TableSource {

  private final String name;

  TableSource(String name) {
    this.name = name;
  }

  /** Returns a source that reads a delimited text file with a header, optionally gzipped. */
  public static TableSource csv(Path file) {
    return csv(file, CsvOptions.DEFAULT);
  }

  /** Returns a source that reads a delimited text file, optionally gzipped. */
  public static TableSource csv(Path file, CsvOptions options) {
    return CsvSource.of(file, options);
  }

  /**
   * Returns a source whose rows are Java records of one class. The columns are the components of
   * the record class, in order.
   *
   * @param records the rows, which must not change while the source is in use
   */
  public static TableSource records(List<? extends Record> records) {
    return MemorySource.ofRecords(records);
  }

  /**
   * Returns a source whose rows are maps from column names to values.
   *
   * <p>The columns are the keys of the first row. They have the order of that map if it is ordered
   * ({@code LinkedHashMap}, {@code SortedMap}) and are sorted otherwise, so that the order of the
   * features does not change between runs. In later rows an absent key is a missing value, and a
   * key that is not in the first row is an error.
   *
   * @param rows the rows, which must not change while the source is in use
   */
  public static TableSource rows(List<? extends Map<String, ?>> rows) {
    return MemorySource.ofMaps(rows);
  }

  /**
   * Returns a source whose rows are arrays of values.
   *
   * @param columns the names of the columns, in the order of the values
   * @param rows the rows, which must not change while the source is in use
   */
  public static TableSource arrays(List<String> columns, List<Object[]> rows) {
    return MemorySource.ofArrays(columns, rows);
  }

  /**
   * Returns a source whose records are the rows of a database query.
   *
   * <p>Every scan runs the query once, in a read-only transaction that is rolled back, and streams
   * the rows. If a schema is drafted before the rows are read, use {@link #cached} to run the query
   * only once. Add ORDER BY with a unique key if the order must be the same in another run. {@link
   * QueryWarnings} finds constructs that weaken the guarantee.
   *
   * <p>The columns have the labels that the database reports. Names from databases that store
   * unquoted names in upper case (Oracle, H2) are converted to lower case. A name in a schema, a
   * label or a user column also matches if it differs from exactly one column in case only. Error
   * messages do not contain the messages of the driver, which may quote values.
   *
   * @param database provides a connection for each scan
   * @param query a single SELECT statement
   */
  public static TableSource jdbc(DataSource database, String query) {
    return JdbcSource.of(database, query);
  }

  /**
   * Returns a source that reads a Parquet file, in the order of its rows. The file is read by
   * DuckDB, whose JDBC driver {@code org.duckdb:duckdb_jdbc} must be on the class path.
   *
   * @throws TableException if the driver is not on the class path, or if the file is part of a
   *     Delta Lake, Iceberg or Hudi table, whose files also contain deleted rows
   */
  public static TableSource parquet(Path file) {
    return ParquetSource.of(file);
  }

  /** Returns the SQL query that selects the rows; empty for sources other than databases. */
  public Optional<String> query() {
    return Optional.empty();
  }

  /** Returns the name of the source in error messages, without passwords and table values. */
  public final String name() {
    return name;
  }

  /** Returns the names of the columns, in the order of the source. */
  public List<String> columns() {
    Header header = new Header();
    scan(header);
    return header.names;
  }

  /**
   * Returns a source with the same rows that reads this source at most once. It keeps the rows of
   * the first scan in memory and replays them. Sources that have the same rows in every scan, such
   * as files, return themselves.
   */
  public TableSource cached() {
    return this;
  }

  /**
   * Passes the columns to the sink and, if {@link RowSink#columns} returns true, all rows in order.
   *
   * @throws TableException if the source cannot be read, or if the sink rejects a value
   */
  abstract void scan(RowSink sink);

  @Override
  public String toString() {
    return name;
  }

  /** Stops after the header. */
  private static final class Header implements RowSink {

    private List<String> names = List.of();

    @Override
    public boolean columns(Place place) {
      names = place.columns();
      return false;
    }

    @Override
    public void field(int column, char[] buffer, int offset, int length) {}

    @Override
    public void value(int column, FieldText field) {}

    @Override
    public void endOfRow() {}
  }
}
