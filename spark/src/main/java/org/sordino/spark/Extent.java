package org.sordino.spark;

import java.io.Serializable;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.api.java.function.FlatMapFunction;

/**
 * What the driver must know about a part of a table before it can be used.
 *
 * @param records how many
 * @param least the smallest target; infinite if there are no records
 * @param most the largest
 * @param problem what is wrong with it, or empty
 */
record Extent(long records, float least, float most, String problem) implements Serializable {

  /** Finds it out, for all of a partition together. */
  static final class Task implements FlatMapFunction<Iterator<Encoded>, Extent> {

    private static final long serialVersionUID = 1;

    @Override
    public Iterator<Extent> call(Iterator<Encoded> parts) {
      Extent extent = new Extent(0, Float.POSITIVE_INFINITY, Float.NEGATIVE_INFINITY, "");
      while (parts.hasNext()) {
        extent = extent.and(parts.next());
      }
      return List.of(extent).iterator();
    }
  }

  private Extent and(Encoded part) {
    float low = least;
    float high = most;
    for (float target : part.examples().targets()) {
      low = Math.min(low, target);
      high = Math.max(high, target);
    }
    return new Extent(
        records + part.examples().size(), low, high, problem.isEmpty() ? part.problem() : problem);
  }
}
