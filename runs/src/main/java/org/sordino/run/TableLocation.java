package org.sordino.run;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import org.jspecify.annotations.Nullable;
import org.sordino.table.CsvOptions;
import org.sordino.table.DemoCensus;
import org.sordino.table.InMemoryRecords;
import org.sordino.table.JdbcConnection;
import org.sordino.table.Schema;
import org.sordino.table.TableEngine;
import org.sordino.table.TableRecords;
import org.sordino.table.TableSource;

/**
 * Where the records of a table are, which engine computes on them, and which of them are held out.
 * In {@code run.json} this is what a resumed run finds its records with.
 *
 * @param file a CSV or Parquet file, the JDBC URL of a database, or whatever else the engine reads;
 *     null for the demonstration
 * @param query the SQL query that selects the rows of a database, or null
 * @param driver the jar with the JDBC driver; null if it is on the class path
 * @param csv how a CSV file is laid out
 * @param test records to test with, or null
 * @param holdout the share of the records to test with instead, or 0
 * @param engine {@link #JAVA}, or the name of a {@link TableEngine}
 * @param master where that engine computes, or null
 * @param partitions into how many parts that engine splits the records, or 0
 * @param userColumn the column with the user of a row, or null
 */
public record TableLocation(
    @Nullable String file,
    @Nullable String query,
    @Nullable Path driver,
    CsvOptions csv,
    @Nullable String test,
    double holdout,
    String engine,
    @Nullable String master,
    int partitions,
    @Nullable String userColumn) {

  /** The engine of this process. */
  public static final String JAVA = "java";

  /** The train/test split follows from this public seed and the position or user of a row. */
  static final long HOLDOUT_SEED = 20_160_701;

  private static final String DEMO = "demo";

  /** Whether the records are read into this process. */
  public boolean isLocal() {
    return engine.equals(JAVA);
  }

  boolean isDemo() {
    return file == null;
  }

  /** A file, or the demonstration if it is null, in this process. */
  public static TableLocation of(
      @Nullable String file,
      CsvOptions csv,
      @Nullable String test,
      double holdout,
      @Nullable String userColumn) {
    return new TableLocation(file, null, null, csv, test, holdout, JAVA, null, 0, userColumn);
  }

  /** Whether a location is the JDBC URL of a database. */
  public static boolean isDatabase(@Nullable String location) {
    return location != null && location.startsWith("jdbc:");
  }

  /** The records. */
  public TableSource source() {
    return file == null ? DemoCensus.source(DemoCensus.PEOPLE) : source(file);
  }

  private TableSource source(String location) {
    if (isDatabase(location)) {
      return TableSource.jdbc(
          JdbcConnection.dataSource(location, driver, credentials()),
          Objects.requireNonNull(query, "a database needs a query"));
    }
    return location.endsWith(".parquet")
        ? TableSource.parquet(Path.of(location))
        : TableSource.csv(Path.of(location), csv);
  }

  /** User and password from the environment, so that they are on no command line. */
  private static Properties credentials() {
    Properties properties = new Properties();
    String user = System.getenv("SORDINO_JDBC_USER");
    String password = System.getenv("SORDINO_JDBC_PASSWORD");
    if (user != null) {
      properties.setProperty("user", user);
    }
    if (password != null) {
      properties.setProperty("password", password);
    }
    return properties;
  }

  /** What messages and files call the records; never with credentials. */
  String name() {
    if (file == null) {
      return DEMO;
    }
    return isDatabase(file) ? JdbcConnection.redacted(file) : file;
  }

  /** Hides credentials in the URL of a database. */
  @Override
  public String toString() {
    return name();
  }

  /** Connects to a database with another URL, which names the same one. */
  TableLocation at(String url) {
    return new TableLocation(
        url, query, driver, csv, test, holdout, engine, master, partitions, userColumn);
  }

  /** Reads the records into this process. */
  TableRecords read(TableSource source, Schema schema) {
    return InMemoryRecords.read(
        source, test == null ? null : source(test), holdout, HOLDOUT_SEED, userColumn, schema);
  }

  /** Reads the records where another engine computes on them. */
  TableRecords readFromEngine(Schema schema) {
    TableEngine found = TableEngine.find(engine);
    if (found == null || file == null) {
      throw new InvalidInputException(
          "`engine` must be java, or "
              + engine
              + " with its libraries on the class path, got "
              + engine
              + " without; docs/tutorials/spark.md says how to start it");
    }
    return found.open(
        new TableEngine.Request(
            file, csv, schema, test, holdout, HOLDOUT_SEED, master, partitions, userColumn));
  }

  Map<String, @Nullable Object> json() {
    Map<String, @Nullable Object> json = new LinkedHashMap<>();
    Character delimiter = csv.delimiter();
    json.put("task", TableTask.KIND);
    json.put("file", name());
    if (query != null) {
      json.put("query", query);
      json.put("driver", driver == null ? null : driver.toString());
    }
    json.put("header", csv.header());
    json.put("delimiter", delimiter == null ? null : delimiter.toString());
    json.put("test", test);
    json.put("holdout", holdout);
    if (!isLocal()) {
      json.put("engine", engine);
      json.put("master", master);
      json.put("partitions", (long) partitions);
    }
    if (userColumn != null) {
      json.put("userColumn", userColumn);
    }
    return json;
  }

  static TableLocation of(TaskInfo info) {
    String file = info.data();
    String delimiter = info.text("delimiter");
    String engine = info.engine();
    CsvOptions csv =
        new CsvOptions(
            Boolean.TRUE.equals(info.json().get("header")),
            delimiter == null ? null : delimiter.charAt(0));
    return new TableLocation(
        DEMO.equals(file) ? null : file,
        info.query(),
        info.text("driver") == null ? null : Path.of(String.valueOf(info.text("driver"))),
        csv,
        info.text("test"),
        info.holdout(),
        engine == null ? JAVA : engine,
        info.text("master"),
        info.json().get("partitions") instanceof Number parts ? parts.intValue() : 0,
        info.userColumn());
  }
}
