package org.sordino.spark;

import java.io.Serializable;
import java.nio.ByteBuffer;
import java.nio.LongBuffer;
import java.util.List;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.storage.StorageLevel;
import org.jspecify.annotations.Nullable;
import org.sordino.mechanism.Clipping;
import org.sordino.mechanism.Layout;
import org.sordino.random.RandomKey;
import org.sordino.sampling.PoissonSample;
import org.sordino.training.EngineFactory;
import org.sordino.training.Examples;
import org.sordino.training.Fingerprint;
import org.sordino.training.GradientEngine;
import org.sordino.training.Unit;
import scala.Function1;
import scala.Tuple2;
import scala.collection.Iterator;
import scala.reflect.ClassTag$;
import scala.runtime.AbstractFunction2;
import scala.runtime.BoxedUnit;

/**
 * Computes the exact sums over records in a Spark cluster. Executors keep their partitions. A step
 * is one Spark job that sends the parameters to the executors and returns one exact sum per
 * partition; the driver adds the sums in any order. The sample is determined by the key and by the
 * number of a record in the whole table, so the failure of a task or an executor does not change a
 * bit of the result. If records are added exactly (linear models, users), neither does the number
 * of partitions: the weights equal those of one machine. The float sums of a network depend on the
 * partitions in their last bits. Its records are therefore placed by their content, so that adding
 * or removing a record affects the float sums of one partition only.
 *
 * <p><b>Faults.</b> A retried or speculative task returns the same result, and Spark delivers one
 * of them. A lost partition is recomputed; if its contents have changed, {@link
 * RecordsChangedException} ends the run before anything from the step is released.
 */
public final class SparkEngine implements GradientEngine {

  private final JavaSparkContext context;
  private final EngineFactory factory;
  private final Unit unit;
  private final Layout layout;
  private final JavaRDD<Block> blocks;
  private final Broadcast<Directory> directory;
  private final @Nullable Exchange exchange;
  private final double roundingSlack;

  private SparkEngine(
      JavaSparkContext context,
      EngineFactory factory,
      Unit unit,
      JavaRDD<Block> blocks,
      Broadcast<Directory> directory) {
    this.context = context;
    this.factory = factory;
    this.unit = unit;
    this.layout = factory.layout();
    this.blocks = blocks;
    this.directory = directory;
    this.roundingSlack = factory.roundingSlack();
    this.exchange = Exchange.of(context.sc(), layout.dimension(), blocks.getNumPartitions());
  }

  /**
   * Creates an engine, which reads the records into the memory of the executors and counts them.
   * Records that are added exactly stay in their partitions. The records of a network are placed by
   * their content in as many partitions as the cluster has cores ({@code defaultParallelism}), so
   * that the number of partitions does not depend on the records.
   *
   * @param factory creates the engines in the executors
   * @param records records in the order of their numbers; each partition yields its records in any
   *     number of parts
   * @throws IllegalArgumentException if the model cannot use the records
   * @throws IllegalStateException if an executor cannot create the engine
   */
  public static SparkEngine of(EngineFactory factory, JavaRDD<Examples> records) {
    return of(factory, records, 0, 0);
  }

  /**
   * Creates an engine.
   *
   * @param partitions number of partitions of a network's records; 0 for the default
   * @param population declared number of records, on which that default also depends
   */
  static SparkEngine of(
      EngineFactory factory, JavaRDD<Examples> records, int partitions, long population) {
    if (isExact(factory)) {
      return ofBlocks(factory, Unit.example(), gathered(factory, records));
    }
    JavaSparkContext context = JavaSparkContext.fromSparkContext(records.context());
    return of(
        factory,
        records,
        partitions > 0 ? partitions : ByContent.partitions(context, population, factory.inputs()));
  }

  /** Returns whether every record is added exactly, so that it may be in any partition. */
  static boolean isExact(EngineFactory factory) {
    return factory.roundingSlack() == 0;
  }

  /**
   * Creates an engine, which places the records by their content in a number of partitions.
   *
   * @param factory creates the engines in the executors
   * @param records records in the order of their numbers; each partition yields its records in any
   *     number of parts
   * @param partitions number of partitions; for a network, it must not depend on the records
   * @throws IllegalArgumentException if the model cannot use the records
   * @throws IllegalStateException if an executor cannot create the engine
   */
  public static SparkEngine of(EngineFactory factory, JavaRDD<Examples> records, int partitions) {
    if (partitions < 1) {
      throw new IllegalArgumentException(
          "partitions must be at least 1, got " + partitions + "; use the number of cores");
    }
    JavaRDD<Block> table =
        gathered(factory, records).setName("table").persist(StorageLevel.MEMORY_AND_DISK_SER());
    try {
      Directory directory = Directory.of(summaries(table, factory, false));
      JavaRDD<Block> placed =
          ByContent.place(table, directory, factory.inputs(), partitions, RandomKey.secure());
      return ofBlocks(factory, Unit.example(), placed);
    } finally {
      table.unpersist(false);
    }
  }

