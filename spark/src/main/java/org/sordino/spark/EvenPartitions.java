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
 * Splits a table into partitions of equal size without changing its order. Records are moved in
 * pieces that carry the number of their first record, and every partition sorts its pieces by that
 * number. Spark's own {@code repartition} distributes rows in the order of their arrival, so a lost
 * partition could be recomputed with different records.
 */
final class EvenPartitions {

  private EvenPartitions() {}

  /**
   * Returns the same records in a different number of partitions.
   *
   * @param firsts number of the first record of every partition, followed by the number of records
   */
  static JavaRDD<Examples> of(JavaRDD<Examples> records, long[] firsts, int partitions) {
    long total = firsts[firsts.length - 1];
    long size = Math.max(1, (total + partitions - 1) / partitions);
    return records
        .mapPartitionsWithIndex((p, parts) -> cut(firsts[p], parts, size), true)
        .mapToPair(piece -> piece)
        .partitionBy(new ByNumber(partitions, size))
        .mapPartitions(EvenPartitions::inOrder, true);
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

  /** Assigns a range of record numbers to every partition. */
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
