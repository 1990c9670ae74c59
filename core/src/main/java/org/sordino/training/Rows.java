package org.sordino.training;

/** Examples as rows of numbers, for private queries before training. */
public interface Rows {

  /** Returns the number of examples. */
  int size();

  /** Returns the number of values of an example. */
  int width();

  /** Copies an example to {@code row}. */
  void read(int example, float[] row);
}
