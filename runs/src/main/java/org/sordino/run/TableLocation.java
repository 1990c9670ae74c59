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
 * The location of a table, the engine that computes on it, and the split into training and test
 * records. It is stored in {@code run.json}, so a resumed run can read its records again.
 *
 * @param file CSV or Parquet file, JDBC URL of a database, or another location that the engine
 *     reads; null for the built-in demo census
 * @param query SQL query that selects the rows of a database, or null
 * @param driver jar with the JDBC driver; null if the driver is on the class path
 * @param csv format of a CSV file
 * @param test location of the test records, or null
 * @param holdout share of the records held out for testing if {@code test} is null, or 0
 * @param engine {@link #JAVA}, or the name of a {@link TableEngine}
 * @param master master URL of that engine, or null
 * @param partitions number of partitions that the engine splits the records into, or 0
 * @param userColumn column with the user ID of each row, or null
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

  /** The name of the engine that computes in this process. */
  public static final String JAVA = "java";

  /**
   * Public seed of the train/test split. The split is a function of this seed and of the position
   * or user of each row.
   */
  static final long HOLDOUT_SEED = 20_160_701;

  static final String DEMO = "demo";

  /**
   * Field of {@code run.json} with the way in which another engine places a network's records in
   * partitions. It is missing in runs of early builds, which placed them by position.
   */
  static final String PLACEMENT = "placement";

  static final String BY_CONTENT = "content";

  /** Returns whether the records are read into this process. */
  public boolean isLocal() {
    return engine.equals(JAVA);
  }

  boolean isDemo() {
    return file == null;
  }

  /**
   * Returns the location of a file that is read into this process.
   *
   * @param file CSV or Parquet file; null for the built-in demo census
   * @param csv format of a CSV file
   * @param test location of the test records, or null
   * @param holdout share of the records held out for testing, or 0
   * @param userColumn column with the user ID of each row, or null
   */
  public static TableLocation of(
      @Nullable String file,
      CsvOptions csv,
      @Nullable String test,
      double holdout,
      @Nullable String userColumn) {
    return new TableLocation(file, null, null, csv, test, holdout, JAVA, null, 0, userColumn);
  }

  /** Returns whether a location is the JDBC URL of a database. */
  public static boolean isDatabase(@Nullable String location) {
    return location != null && location.startsWith("jdbc:");
  }

  /** Returns a source that reads the training records. */
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

  /** Reads user and password from the environment, so that no command line contains them. */
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

  /** The name of the data in messages and files, without credentials. */
  String name() {
    if (file == null) {
      return DEMO;
    }
    return isDatabase(file) ? JdbcConnection.redacted(file) : file;
  }

  /** Returns the name of the data, without the credentials of a JDBC URL. */
  @Override
  public String toString() {
    return name();
  }

  /** Returns this location with another URL of the same database. */
  TableLocation at(String url) {
    return new TableLocation(
        url, query, driver, csv, test, holdout, engine, master, partitions, userColumn);
  }

  /** Reads the records into this process. */
  TableRecords read(TableSource source, Schema schema) {
    return InMemoryRecords.read(
        source, test == null ? null : source(test), holdout, HOLDOUT_SEED, userColumn, schema);
  }

  /** Opens the records in the engine that computes on them. */
  TableRecords readFromEngine(Schema schema) {
    TableEngine found = TableEngine.find(engine);
    if (found == null || file == null) {
      throw new InvalidInputException(
          "`engine` must be java, or "
              + engine
              + " with its libraries on the class path, got "
              + engine
              + " without them; see docs/tutorials/spark.md");
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
      json.put(PLACEMENT, BY_CONTENT);
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
