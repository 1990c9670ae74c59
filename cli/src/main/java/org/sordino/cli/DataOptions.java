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

/** Which records, what to predict, and who computes. */
final class DataOptions {

  @Option(
      names = "--data",
      paramLabel = "DATA",
      description =
          "The private records: a CSV or Parquet file, the JDBC URL of a database (with --query),"
              + " mnist, fashion-mnist, cifar-10, or a directory with one of them. Without it, a"
              + " synthetic census of 20,000 people.")
  @Nullable String data;

  @Option(
      names = "--query",
      paramLabel = "SQL",
      description =
          "The query that selects the records of a database, one row per person, with ORDER BY on a"
              + " unique key so that a resumed run finds the same rows. User and password may come"
              + " from SORDINO_JDBC_USER and SORDINO_JDBC_PASSWORD.")
  @Nullable String query;

  @Option(
      names = "--jdbc-driver",
      paramLabel = "JAR",
      description = "Jar with the JDBC driver of the database, unless it is on the class path.")
  @Nullable Path driver;

  @Option(names = "--label", paramLabel = "COLUMN", description = "The column to predict.")
  @Nullable String label;

  @Option(
      names = "--schema",
      paramLabel = "SCHEMA.json",
      description =
          "Declared bounds and categories; 'sordino schema' drafts one. Without it they are taken"
              + " from the records, and the statement says so.")
  @Nullable Path schemaFile;

  @Mixin CsvFlags csv;

  @Option(names = "--test", paramLabel = "FILE.csv", description = "Records to test with.")
  @Nullable String test;

  @Option(
      names = "--holdout",
      paramLabel = "SHARE",
      description = "Share of the records to test with instead; not used for training.")
  @Nullable String holdout;

  @Option(
      names = "--engine",
      paramLabel = "NAME",
      description =
          "java: this process. spark: a Spark cluster, which also reads Parquet, folders of files"
              + " and other file systems; see docs/tutorials/spark.md.")
  private String engine = TableLocation.JAVA;

  @Option(
      names = "--master",
      paramLabel = "URL",
      description = "Where Spark computes: local[2], spark://host:7077; not with spark-submit.")
  private @Nullable String master;

  @Option(
      names = "--partitions",
      paramLabel = "N",
      description =
          "Into how many parts Spark cuts the records; a network depends on it in its last bits,"
              + " other models do not.")
  private @Nullable String partitions;

  /** Whether the demonstration is asked for. */
  boolean isDemo() {
    return data == null;
  }

  /** Whether the records are in this process. */
  boolean isLocal() {
    return engine.equals(TableLocation.JAVA);
  }

  /** The image data set that is asked for by its name or directory; null for a table. */
  ImageData.@Nullable Source images() {
    if (data == null || !engine.equals(TableLocation.JAVA)) {
      return null;
    }
    ImageData.Source named = ImageData.Source.of(data);
    Path folder = imageFolder();
    return named == null && folder != null ? requireImages(folder) : named;
  }

  /** Where its files lie; null for the usual places. */
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
          "it holds neither train-images-idx3-ubyte nor data_batch_1.bin, plain or .gz");
    }
    return source;
  }

  /** Refuses what only tables have. */
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
                option + " belongs to tables; " + data + " has labels and test images of its own");
          }
        });
    if (csv.isGiven()) {
      throw new InvalidInputException(
          "options of files with delimiters belong to tables; leave them out");
    }
  }

  /**
   * The table, checked as far as that is possible before any record is read.
   *
   * @param userColumn the column with the user of a row, or null
   */
  TableTask.Builder table(@Nullable String userColumn) {
    TableLocation location = location(userColumn);
    TableTask.Builder table = TableTask.at(location);
    if (schemaFile != null) {
      table.schema(schema(schemaFile));
    } else if (data != null) {
      if (!location.isLocal() && (data.endsWith(".parquet") || !isFile(data))) {
        throw new InvalidInputException(
            "--schema is missing; Spark computes by a declared schema: draft one with 'sordino"
                + " schema' from a file of delimited text with the same columns");
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
          "--engine %s reads tables; images need --engine java".formatted(engine));
    }
    if (test != null && holdout != null) {
      throw new InvalidInputException(
          "--test and --holdout contradict each other; give one of them");
    }
    if (data == null && (label != null || schemaFile != null || test != null || csv.isGiven())) {
      throw new InvalidInputException(
          "--data is missing; without it the demonstration needs no other file");
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
          "--query is missing; give the SQL query that selects the records, one row per person");
    }
    if (!database && (query != null || driver != null)) {
      throw new InvalidInputException(
          "--query and --jdbc-driver need --data with a JDBC URL, such as"
              + " jdbc:postgresql://host/database");
    }
    if (database && (test != null || csv.isGiven())) {
      throw new InvalidInputException(
          (test == null ? "options of CSV files" : "--test")
              + " cannot be combined with a database; use --holdout to test");
    }
    if (driver != null && !Files.isRegularFile(driver)) {
      throw InvalidInputException.of(
          "--jdbc-driver", "a file that exists", driver.toString(), "check the name");
    }
  }

  private void requireLocal() {
    if (master != null || partitions != null) {
      throw new InvalidInputException(
          "--master and --partitions belong to Spark; add --engine spark");
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
      throw new InvalidInputException("--data is missing; the demonstration runs without Spark");
    }
    if (TableLocation.isDatabase(data) || query != null) {
      throw new InvalidInputException("databases are read by --engine java, got --engine spark");
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
