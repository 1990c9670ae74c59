package org.sordino.cli;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.sordino.table.CsvOptions;
import org.sordino.table.CsvSource;
import org.sordino.table.DemoCensus;
import org.sordino.table.Schema;
import org.sordino.table.TableEngine;
import org.sordino.table.TableRecords;

/**
 * Where the records are, and who computes on them.
 *
 * @param file a file of delimited text, or what else the engine reads; null for the demonstration
 * @param csv how to read it
 * @param test records to test with, or null
 * @param holdout the share of records to test with instead, or 0
 * @param engine {@link #JAVA}, or the name of a {@link TableEngine}
 * @param master where that engine computes, or null
 * @param partitions into how many parts it cuts the records, or 0
 * @param userColumn where the user of a row stands, or null if nobody asks
 */
record TableLocation(
    @Nullable String file,
    CsvOptions csv,
    @Nullable String test,
    double holdout,
    String engine,
    @Nullable String master,
    int partitions,
    @Nullable String userColumn) {

  /** The engine of this process. */
  static final String JAVA = "java";

  boolean isLocal() {
    return engine.equals(JAVA);
  }

  CsvSource source() {
    return file == null ? DemoCensus.source(DemoCensus.PEOPLE) : CsvSource.of(Path.of(file), csv);
  }

  @Nullable CsvSource testSource() {
    return test == null ? null : CsvSource.of(Path.of(test), csv);
  }

  String name() {
    return file == null ? "demo" : file;
  }

  TableRecords read(Schema schema) {
    if (isLocal()) {
      return InMemoryRecords.read(this, schema);
    }
    TableEngine found = TableEngine.find(engine);
    if (found == null || file == null) {
      throw new InvalidInputException(
          "--engine must be java, or "
              + engine
              + " with its libraries on the class path, got "
              + engine
              + " without; docs/spark.md says how to start it");
    }
    return found.open(
        new TableEngine.Request(
            file,
            csv,
            schema,
            test,
            holdout,
            TableTask.HOLDOUT_SEED,
            master,
            partitions,
            userColumn));
  }
}
