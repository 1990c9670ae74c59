package org.sordino.cli;

import org.jspecify.annotations.Nullable;
import org.sordino.table.CsvSource;
import org.sordino.table.Schema;
import org.sordino.table.Split;
import org.sordino.table.TableRecords;
import org.sordino.training.EngineFactory;
import org.sordino.training.Examples;
import org.sordino.training.GradientEngine;

/**
 * Records in the memory of this process.
 *
 * @param training to learn from
 * @param test to test with, or null
 */
record LocalRecords(Examples training, @Nullable Examples test) implements TableRecords {

  static LocalRecords read(TableTask.Table table, Schema schema) {
    Examples all = schema.training(table.source());
    CsvSource test = table.testSource();
    if (test != null) {
      return new LocalRecords(all, schema.evaluation(test));
    }
    if (table.holdout() == 0) {
      return new LocalRecords(all, null);
    }
    Split split = Split.of(all, table.holdout(), TableTask.HOLDOUT_SEED);
    return new LocalRecords(split.training(), split.heldOut());
  }

  @Override
  public long size() {
    return training.size();
  }

  @Override
  public GradientEngine engine(EngineFactory factory) {
    return factory.open(training, Runtime.getRuntime().availableProcessors());
  }
}
