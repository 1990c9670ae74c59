package org.sordino.table;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.sordino.training.EngineFactory;
import org.sordino.training.Examples;
import org.sordino.training.GradientEngine;
import org.sordino.training.TrainingPlan;
import org.sordino.training.Unit;

/**
 * Records in the memory of this process.
 *
 * @param training the examples to train on
 * @param test the examples to test with, or null
 * @param users the user of every training example; empty unless a user column was given
 */
public record InMemoryRecords(Examples training, @Nullable Examples test, List<String> users)
    implements TableRecords {

  /**
   * Reads records and splits off those to test with.
   *
   * @param test records to test with, or null
   * @param holdout the share of the records to test with instead, or 0
   * @param seed of the split, a public number
   * @param userColumn the column with the user of a row, or null; users are held out as a whole
   */
  public static InMemoryRecords read(
      TableSource source,
      @Nullable TableSource test,
      double holdout,
      long seed,
      @Nullable String userColumn,
      Schema schema) {
    OwnedExamples all = schema.labeled(source, userColumn);
    if (test != null) {
      return new InMemoryRecords(all.examples(), schema.labeled(test), all.users());
    }
    if (holdout == 0) {
      return new InMemoryRecords(all.examples(), null, all.users());
    }
    if (userColumn != null) {
      List<OwnedExamples> sides = Split.byUser(all, holdout, seed);
      return new InMemoryRecords(
          sides.get(0).examples(), sides.get(1).examples(), sides.get(0).users());
    }
    Split split = Split.of(all.examples(), holdout, seed);
    return new InMemoryRecords(split.training(), split.heldOut(), List.of());
  }

  /** How the examples become the records of a plan. */
  public RecordGrouping grouping() {
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
