package org.sordino.spark;

import java.io.Serializable;

/** How parameters come to a task and its sums go to the driver. Travels inside the task. */
interface Route extends Serializable {

  /** The current parameters. They are numbers that the step before has released. */
  double[] parameters();

  /**
   * Sends sums to the driver.
   *
   * @return what the task answers, never empty: the sums, or a sign that they have arrived
   */
  byte[] deliver(int partition, long[] sums);
}