  private static JavaRDD<Block> gathered(EngineFactory factory, JavaRDD<Examples> records) {
    return records.mapPartitions(new Gather(factory.inputs(), RandomKey.secure()), true);
  }

  /**
   * Creates an engine whose records are users: all examples of a user, up to a maximum number, form
   * one record. Users are numbered in the order of their IDs, independently of the partitions.
   *
   * @param factory creates the engines in the executors
   * @param most maximum number of examples used per user
   * @param examples examples with their users; null for an example without a user
   * @param partitions number of partitions, each with whole users
   * @throws IllegalArgumentException if the model cannot use the examples, or one has no user
   */
  public static SparkEngine ofUsers(
      EngineFactory factory, int most, JavaPairRDD<String, Examples> examples, int partitions) {
    Unit unit = Unit.user(most);
    return ofUsers(factory.with(List.of(), unit), unit, examples, partitions);
  }

  /** Creates an engine whose records are users, with a factory for such users. */
  static SparkEngine ofUsers(
      EngineFactory factory, Unit unit, JavaPairRDD<String, Examples> examples, int partitions) {
    GatherUsers gather = new GatherUsers(factory.inputs(), unit.examples(), RandomKey.secure());
    JavaRDD<Block> blocks =
        examples
            .mapToPair(owned -> new Tuple2<>(owned._1() == null ? "" : owned._1(), owned._2()))
            .sortByKey(true, partitions)
            .mapPartitions(gather);
    return ofBlocks(factory, unit, blocks);
  }

  private static SparkEngine ofBlocks(EngineFactory factory, Unit unit, JavaRDD<Block> made) {
    JavaSparkContext context = JavaSparkContext.fromSparkContext(made.context());
    JavaRDD<Block> blocks = made.setName("records").persist(StorageLevel.MEMORY_AND_DISK());
    Broadcast<Directory> directory = null;
    boolean created = false;
    try {
      directory = context.broadcast(Directory.of(summaries(blocks, factory, true)));
      SparkEngine engine = new SparkEngine(context, factory, unit, blocks, directory);
      created = true;
      return engine;
    } finally {
      if (!created) {
        blocks.unpersist(false);
        if (directory != null) {
          directory.destroy();
        }
      }
    }
  }

  private static Summary[] summaries(JavaRDD<Block> blocks, EngineFactory factory, boolean opens) {
    Summary[] summaries = new Summary[blocks.getNumPartitions()];
    Summary.Task task = new Summary.Task(factory, opens);
    run(blocks, task, Summary.class, (p, summary) -> summaries[p] = summary);
    for (Summary summary : summaries) {
      if (!summary.refusal().isEmpty()) {
        throw new IllegalArgumentException(summary.refusal());
      }
    }
    return summaries;
  }

  /** Returns the number of records. It is private unless it was declared. */
  public long records() {
    return directory.value().records();
  }

  @Override
  public Layout layout() {
    return layout;
  }

  @Override
  public Unit unit() {
    return unit;
  }

  @Override
  public void sum(PoissonSample sample, double[] theta, Clipping clipping, long[] sums) {
    Total total = new Total(sums.length, directory.value().partitions());
    if (exchange == null) {
      SparkRoute route = SparkRoute.of(context, theta);
      try {
        run(sample, clipping, route, total);
      } finally {
        route.forget();
      }
    } else {
      try {
        run(sample, clipping, exchange.begin(theta, total::add), total);
      } finally {
        exchange.end();
      }
    }
    total.addTo(sums);
  }

  private void run(PoissonSample sample, Clipping clipping, Route route, Total total) {
    run(blocks, new StepTask(factory, directory, route, sample, clipping), byte[].class, total);
  }

  @Override
  public double roundingSlack() {
    return roundingSlack;
  }

