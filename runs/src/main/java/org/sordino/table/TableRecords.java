package org.sordino.table;

import org.jspecify.annotations.Nullable;
import org.sordino.training.EngineFactory;
import org.sordino.training.Examples;
import org.sordino.training.GradientEngine;
import org.sordino.training.TrainingPlan;
import org.sordino.training.Unit;

/** The records of a table for training, in the memory of this process or in a cluster. */
public interface TableRecords {

  /** Returns the number of training examples, which is private unless it was declared. */
  long size();

  /** Returns the number of training records for a unit, which is private unless it was declared. */
  long size(Unit unit);

  /**
   * Opens the examples for training, with each example as a record. The caller closes the engine.
   */
  GradientEngine engine(EngineFactory factory);

  /**
   * Opens the records of a plan for training. The caller closes the engine.
   *
   * @param factory creates engines for the unit and the metrics of the plan
   */
  GradientEngine engine(EngineFactory factory, TrainingPlan plan);

  /** Returns the test records, or null if there are none. */
  @Nullable Examples test();
}
