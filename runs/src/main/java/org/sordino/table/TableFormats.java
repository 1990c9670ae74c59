package org.sordino.table;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.Supplier;

/**
 * Recognizes folders of Delta Lake, Apache Iceberg and Apache Hudi tables. Their Parquet files also
 * contain rows that were deleted or replaced. Only the metadata of the table tells which rows are
 * current, so the files must not be read one by one.
 */
public final class TableFormats {

  private static final String DELTA = "_delta_log";
  private static final String HUDI = ".hoodie";
  private static final String ICEBERG = "metadata";

  private TableFormats() {}

  /** Returns the names of the subfolders that may mark a folder as a table. */
  public static List<String> markers() {
    return List.of(DELTA, HUDI, ICEBERG);
  }

  /**
   * Refuses a folder that is a table of one of these formats.
   *
   * @param location location of the records, for the error message
   * @param folder the location itself, or a folder above or below it
   * @param names names in the folder, at least those of {@link #markers} that exist
   * @param metadata lists the names in its subfolder {@code metadata}
   * @throws TableException if the folder is such a table
   */
  public static void refuse(
      String location,
      String folder,
      Collection<String> names,
      Supplier<? extends Collection<String>> metadata) {
    if (names.contains(DELTA)) {
      throw refusal(location, folder, "Delta Lake", "delta");
    }
    if (names.contains(HUDI)) {
      throw refusal(location, folder, "Apache Hudi", "hudi");
    }
    // Files such as v3.metadata.json and v3.metadata.json.gz; other data may have such a folder.
    if (names.contains(ICEBERG)
        && metadata.get().stream().anyMatch(name -> name.contains(".metadata.json"))) {
      throw refusal(location, folder, "Apache Iceberg", "iceberg");
    }
  }

  private static TableException refusal(
      String location, String folder, String format, String reader) {
    return new TableException(
        ("%s must not be part of a table that needs its own reader, got a folder of %s (%s), whose"
                + " files also contain deleted and replaced rows; read the table with"
                + " spark.read().format(\"%s\").load(...) or by its name, and train with"
                + " DpClassifier, or write its current rows to new files")
            .formatted(location, format, folder, reader));
  }

  /** Refuses a file or folder on this machine that is such a table or is in one. */
  static void refuse(Path location) {
    Path folder = real(location);
    while (folder != null) {
      Path current = folder;
      List<String> names =
          markers().stream().filter(name -> Files.isDirectory(current.resolve(name))).toList();
      refuse(location.toString(), current.toString(), names, () -> names(current.resolve(ICEBERG)));
      folder = folder.getParent();
    }
  }

  private static Path real(Path location) {
    try {
      return location.toRealPath();
    } catch (IOException e) {
      return location.toAbsolutePath().normalize(); // it does not exist, which is reported later
    }
  }

  /** Returns the names in a folder, or none if it is not readable. */
  private static List<String> names(Path folder) {
    List<String> names = new ArrayList<>();
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(folder)) {
      entries.forEach(entry -> names.add(entry.getFileName().toString()));
    } catch (IOException | DirectoryIteratorException | UncheckedIOException e) {
      return List.of();
    }
    return names;
  }
}
