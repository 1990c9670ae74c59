package org.sordino.training;

/** Examples as rows of numbers, for what is asked before training. */
public interface Rows {

  /** How many examples there are. */
  int size();

  /** How many numbers an example has. */
  int width();

  /** Copies an example. */
  void read(int example, float[] row);
}
