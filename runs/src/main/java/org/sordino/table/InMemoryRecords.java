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
 * @param training training examples
 * @param test test examples, or null
 * @param users the user of each training example; empty without a user column
 */
public record InMemoryRecords(Examples training, @Nullable Examples test, List<String> users)
    implements TableRecords {

  /**
   * Reads records and separates the test records.
   *
   * @param test source of the test records, or null
   * @param holdout share of the records to hold out for testing if {@code test} is null, or 0
   * @param seed public seed of the split
   * @param userColumn column with the user ID, or null; all records of a user are on the same side
   *     of the split
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

  /** Returns the grouping of the training examples into records. */
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
