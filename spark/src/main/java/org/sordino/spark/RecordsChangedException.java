package org.sordino.spark;

/**
 * A partition was computed a second time and came out otherwise, or on a machine that adds up
 * otherwise. The sums of the step are thrown away: nothing of it was released.
 */
public final class RecordsChangedException extends RuntimeException {

  private static final long serialVersionUID = 1;

  RecordsChangedException(int partition) {
    super(
        "records must stay the same while a run lasts, but partition "
            + partition
            + " came out otherwise when it was computed again; nothing of the step was released."
            + " Give the rows an order that does not depend on a shuffle (sort by a unique key), or"
            + " write them to a file and train on that; for networks, use machines of one kind");
  }
}
