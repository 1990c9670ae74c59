package org.sordino.table;

import java.nio.file.Path;
import java.sql.SQLException;
import java.util.Optional;
import java.util.Properties;
import javax.sql.DataSource;

/** A Parquet file, read by DuckDB through JDBC. Nothing of DuckDB is needed to compile. */
final class ParquetSource extends JdbcSource {

  private static final String URL = "jdbc:duckdb:"; // an empty database in memory

  private final Path file;

  private ParquetSource(Path file, DataSource database) {
    super(file.toString(), database, query(file));
    this.file = file;
  }

  static ParquetSource of(Path file) {
    Properties settings = new Properties();
    settings.put("jdbc_stream_results", "true");
    settings.put("preserve_insertion_order", "true");
    settings.put("temp_directory", ""); // private records are not spilled to disk
    settings.put("autoinstall_known_extensions", "false"); // nor is anything downloaded
    try {
      return new ParquetSource(file, JdbcConnection.dataSource(URL, null, settings));
    } catch (TableException e) {
      throw new TableException(
          file
              + ": Parquet files need the driver of DuckDB on the class path, got none; add the"
              + " dependency org.duckdb:duckdb_jdbc, or convert the file to CSV");
    }
  }

  /** The query is an implementation detail here: the records are those of the file. */
  @Override
  public Optional<String> query() {
    return Optional.empty();
  }

  @Override
  public TableSource cached() {
    return this; // a file has the same rows each time
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

  /** Folders such as year=2024 around the file add no column. */
  private static String query(Path file) {
    return "select * from read_parquet(" + literal(file) + ", hive_partitioning = false)";
  }

  /** DuckDB expands patterns in file names; in brackets, their characters stand for themselves. */
  private static String literal(Path file) {
    String pattern = file.toAbsolutePath().toString().replaceAll("([*?\\[])", "[$1]");
    return "'" + pattern.replace("'", "''") + "'";
  }
}
