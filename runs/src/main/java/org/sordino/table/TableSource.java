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
 * <p>The same rows in the same order give the same features, targets and users from every source,
 * bit for bit, because values become text by one rule before a {@link Schema} encodes them. A
 * missing value is {@code null}. Texts lose the spaces around them. Numbers count by their value:
 * {@code 3}, {@code 3L} and {@code 3.0} are the same. Dates and times have their ISO form. Values
 * of other types, such as arrays, are refused if a schema uses their column.
 */
public abstract class TableSource {

  private final String name;

  TableSource(String name) {
    this.name = name;
  }

  /** A file of delimited text with a header, compressed with gzip or not. */
  public static TableSource csv(Path file) {
    return csv(file, CsvOptions.DEFAULT);
  }

  /** A file of delimited text, compressed with gzip or not. */
  public static TableSource csv(Path file, CsvOptions options) {
    return CsvSource.of(file, options);
  }

  /**
   * Java records of one class, each of them a row. The columns have the names of the record's
   * components, in their order.
   *
   * @param records must not change while the source is in use
   */
  public static TableSource records(List<? extends Record> records) {
    return MemorySource.ofRecords(records);
  }

  /**
   * Maps from column names to values, each of them a row.
   *
   * <p>The keys of the first row are the columns, in the order of that map if it has one ({@code
   * LinkedHashMap}, {@code SortedMap}) and otherwise sorted, so that the order of the features does
   * not change from one run to the next. In later rows an absent key is a missing value, and a key
   * that the first row does not have is an error.
   *
   * @param rows must not change while the source is in use
   */
  public static TableSource rows(List<? extends Map<String, ?>> rows) {
    return MemorySource.ofMaps(rows);
  }

  /**
   * Arrays of values, each of them a row.
   *
   * @param columns the names of the columns, in the order of the values
   * @param rows must not change while the source is in use
   */
  public static TableSource arrays(List<String> columns, List<Object[]> rows) {
    return MemorySource.ofArrays(columns, rows);
  }

  /**
   * The result of a database query, each row of it a record.
   *
   * <p>Every scan runs the query once, in a read-only transaction that is rolled back, and streams
   * the rows. If a schema is drafted before the rows are read, use {@link #cached} to run the query
   * only once. Add ORDER BY with a unique key if the order must be the same in another run; {@link
   * QueryWarnings} finds what else in a query weakens the guarantee.
   *
   * <p>Columns have the labels that the database gives them, except that databases which store
   * unquoted names in upper case (Oracle, H2) get them in lower case. A name in a schema, a label
   * or a user column also matches if it differs from exactly one column in case only. Error
   * messages contain no message of the driver, which may quote values.
   *
   * @param database provides a connection for each scan
   * @param query one SELECT statement
   */
  public static TableSource jdbc(DataSource database, String query) {
    return JdbcSource.of(database, query);
  }

  /**
   * A Parquet file, in the order of its rows. It is read by DuckDB, whose JDBC driver must be on
   * the class path: {@code org.duckdb:duckdb_jdbc}.
   *
   * @throws TableException if the driver is not there
   */
  public static TableSource parquet(Path file) {
    return ParquetSource.of(file);
  }

  /** The SQL query that selects the rows of a database; empty for other sources. */
  public Optional<String> query() {
    return Optional.empty();
  }

  /** What error messages call the source. It contains no password and no value of the table. */
  public final String name() {
    return name;
  }

  /** The names of the columns, in the order of the source. */
  public List<String> columns() {
    Header header = new Header();
    scan(header);
    return header.names;
  }

  /**
   * Returns a source with the same rows that reads this one at most once: it keeps the rows of the
   * first scan in memory and replays them. Sources that give the same rows each time, such as
   * files, return themselves.
   */
  public TableSource cached() {
    return this;
  }

  /**
   * Passes all rows to the sink, in order, unless the sink does not want any.
   *
   * @throws TableException if the source cannot be read, or if the sink refuses a value
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
