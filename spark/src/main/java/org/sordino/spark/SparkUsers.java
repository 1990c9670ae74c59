package org.sordino.spark;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.api.java.JavaPairRDD;
import org.jspecify.annotations.Nullable;
import org.sordino.table.Split;
import org.sordino.table.TableException;
import org.sordino.table.TableRecords;
import org.sordino.training.EngineFactory;
import org.sordino.training.Examples;
import org.sordino.training.GradientEngine;
import org.sordino.training.TrainingPlan;
import org.sordino.training.Unit;
import scala.Tuple2;

/**
 * The rows of a table in a cluster, each with its user.
 *
 * @param rows training rows
 * @param size number of training rows
 * @param partitions number of partitions for training; 0 for the default
 * @param test test rows, in the memory of the driver; or null
 */
record SparkUsers(
    JavaPairRDD<String, Examples> rows, long size, int partitions, @Nullable Examples test)
    implements TableRecords {

  /**
   * Splits a table into training and test users, with the same random split as on one machine.
   *
   * @param share share of the users that is held out, or 0
   * @param partitions number of partitions; 0 for the default
   */
  static SparkUsers of(
      SparkRecords.Loaded all, double share, long seed, int partitions, @Nullable Examples given) {
    JavaPairRDD<String, Examples> training = rows(all, share, seed, false);
    Examples test = given;
    long[] firsts = all.firsts();
    long size = firsts[firsts.length - 1];
    if (share > 0) {
      test = Examples.concat(rows(all, share, seed, true).values().collect());
      size -= test.size();
      SparkRecords.requireBothSides(test, size);
    }
    return new SparkUsers(training, size, partitions, test);
  }

  private static JavaPairRDD<String, Examples> rows(
      SparkRecords.Loaded all, double share, long seed, boolean heldOut) {
    return all.parts().flatMapToPair(part -> chosen(part, share, seed, heldOut));
  }

  private static Iterator<Tuple2<String, Examples>> chosen(
      Encoded part, double share, long seed, boolean heldOut) {
    List<Tuple2<String, Examples>> rows = new ArrayList<>();
    for (int i = 0; i < part.examples().size(); i++) {
      String user = part.user(i);
      if (share == 0 || Split.isHeldOut(user, share, seed) == heldOut) {
        rows.add(new Tuple2<>(user, part.examples().slice(i, i + 1)));
      }
    }
    return rows.iterator();
  }

  @Override
  public long size(Unit unit) {
    return unit.kind() == Unit.Kind.EXAMPLE ? size : rows.keys().distinct().count();
  }

  @Override
  public GradientEngine engine(EngineFactory factory) {
    return SparkEngine.of(factory, rows.values(), partitions, size);
  }

  @Override
  public GradientEngine engine(EngineFactory factory, TrainingPlan plan) {
    return switch (plan.unit().kind()) {
      case EXAMPLE ->
          SparkEngine.of(factory, rows.values(), partitions, plan.privacy().population());
      case USER, USER_UPDATE ->
          SparkEngine.ofUsers(factory, plan.unit(), rows, SparkRecords.parts(partitions, rows));
      case MICROBATCH ->
          throw new TableException("microbatches are not supported on Spark; use --engine java");
    };
  }
}
