package org.sordino.table;

import java.nio.file.Path;
import java.sql.SQLException;
import java.util.Optional;
import java.util.Properties;
import javax.sql.DataSource;

/** A Parquet file, read by DuckDB through JDBC. DuckDB is not needed at compile time. */
final class ParquetSource extends JdbcSource {

  private static final String URL = "jdbc:duckdb:"; // an empty database in memory

  private final Path file;

  private ParquetSource(Path file, DataSource database) {
    super(file.toString(), database, query(file));
    this.file = file;
  }

  static ParquetSource of(Path file) {
    TableFormats.refuse(file);
    Properties settings = new Properties();
    settings.put("jdbc_stream_results", "true");
    settings.put("preserve_insertion_order", "true");
    settings.put("temp_directory", ""); // never spill private records to disk
    settings.put("autoinstall_known_extensions", "false"); // never download anything
    try {
      return new ParquetSource(file, JdbcConnection.dataSource(URL, null, settings));
    } catch (TableException e) {
      throw new TableException(
          file
              + ": Parquet files require the JDBC driver of DuckDB on the class path, got none; add"
              + " the dependency org.duckdb:duckdb_jdbc, or convert the file to CSV");
    }
  }

  /** Returns an empty result: the query is an implementation detail of reading the file. */
  @Override
  public Optional<String> query() {
    return Optional.empty();
  }

  @Override
  public TableSource cached() {
    return this; // a file has the same rows in every scan
  }

  @Override
  void scan(RowSink sink) {
    CsvSource.requireReadable(file);
    super.scan(sink);
  }

  @Override
  Place place() {
    return Place.inParquet(name());
  }

  @Override
  TableException failure(SQLException e) {
    return new TableException(
        name() + " must be a Parquet file that DuckDB can read; check it with another program");
  }

  /** Returns a query in which parent folders such as year=2024 do not add a column. */
  private static String query(Path file) {
    return "select * from read_parquet(" + literal(file) + ", hive_partitioning = false)";
  }

  /** Quotes a path. DuckDB expands patterns in file names, so their characters are in brackets. */
  private static String literal(Path file) {
    String pattern = file.toAbsolutePath().toString().replaceAll("([*?\\[])", "[$1]");
    return "'" + pattern.replace("'", "''") + "'";
  }
}
