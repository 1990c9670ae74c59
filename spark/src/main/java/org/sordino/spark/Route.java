package org.sordino.spark;

import java.io.Serializable;

/** Transfers parameters to a task and its sums to the driver. Serialized with the task. */
interface Route extends Serializable {

  /** Returns the current parameters. They were released by the previous step. */
  double[] parameters();

  /**
   * Sends sums to the driver.
   *
   * @return the result of the task, never empty: the sums, or a marker that they were delivered
   */
  byte[] deliver(int partition, long[] sums);
}
