package org.sordino.cli;

import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.sordino.table.DemoCensus;
import org.sordino.table.Schema;
import org.sordino.torch.ImageData;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Which records, and what to predict. */
final class DataOptions {

  @Option(
      names = "--data",
      paramLabel = "DATA",
      description =
          "The private records: a CSV file, mnist, fashion-mnist, cifar-10, or a directory with one"
              + " of them. Without it, a synthetic census of 20,000 people.")
  @Nullable Path data;

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
  @Nullable Path test;

  @Option(
      names = "--holdout",
      paramLabel = "SHARE",
      description = "Share of the records to test with instead; not used for training.")
  @Nullable String holdout;

  /** Whether the demonstration is asked for. */
  boolean isDemo() {
    return data == null;
  }

  /** Whether the number of records is known to everybody. */
  boolean isPublic() {
    return isDemo() || images() != null;
  }

  /** The image data set that is asked for by its name or directory; null for a table. */
  ImageData.@Nullable Source images() {
    if (data == null) {
      return null;
    }
    ImageData.Source named = ImageData.Source.of(data.toString());
    return named == null && Files.isDirectory(data) ? requireImages(data) : named;
  }

  /** Where its files lie; null for the usual places. */
  @Nullable Path imageFolder() {
    return data != null && Files.isDirectory(data) ? data : null;
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

  /** Checks all that can be checked before any record is read. */
  TableTask.Table table() {
    if (test != null && holdout != null) {
      throw new BadInput("--test and --holdout contradict each other; give one of them");
    }
    if (data == null && (label != null || schemaFile != null || test != null || csv.isGiven())) {
      throw new BadInput("--data is missing; without it the demonstration needs no other file");
    }
    if (data != null && label == null && schemaFile == null) {
      throw new BadInput("--label is missing; name the column to predict");
    }
    requireFile("--data", data);
    requireFile("--test", test);
    return new TableTask.Table(data, csv.options(), test, holdout());
  }

  private double holdout() {
    if (holdout == null) {
      return data == null ? 0.2 : 0;
    }
    return Numbers.real(
        "--holdout", holdout, x -> x > 0 && x < 1, "above 0 and below 1", "try 0.2");
  }

  /** Declared, or drafted from the records. */
  Schema schema(TableTask.Table table) {
    if (data == null) {
      return DemoCensus.schema();
    }
    if (schemaFile == null) {
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

  private static void requireFile(String option, @Nullable Path file) {
    if (file != null && !Files.isRegularFile(file)) {
      throw Numbers.bad(option, "a file that exists", file.toString(), "check the name");
    }
  }
}
