package org.sordino.spark;

import java.io.Serializable;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.api.java.function.FlatMapFunction;

/**
 * The number of records in a part of a table, or a problem with it. The driver needs this before
 * the table can be used.
 */
final class Extent implements Serializable {

  private static final long serialVersionUID = 1;

  private final long records;
  private final String problem;

  private Extent(long records, String problem) {
    this.records = records;
    this.problem = problem;
  }

  /** Returns the number of records. */
  long records() {
    return records;
  }

  /** Returns the problem; empty if there is none. */
  String problem() {
    return problem;
  }

  /** Computes the extent of a whole partition. */
  static final class Task implements FlatMapFunction<Iterator<Encoded>, Extent> {

    private static final long serialVersionUID = 1;

    @Override
    public Iterator<Extent> call(Iterator<Encoded> parts) {
      Extent extent = new Extent(0, "");
      while (parts.hasNext()) {
        extent = extent.and(parts.next());
      }
      return List.of(extent).iterator();
    }
  }

  private Extent and(Encoded part) {
    return new Extent(
        records + part.examples().size(), problem.isEmpty() ? part.problem() : problem);
  }
}
