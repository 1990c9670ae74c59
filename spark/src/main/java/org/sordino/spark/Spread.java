package org.sordino.spark;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.Partitioner;
import org.apache.spark.api.java.JavaRDD;
import org.sordino.training.Examples;
import scala.Tuple2;

/**
 * Cuts a table into parts of equal size without changing its order: records travel in pieces that
 * carry the number of their first one, and every part sorts its pieces by it. The usual {@code
 * repartition} deals rows out in the order in which they happen to arrive, and a lost part would
 * come back with other records.
 */
final class Spread {

  private Spread() {}

  /**
   * The same records in so many parts.
   *
   * @param firsts the number of every partition's first record, and at the end of all records
   */
  static JavaRDD<Examples> evenly(JavaRDD<Examples> records, long[] firsts, int partitions) {
    long total = firsts[firsts.length - 1];
    long size = Math.max(1, (total + partitions - 1) / partitions);
    return records
        .mapPartitionsWithIndex((p, parts) -> cut(firsts[p], parts, size), true)
        .mapToPair(piece -> piece)
        .partitionBy(new ByNumber(partitions, size))
        .mapPartitions(Spread::inOrder, true);
  }

  private static Iterator<Tuple2<Long, Examples>> cut(
      long first, Iterator<Examples> parts, long size) {
    List<Tuple2<Long, Examples>> pieces = new ArrayList<>();
    long number = first;
    while (parts.hasNext()) {
      Examples all = parts.next();
      for (int from = 0; from < all.size(); ) {
        long room = size - number % size;
        int to = (int) Math.min(all.size(), from + room);
        pieces.add(new Tuple2<>(number, all.slice(from, to)));
        number += to - from;
        from = to;
      }
    }
    return pieces.iterator();
  }

  private static Iterator<Examples> inOrder(Iterator<Tuple2<Long, Examples>> pieces) {
    List<Tuple2<Long, Examples>> all = new ArrayList<>();
    pieces.forEachRemaining(all::add);
    all.sort(Comparator.comparingLong(Tuple2::_1));
    return all.stream().map(Tuple2::_2).iterator();
  }

  /** A partition for so many record numbers. */
  private static final class ByNumber extends Partitioner {

    private static final long serialVersionUID = 1;

    private final int partitions;
    private final long size;

    ByNumber(int partitions, long size) {
      this.partitions = partitions;
      this.size = size;
    }

    @Override
    public int numPartitions() {
      return partitions;
    }

    @Override
    public int getPartition(Object key) {
      return (int) ((Long) key / size);
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof ByNumber same && same.partitions == partitions && same.size == size;
    }

    @Override
    public int hashCode() {
      return partitions;
    }
  }
}
