package org.sordino.spark;

import java.util.List;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaRDDLike;
import org.apache.spark.storage.StorageLevel;
import org.jspecify.annotations.Nullable;
import org.sordino.json.JsonObject;
import org.sordino.table.TableException;
import org.sordino.table.TableRecords;
import org.sordino.training.EngineFactory;
import org.sordino.training.Examples;
import org.sordino.training.GradientEngine;
import org.sordino.training.TrainingPlan;
import org.sordino.training.Unit;

/**
 * The records of a table in a cluster.
 *
 * @param training training records, in the order of the table
 * @param firsts number of the first record of every partition, followed by the number of records
 * @param partitions number of partitions for training; 0 for the default
 * @param test test records, in the memory of the driver; or null
 */
record SparkRecords(
    JavaRDD<Examples> training, long[] firsts, int partitions, @Nullable Examples test)
    implements TableRecords {

  /**
   * Splits a table into training and test records.
   *
   * @param share share that is held out, or 0
   * @param partitions number of partitions of the training records; 0 for the default
   */
  static SparkRecords of(
      Loaded all, double share, long seed, int partitions, @Nullable Examples given) {
    long[] firsts = all.firsts();
    JavaRDD<Examples> training =
        all.parts().mapPartitionsWithIndex(new Select(firsts, share, seed, false), true);
    Examples test = given;
    long[] kept = firsts;
    if (share > 0) {
      test = collect(all, new Select(firsts, share, seed, true));
      kept = counted(training);
      requireBothSides(test, kept[kept.length - 1]);
    }
    return new SparkRecords(training, kept, partitions, test);
  }

  /**
   * Returns the number of partitions of records that are added exactly. By default it is at least
   * one per core, and more only if the table was read in more.
   */
  static int parts(int partitions, JavaRDDLike<?, ?> training) {
    return partitions == 0
        ? Math.max(training.getNumPartitions(), training.context().defaultParallelism())
        : partitions;
  }

  private static Examples collect(Loaded all, Select selection) {
    return Examples.concat(all.parts().mapPartitionsWithIndex(selection, true).collect());
  }

  private static long[] counted(JavaRDD<Examples> records) {
    List<Long> counts =
        records
            .mapPartitions(
                parts -> {
                  long count = 0;
                  while (parts.hasNext()) {
                    count += parts.next().size();
                  }
                  return List.of(count).iterator();
                })
            .collect();
    long[] firsts = new long[counts.size() + 1];
    for (int p = 0; p < counts.size(); p++) {
      firsts[p + 1] = firsts[p] + counts.get(p);
    }
    return firsts;
  }

  static void requireBothSides(Examples test, long trained) {
    if (test.size() == 0 || trained == 0) {
      throw new TableException(
          "a split must have records on both sides, got none on one side; use more records or"
              + " a different share");
    }
  }

  @Override
  public long size() {
    return firsts[firsts.length - 1];
  }

  @Override
  public long size(Unit unit) {
    return size();
  }

  @Override
  public GradientEngine engine(EngineFactory factory) {
    return engine(factory, size());
  }

  private GradientEngine engine(EngineFactory factory, long population) {
    JavaRDD<Examples> records = SparkEngine.isExact(factory) ? balanced() : training;
    return SparkEngine.of(factory, records, partitions, population);
  }

  private JavaRDD<Examples> balanced() {
    int parts = parts(partitions, training);
    return parts == training.getNumPartitions()
        ? training
        : EvenPartitions.of(training, firsts, parts);
  }

  @Override
  public GradientEngine engine(EngineFactory factory, TrainingPlan plan) {
    if (plan.unit().kind() != Unit.Kind.EXAMPLE) {
      throw new TableException(
          "the unit of the plan must be example, got "
              + JsonObject.spelling(plan.unit().kind())
              + "; use --engine java");
    }
    return engine(factory, plan.privacy().population());
  }

  /**
   * A table after reading.
   *
   * @param parts parts in the order of the table
   * @param firsts number of the first record of every partition, followed by the number of records
   */
  record Loaded(JavaRDD<Encoded> parts, long[] firsts) {

    /** Checks that all parts could be read, and counts their records. */
    static Loaded of(JavaRDD<Encoded> parts) {
      JavaRDD<Encoded> kept = parts.persist(StorageLevel.MEMORY_AND_DISK_SER());
      List<Extent> extents = kept.mapPartitions(new Extent.Task()).collect();
      long[] firsts = new long[extents.size() + 1];
      for (int p = 0; p < extents.size(); p++) {
        Extent extent = extents.get(p);
        if (!extent.problem().isEmpty()) {
          throw new TableException(extent.problem());
        }
        firsts[p + 1] = firsts[p] + extent.records();
      }
      return new Loaded(kept, firsts);
    }

    Examples examples() {
      return Examples.concat(parts.map(Encoded::examples).collect());
    }
  }
}
