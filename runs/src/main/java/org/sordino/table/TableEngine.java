package org.sordino.table;

import java.util.ServiceLoader;
import org.jspecify.annotations.Nullable;

/**
 * Trains on tables that do not fit into the memory of this process. Implementations are loaded with
 * {@link ServiceLoader}, so their libraries are needed only by programs that use them.
 */
public interface TableEngine {

  /** Returns the name of the engine, such as {@code spark}. */
  String name();

  /**
   * Opens the records. If their sums are not exact, as those of networks, the content of a record
   * and public facts must determine which partial sum it joins.
   *
   * @throws TableException if the records cannot be read or do not fit the schema
   */
  TableRecords open(Request request);

  /**
   * The records to open, and where to compute.
   *
   * @param location location of the records: a file, a folder of files, or another form that the
   *     engine supports
   * @param csv layout of delimited text files
   * @param schema schema of the records
   * @param test location of the test records, or null
   * @param holdout share of the records to hold out for testing if {@code test} is null, or 0
   * @param seed seed of the split
   * @param master where to compute, in the notation of the engine; null for its default
   * @param partitions number of partitions of the records; 0 for the engine's default
   * @param userColumn column with the user ID, or null
   */
  record Request(
      String location,
      CsvOptions csv,
      Schema schema,
      @Nullable String test,
      double holdout,
      long seed,
      @Nullable String master,
      int partitions,
      @Nullable String userColumn) {}

  /** Returns the engine with this name, or null if its library is not on the class path. */
  static @Nullable TableEngine find(String name) {
    for (TableEngine engine : ServiceLoader.load(TableEngine.class)) {
      if (engine.name().equals(name)) {
        return engine;
      }
    }
    return null;
  }
}
