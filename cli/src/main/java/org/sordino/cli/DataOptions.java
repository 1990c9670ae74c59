package org.sordino.cli;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.sordino.run.InvalidInputException;
import org.sordino.run.TableLocation;
import org.sordino.run.TableTask;
import org.sordino.table.Schema;
import org.sordino.torch.ImageData;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The options that select the records, the label and the engine. */
final class DataOptions {

  @Option(
      names = "--data",
      paramLabel = "DATA",
      description =
          "Private records: a CSV or Parquet file, the JDBC URL of a database (with --query),"
              + " mnist, fashion-mnist, cifar-10, or a directory with one of these image data sets"
              + " (default: a synthetic census of 20,000 people)")
  @Nullable String data;

  @Option(
      names = "--query",
      paramLabel = "SQL",
      description =
          "SQL query that selects the records of a database, one row per person unless --unit is"
              + " user or user-update, with ORDER BY on a unique key so that a resumed run reads the"
              + " same rows; user name and password can be set in SORDINO_JDBC_USER and"
              + " SORDINO_JDBC_PASSWORD")
  @Nullable String query;

  @Option(
      names = "--jdbc-driver",
      paramLabel = "JAR",
      description =
          "JAR file with the JDBC driver of the database (default: a driver on the class path)")
  @Nullable Path driver;

  @Option(names = "--label", paramLabel = "COLUMN", description = "Column to predict")
  @Nullable String label;

  @Option(
      names = "--schema",
      paramLabel = "SCHEMA.json",
      description =
          "Declared bounds and categories, for example drafted by 'sordino schema' (default: taken"
              + " from the records, outside the guarantee, with a note in the statement)")
  @Nullable Path schemaFile;

  @Mixin CsvFlags csv;

  @Option(names = "--test", paramLabel = "FILE.csv", description = "File with test records")
  @Nullable String test;

  @Option(
      names = "--holdout",
      paramLabel = "SHARE",
      description =
          "Share of the records held out for testing, in place of --test (default: 0, or 0.2 for"
              + " the demonstration)")
  @Nullable String holdout;

  @Option(
      names = "--engine",
      paramLabel = "NAME",
      description =
          "Engine: java for this process, or spark for a Spark cluster, which also reads"
              + " folders of files and other file systems (default: java); see"
              + " docs/tutorials/spark.md")
  private String engine = TableLocation.JAVA;

  @Option(
      names = "--master",
      paramLabel = "URL",
      description =
          "URL of the Spark master, such as local[2] or spark://host:7077; not used with"
              + " spark-submit")
  private @Nullable String master;

  @Option(
      names = "--partitions",
      paramLabel = "N",
      description =
          "Number of Spark partitions of the records; changes the last bits of a network, but not"
              + " of other models (default: at least one per core)")
  private @Nullable String partitions;

  /** Whether the run is the demonstration. */
  boolean isDemo() {
    return data == null;
  }

  /** Whether the records are read by this process. */
  boolean isLocal() {
    return engine.equals(TableLocation.JAVA);
  }

  /** Returns the image data set named by {@code --data} or found there; null for a table. */
  ImageData.@Nullable Source images() {
    if (data == null || !engine.equals(TableLocation.JAVA)) {
      return null;
    }
    ImageData.Source named = ImageData.Source.of(data);
    Path folder = imageFolder();
    return named == null && folder != null ? requireImages(folder) : named;
  }

  /** Returns the directory of the image files; null for the default locations. */
  @Nullable Path imageFolder() {
    return data != null && !TableLocation.isDatabase(data) && Files.isDirectory(Path.of(data))
        ? Path.of(data)
        : null;
  }

  private static ImageData.Source requireImages(Path directory) {
    ImageData.Source source = ImageData.detect(directory);
    if (source == null) {
      throw InvalidInputException.of(
          "--data",
          "a file, or a directory with MNIST or CIFAR-10",
          directory.toString(),
          "the directory contains neither train-images-idx3-ubyte nor data_batch_1.bin, plain or"
              + " .gz");
    }
    return source;
  }

  /** Rejects the options that apply only to tables. */
  void requireNothingOfTables() {
    Map<String, @Nullable Object> others = new LinkedHashMap<>();
    others.put("--query", query);
    others.put("--jdbc-driver", driver);
    others.put("--test", test);
    others.put("--holdout", holdout);
    others.put("--label", label);
    others.put("--schema", schemaFile);
    others.put("--master", master);
    others.put("--partitions", partitions);
    others.forEach(
        (option, value) -> {
          if (value != null) {
            throw new InvalidInputException(
                ("%s applies only to tables; leave it out, because %s has its own labels and test"
                        + " images")
                    .formatted(option, data));
          }
        });
    if (csv.isGiven()) {
      throw new InvalidInputException(
          "--no-header and --delimiter apply only to tables; leave them out");
    }
  }

