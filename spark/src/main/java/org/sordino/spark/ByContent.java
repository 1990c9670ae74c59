package org.sordino.spark;

import java.io.Serializable;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.Partitioner;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.api.java.function.FlatMapFunction;
import org.apache.spark.api.java.function.Function2;
import org.sordino.random.RandomKey;
import org.sordino.training.Examples;
import scala.Tuple2;

/**
 * Places records in partitions by their content. The float sums of a network depend on which
 * records are in a partition. A partition is determined by the content of a record and by the
 * number of partitions, which must be public. Adding or removing a record therefore changes one
 * partition. Equal records are in the same partition, where they are interchangeable.
 *
 * <p>Every record keeps its number in the whole table, by which it is sampled. A partition has its
 * records in the order of these numbers, whatever the order in which they arrive. If a partition of
 * the table has other contents when it is read again, all partitions made from it are marked as
 * changed; otherwise, a record could be placed twice, or two records could have the same number.
 */
final class ByContent
    implements FlatMapFunction<Iterator<Tuple2<Integer, ByContent.Piece>>, Block> {

  private static final long serialVersionUID = 1;

  /** Average number of features in a partition, an eighth of what it may have. */
  private static final long FEATURES = 1L << 28;

  private final int width;
  private final RandomKey key;

  private ByContent(int width, RandomKey key) {
    this.width = width;
    this.key = key;
  }

  /**
   * Places the records of blocks.
   *
   * @param table blocks of consecutive records
   * @param directory numbers and digests of these blocks
   * @param partitions number of partitions, which must not depend on the records
   * @param key key of the digests
   */
  static JavaRDD<Block> place(
      JavaRDD<Block> table, Directory directory, int width, int partitions, RandomKey key) {
    return table
        .mapPartitionsWithIndex(new Cut(directory, width, partitions), true)
        .mapToPair(piece -> piece)
        .partitionBy(new ByNumber(partitions))
        .mapPartitions(new ByContent(width, key), true);
  }

  /**
   * Returns the default number of partitions. It depends only on the cluster and on the declared
   * number of records. The number of partitions in which Spark reads a table depends on the size of
   * its files, and so on single records.
   *
   * @param population declared number of records
   * @param width number of features
   */
  static int partitions(JavaSparkContext context, long population, int width) {
    if (!context.isLocal()) {
      requireFixed(context.getConf());
    }
    return partitions(context.defaultParallelism(), population, width);
  }

  static int partitions(int cores, long population, int width) {
    long needed = (long) Math.ceil((double) population * width / FEATURES);
    return Math.toIntExact(Math.max(cores, needed));
  }

  /** Requires a number of cores that does not depend on the work that the table causes. */
  static void requireFixed(SparkConf settings) {
    if (settings.getBoolean("spark.dynamicAllocation.enabled", false)
        && !settings.contains("spark.default.parallelism")) {
      throw new IllegalArgumentException(
          "the number of partitions of a network must be fixed on a cluster with dynamic"
              + " allocation, got none; set --partitions or spark.default.parallelism, for example"
              + " to the number of cores");
    }
  }

  /**
   * Returns the partition of a record. The bytes of the digest are others than those by which a
   * network assigns records to float sums within a partition.
   */
  static int partition(byte[] digest, int partitions) {
    return (int) Long.remainderUnsigned(ByteBuffer.wrap(digest).getLong(Long.BYTES), partitions);
  }

  /** Combines the pieces of a partition into one block, in the order of the records' numbers. */
  @Override
  public Iterator<Block> call(Iterator<Tuple2<Integer, Piece>> pieces) {
    List<Piece> all = new ArrayList<>();
    pieces.forEachRemaining(piece -> all.add(piece._2()));
    if (all.stream().anyMatch(piece -> piece.changed)) {
      return Collections.singleton(Block.changed(width)).iterator();
    }
    all.sort(Comparator.comparingLong(piece -> piece.numbers[0]));
    List<Examples> parts = new ArrayList<>();
    parts.add(Examples.none(width)); // a partition may be empty
    all.forEach(piece -> parts.add(piece.examples));
    long[] numbers = all.stream().flatMapToLong(piece -> Arrays.stream(piece.numbers)).toArray();
    return Collections.singleton(Block.of(Examples.concat(parts), numbers, key)).iterator();
  }

  /** The records of one block that go to the same partition. */
  static final class Piece implements Serializable {

    private static final long serialVersionUID = 1;

    private final Examples examples;
    private final long[] numbers;
    private final boolean changed;

    Piece(Examples examples, long[] numbers, boolean changed) {
      this.examples = examples;
      this.numbers = numbers;
      this.changed = changed;
    }
  }

  /** Cuts a block into one piece for each partition. */
  private static final class Cut
      implements Function2<Integer, Iterator<Block>, Iterator<Tuple2<Integer, Piece>>> {

    private static final long serialVersionUID = 1;

    private final Directory directory;
    private final int width;
    private final int partitions;

    Cut(Directory directory, int width, int partitions) {
      this.directory = directory;
      this.width = width;
      this.partitions = partitions;
    }

    @Override
    public Iterator<Tuple2<Integer, Piece>> call(Integer number, Iterator<Block> blocks) {
      Block block = blocks.next();
      List<Tuple2<Integer, Piece>> pieces = new ArrayList<>();
      if (!directory.hasContents(number, block)) {
        for (int p = 0; p < partitions; p++) {
          pieces.add(new Tuple2<>(p, new Piece(Examples.none(width), new long[0], true)));
        }
        return pieces.iterator();
      }
      int[][] members = members(block.examples());
      for (int p = 0; p < partitions; p++) {
        if (members[p].length > 0) {
          pieces.add(new Tuple2<>(p, piece(block, members[p], directory.first(number))));
        }
      }
      return pieces.iterator();
    }

    /** Returns the records of each partition, ascending. */
    private int[][] members(Examples examples) {
      int[] placeOf = new int[examples.size()];
      int[] counts = new int[partitions];
      for (int i = 0; i < placeOf.length; i++) {
        placeOf[i] = partition(examples.digest(i), partitions);
        counts[placeOf[i]]++;
      }
      int[][] members = new int[partitions][];
      Arrays.setAll(members, p -> new int[counts[p]]);
      for (int i = placeOf.length - 1; i >= 0; i--) {
        members[placeOf[i]][--counts[placeOf[i]]] = i;
      }
      return members;
    }

    private Piece piece(Block block, int[] members, long first) {
      Examples all = block.examples();
      float[] features = new float[Math.multiplyExact(members.length, width)];
      float[] targets = new float[members.length];
      long[] numbers = new long[members.length];
      for (int i = 0; i < members.length; i++) {
        System.arraycopy(all.features(), members[i] * width, features, i * width, width);
        targets[i] = all.targets()[members[i]];
        numbers[i] = block.number(members[i], first);
      }
      return new Piece(new Examples(features, width, targets), numbers, false);
    }
  }

  /** Assigns every piece to the partition whose number is its key. */
  private static final class ByNumber extends Partitioner {

    private static final long serialVersionUID = 1;

    private final int partitions;

    ByNumber(int partitions) {
      this.partitions = partitions;
    }

    @Override
    public int numPartitions() {
      return partitions;
    }

    @Override
    public int getPartition(Object partition) {
      return (Integer) partition;
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof ByNumber same && same.partitions == partitions;
    }

    @Override
    public int hashCode() {
      return partitions;
    }
  }
}
