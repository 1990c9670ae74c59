package org.sordino.cli;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.sordino.table.CsvSource;
import org.sordino.table.OwnedExamples;
import org.sordino.table.Schema;
import org.sordino.table.Split;
import org.sordino.table.TableRecords;
import org.sordino.training.EngineFactory;
import org.sordino.training.Examples;
import org.sordino.training.GradientEngine;
import org.sordino.training.TrainingPlan;
import org.sordino.training.Unit;

/**
 * Records in the memory of this process.
 *
 * @param training to learn from
 * @param test to test with, or null
 * @param users whose each example to learn from is; empty where nobody asked
 */
record InMemoryRecords(Examples training, @Nullable Examples test, List<String> users)
    implements TableRecords {

  static InMemoryRecords read(TableLocation table, Schema schema) {
    OwnedExamples all = schema.labelled(table.source(), table.userColumn());
    CsvSource test = table.testSource();
    if (test != null) {
      return new InMemoryRecords(all.examples(), schema.labelled(test), all.users());
    }
    if (table.holdout() == 0) {
      return new InMemoryRecords(all.examples(), null, all.users());
    }
    if (table.userColumn() != null) {
      List<OwnedExamples> sides = Split.byUser(all, table.holdout(), TableTask.HOLDOUT_SEED);
      return new InMemoryRecords(
          sides.get(0).examples(), sides.get(1).examples(), sides.get(0).users());
    }
    Split split = Split.of(all.examples(), table.holdout(), TableTask.HOLDOUT_SEED);
    return new InMemoryRecords(split.training(), split.heldOut(), List.of());
  }

  RecordGrouping grouping() {
    return new RecordGrouping(training.size(), users, training::digest);
  }

  @Override
  public long size() {
    return training.size();
  }

  @Override
  public long size(Unit unit) {
    return grouping().count(unit);
  }

  @Override
  public GradientEngine engine(EngineFactory factory) {
    return factory.open(training, Runtime.getRuntime().availableProcessors());
  }

  @Override
  public GradientEngine engine(EngineFactory factory, TrainingPlan plan) {
    return factory.open(
        training, grouping().records(plan), Runtime.getRuntime().availableProcessors());
  }
}