  /**
   * Returns the fingerprint of the records. It is independent of the partitions if every record is
   * added exactly. With intermediate float sums it depends on their number, and a run can be
   * replayed only with the same number of partitions.
   */
  @Override
  public byte[] fingerprint(RandomKey key) {
    byte[][] shares = new byte[directory.value().partitions()][];
    FingerprintTask task = new FingerprintTask(factory, directory, key.derive("records"));
    run(blocks, task, byte[].class, (partition, share) -> shares[partition] = share);
    long[] lanes = new long[FingerprintTask.LANES];
    for (int p = 0; p < shares.length; p++) {
      requireUnchanged(p, shares[p]);
      FingerprintTask.addTo(lanes, ArrayBytes.longs(shares[p]));
    }
    boolean exact = roundingSlack == 0;
    return Fingerprint.of(key)
        .add((exact ? "spark-engine-1 " : "spark-engine-2 ") + directory.value().pins())
        .add(
            ArrayBytes.bytes(
                exact ? new long[] {records()} : new long[] {records(), shares.length}))
        .add(ArrayBytes.bytes(lanes))
        .digest();
  }

  /** Frees the memory of the executors; the Spark context stays open. */
  @Override
  public void close() {
    if (exchange != null) {
      exchange.close();
    }
    if (!context.sc().isStopped()) {
      blocks.unpersist(false);
      directory.destroy();
    }
  }

  private static void requireUnchanged(int partition, byte[] answer) {
    if (answer.length == 0) {
      throw new RecordsChangedException(partition);
    }
  }

  /**
   * Receives the results of partitions, one at a time. An exception here would stop the whole Spark
   * context.
   */
  private interface Answers<T> {
    void take(int partition, T answer);
  }

  private static <T> void run(
      JavaRDD<Block> blocks,
      Function1<Iterator<Block>, T> task,
      Class<T> type,
      Answers<T> answers) {
    try {
      blocks
          .context()
          .runJob(blocks.rdd(), task, new Handler<>(answers), ClassTag$.MODULE$.apply(type));
    } catch (Exception e) { // Scala throws checked exceptions without declaring them
      EngineFailure failure = EngineFailure.in(e);
      if (failure != null) {
        throw new IllegalStateException(failure.getMessage(), e);
      }
      throw e;
    }
  }

  /** Passes on the results from Spark: one for every partition, in any order. */
  private static final class Handler<T> extends AbstractFunction2<Object, T, BoxedUnit>
      implements Serializable {

    private static final long serialVersionUID = 1;

    private final transient Answers<T> answers;

    Handler(Answers<T> answers) {
      this.answers = answers;
    }

    @Override
    public BoxedUnit apply(Object partition, T answer) {
      answers.take((Integer) partition, answer);
      return BoxedUnit.UNIT;
    }
  }

  /** The sum of the results so far, so that they are not all in memory at once. */
  private static final class Total implements Answers<byte[]> {

    private final long[] total;
    private final boolean[] seen;
    private int changed = -1;
    private boolean overflow;

    Total(int dimension, int partitions) {
      total = new long[dimension];
      seen = new boolean[partitions];
    }

    @Override
    public synchronized void take(int partition, byte[] answer) {
      if (answer.length == 0) {
        changed = partition;
      } else if (answer.length > StreamRoute.DELIVERED.length) {
        add(partition, ByteBuffer.wrap(answer));
      }
    }

    /** Adds the sums of a partition, unless they were already added. */
    synchronized void add(int partition, ByteBuffer answer) {
      if (seen[partition]) {
        return;
      }
      LongBuffer sums = ArrayBytes.view(answer);
      if (sums.remaining() != total.length) {
        throw new IllegalStateException(
            "partition " + partition + " returned sums of the wrong size");
      }
      for (int i = 0; i < total.length; i++) {
        long term = sums.get(i);
        long sum = total[i] + term;
        overflow |= ((total[i] ^ sum) & (term ^ sum)) < 0;
        total[i] = sum;
      }
      seen[partition] = true;
    }

    /** Adds the total over all partitions. */
    synchronized void addTo(long[] sums) {
      if (changed >= 0) {
        throw new RecordsChangedException(changed);
      }
      for (int p = 0; p < seen.length; p++) {
        if (!seen[p]) {
          throw new IllegalStateException(
              "partition " + p + " returned no result; run the step again");
        }
      }
      if (overflow) {
        throw new ArithmeticException(
            "a sum must fit into 63 bits, but there are more records than the declared"
                + " population; correct the population");
      }
      for (int i = 0; i < sums.length; i++) {
        sums[i] = Math.addExact(sums[i], total[i]);
      }
    }
  }
}
