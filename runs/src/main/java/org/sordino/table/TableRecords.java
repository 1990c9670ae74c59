package org.sordino.table;

import org.jspecify.annotations.Nullable;
import org.sordino.training.EngineFactory;
import org.sordino.training.Examples;
import org.sordino.training.GradientEngine;
import org.sordino.training.TrainingPlan;
import org.sordino.training.Unit;

/** The records of a table, wherever they are, ready to be trained on. */
public interface TableRecords {

  /** How many examples there are to train on; private unless it was declared. */
  long size();

  /** How many records of a kind there are; as private. */
  long size(Unit unit);

  /** Opens the examples for training, each of them a record; the caller closes it. */
  GradientEngine engine(EngineFactory factory);

  /**
   * Opens the records of a plan.
   *
   * @param factory of engines for its unit and its metrics
   */
  GradientEngine engine(EngineFactory factory, TrainingPlan plan);

  /** The records to test with, or null if there are none. */
  @Nullable Examples test();
}
