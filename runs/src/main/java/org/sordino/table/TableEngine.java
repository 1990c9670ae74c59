package org.sordino.table;

import java.util.ServiceLoader;
import org.jspecify.annotations.Nullable;

/**
 * A way to compute on tables that do not fit into this process. Implementations are found as
 * services, so that nobody has their libraries who does not use them.
 */
public interface TableEngine {

  /** The name of the engine, such as {@code spark}. */
  String name();

  /**
   * Reads the records.
   *
   * @throws TableException saying what is wrong with them
   */
  TableRecords open(Request request);

  /**
   * Which records, and where to compute.
   *
   * @param location of the records: a file, a folder of files, or what else the engine reads
   * @param csv how files with delimiters are laid out
   * @param schema what they may hold
   * @param test where records to test with are, or null
   * @param holdout the share of records to test with instead, or 0
   * @param seed of the coins that hold out
   * @param master where to compute, as the engine says it; null for its own default
   * @param partitions into how many parts to cut the records; 0 for the engine's own choice
   * @param userColumn where the user of a row stands, or null if nobody asks
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

  /** The engine of this name, if its library is on the class path; else null. */
  static @Nullable TableEngine find(String name) {
    for (TableEngine engine : ServiceLoader.load(TableEngine.class)) {
      if (engine.name().equals(name)) {
        return engine;
      }
    }
    return null;
  }
}