  /**
   * Returns the table, checked as far as possible without reading a record.
   *
   * @param userColumn column with the user ID, or null
   */
  TableTask.Builder table(@Nullable String userColumn) {
    TableLocation location = location(userColumn);
    TableTask.Builder table = TableTask.at(location);
    if (schemaFile != null) {
      table.schema(schema(schemaFile));
    } else if (data != null) {
      if (!location.isLocal() && (data.endsWith(".parquet") || !isFile(data))) {
        throw new InvalidInputException(
            "--schema is missing, because Spark needs a declared schema; draft one with 'sordino"
                + " schema' from a CSV file with the same columns");
      }
      table.label(Objects.requireNonNull(label));
    }
    return table;
  }

  private Schema schema(Path file) {
    Schema schema = Schema.load(file);
    String column = schema.requireLabel().column();
    if (label != null && !column.equals(label)) {
      throw InvalidInputException.of(
          "--label",
          "the label of the schema, " + column,
          label,
          "leave it out or change the schema");
    }
    return schema;
  }

  private TableLocation location(@Nullable String userColumn) {
    if (data != null && ImageData.Source.of(data) != null) {
      throw new InvalidInputException(
          "--engine %s reads only tables; use --engine java for images".formatted(engine));
    }
    if (test != null && holdout != null) {
      throw new InvalidInputException("--test and --holdout cannot be combined; use one of them");
    }
    if (data == null && (label != null || schemaFile != null || test != null || csv.isGiven())) {
      throw new InvalidInputException(
          "--data is missing; add it, or leave out --label, --schema, --test, --no-header and"
              + " --delimiter for the demonstration");
    }
    if (data != null && label == null && schemaFile == null) {
      throw new InvalidInputException("--label is missing; name the column to predict");
    }
    TableLocation table =
        new TableLocation(
            data,
            query,
            driver,
            csv.options(),
            test,
            holdout(),
            engine,
            master,
            partitions(),
            userColumn);
    if (table.isLocal()) {
      requireLocal();
    } else {
      requireCluster();
    }
    return table;
  }

  private void requireQuery() {
    boolean database = TableLocation.isDatabase(data);
    if (database && query == null) {
      throw new InvalidInputException(
          "--query is missing; add the SQL query that selects the records");
    }
    if (!database && (query != null || driver != null)) {
      throw new InvalidInputException(
          "--query and --jdbc-driver need --data with a JDBC URL, such as"
              + " jdbc:postgresql://host/database");
    }
    if (database && (test != null || csv.isGiven())) {
      throw new InvalidInputException(
          (test == null ? "--no-header and --delimiter" : "--test")
              + " cannot be combined with a database; use --holdout to test");
    }
    if (driver != null && !Files.isRegularFile(driver)) {
      throw InvalidInputException.of(
          "--jdbc-driver", "a file that exists", driver.toString(), "check the name");
    }
  }

  private void requireLocal() {
    if (master != null || partitions != null) {
      throw new InvalidInputException("--master and --partitions need --engine spark");
    }
    requireQuery();
    if (!TableLocation.isDatabase(data)) {
      requireFile("--data", data);
    }
    requireFile("--test", test);
  }

  private void requireCluster() {
    if (!engine.equals("spark")) {
      throw InvalidInputException.of("--engine", "java or spark", engine, "choose one of them");
    }
    if (data == null) {
      throw new InvalidInputException("--data is missing; use --engine java for the demonstration");
    }
    if (TableLocation.isDatabase(data) || query != null) {
      throw new InvalidInputException("--engine spark cannot read databases; use --engine java");
    }
  }

  private int partitions() {
    return partitions == null
        ? 0
        : (int)
            OptionValues.whole("--partitions", partitions, 1, 100_000, "try the number of cores");
  }

  private double holdout() {
    if (holdout == null) {
      return data == null ? 0.2 : 0;
    }
    return OptionValues.real(
        "--holdout", holdout, x -> x > 0 && x < 1, "above 0 and below 1", "try 0.2");
  }

  private static void requireFile(String option, @Nullable String file) {
    if (file != null && !isFile(file)) {
      throw InvalidInputException.of(option, "a file that exists", file, "check the name");
    }
  }

  private static boolean isFile(String name) {
    try {
      return Files.isRegularFile(Path.of(name));
    } catch (java.nio.file.InvalidPathException e) {
      return false;
    }
  }
}
