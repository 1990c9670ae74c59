package org.sordino.cli;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.sordino.table.DemoCensus;
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
          "The private records: a CSV file, mnist, fashion-mnist, cifar-10, or a directory with one"
              + " of them. Without it, a synthetic census of 20,000 people.")
  @Nullable String data;

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
              + " and other file systems; see docs/spark.md.")
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

  /** Whether the number of records is known to everybody. */
  boolean isPublic() {
    return isDemo() || images() != null;
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
    return data != null && Files.isDirectory(Path.of(data)) ? Path.of(data) : null;
  }

  private static ImageData.Source requireImages(Path directory) {
    ImageData.Source source = ImageData.detect(directory);
    if (source == null) {
      throw Numbers.bad(
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
   * Checks all that can be checked before any record is read.
   *
   * @param userColumn where the user of a row stands, or null
   */
  TableLocation table(@Nullable String userColumn) {
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
            data, csv.options(), test, holdout(), engine, master, partitions(), userColumn);
    if (table.isLocal()) {
      requireLocal();
    } else {
      requireCluster();
    }
    return table;
  }

  private void requireLocal() {
    if (master != null || partitions != null) {
      throw new InvalidInputException(
          "--master and --partitions belong to Spark; add --engine spark");
    }
    requireFile("--data", data);
    requireFile("--test", test);
  }

  private void requireCluster() {
    if (!engine.equals("spark")) {
      throw Numbers.bad("--engine", "java or spark", engine, "choose one of them");
    }
    if (data == null) {
      throw new InvalidInputException("--data is missing; the demonstration runs without Spark");
    }
  }

  private int partitions() {
    return partitions == null
        ? 0
        : (int) Numbers.whole("--partitions", partitions, 1, 100_000, "try the number of cores");
  }

  private double holdout() {
    if (holdout == null) {
      return data == null ? 0.2 : 0;
    }
    return Numbers.real(
        "--holdout", holdout, x -> x > 0 && x < 1, "above 0 and below 1", "try 0.2");
  }

  /** Declared, or drafted from the records; the user of a row is no feature. */
  Schema schema(TableLocation table) {
    String userColumn = table.userColumn();
    Schema schema = columns(table);
    return userColumn == null ? schema : schema.ignoring(userColumn, "the user of the row");
  }

  private Schema columns(TableLocation table) {
    if (data == null) {
      return DemoCensus.schema();
    }
    if (schemaFile == null) {
      if (!table.isLocal() && (data.endsWith(".parquet") || !isFile(data))) {
        throw new InvalidInputException(
            "--schema is missing; Spark computes by a declared schema: draft one with 'sordino"
                + " schema' from a file of delimited text with the same columns");
      }
      return Schema.draft(table.source(), label);
    }
    Schema schema = Schema.load(schemaFile);
    if (label != null && !schema.requireLabel().column().equals(label)) {
      throw Numbers.bad(
          "--label",
          "the label of the schema, " + schema.requireLabel().column(),
          label,
          "leave it out or change the schema");
    }
    return schema;
  }

  private static void requireFile(String option, @Nullable String file) {
    if (file != null && !isFile(file)) {
      throw Numbers.bad(option, "a file that exists", file, "check the name");
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
