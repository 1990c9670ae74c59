package org.sordino.table;

import org.jspecify.annotations.Nullable;
import org.sordino.training.EngineFactory;
import org.sordino.training.Examples;
import org.sordino.training.GradientEngine;

/** The records of a table, wherever they are, ready to be trained on. */
public interface TableRecords {

  /** How many there are to train on; private unless it was declared. */
  long size();

  /** Opens the records for training; the caller closes it. */
  GradientEngine engine(EngineFactory factory);

  /** The records to test with, or null if there are none. */
  @Nullable Examples test();
}
