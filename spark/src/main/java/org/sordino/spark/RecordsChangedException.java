package org.sordino.spark;

/**
 * Thrown if a partition was recomputed with different contents, or on a machine whose sums may
 * differ. The sums of the step are discarded; nothing from it was released.
 */
public final class RecordsChangedException extends RuntimeException {

  private static final long serialVersionUID = 1;

  RecordsChangedException(int partition) {
    super(
        "records must not change during a run, but partition "
            + partition
            + " changed when it was recomputed; nothing from this step was released. Give the"
            + " rows an order that does not depend on a shuffle (sort by a unique key), or"
            + " write them to a file and train on the file. For networks, use machines of one"
            + " kind.");
  }
}
