package org.sordino.spark;

import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.SparkSession;
import org.sordino.mechanism.Clipping;
import org.sordino.mechanism.Mechanism;
import org.sordino.mechanism.NoiseAllocation;
import org.sordino.mechanism.VectorGroup;
import org.sordino.random.RandomKey;
import org.sordino.sampling.PoissonSample;
import org.sordino.training.EngineFactory;
import org.sordino.training.Examples;
import org.sordino.training.GradientEngine;
import org.sordino.training.LinearEngine;
import org.sordino.training.LinearModel;

/**
 * Measures a step with executors in separate processes, compared with an empty Spark job and with
 * one machine. Times are medians of alternating measurements, because machines are noisy. Run it
 * with the test class path; docs/tutorials/spark.md has the results.
 */
final class StepBenchmark {

  private static final int WARM_UP = 150;
  private static final int ROUNDS = 41;

  private StepBenchmark() {}

  public static void main(String[] args) throws Exception {
    SparkConf settings =
        Sparks.cluster(2)
            .setMaster("local-cluster[2,1,2048]")
            .set("spark.executor.memory", "1536m")
            .set("spark.executor.extraJavaOptions", Sparks.OPENS + " -XX:+UseParallelGC")
            .set("spark.broadcast.compress", "false") // as recommended in docs/tutorials/spark.md
            .set("spark.broadcast.checksum", "false")
            .set("spark.broadcast.blockSize", "16m");
    try (SparkSession session = Sparks.start(settings)) {
      JavaSparkContext context = new JavaSparkContext(session.sparkContext());
      System.out.println("Spark " + session.version() + ", 2 executors of 1 core");
      System.out.println(
          "parameters partitions empty_ms step_ms ratio, least empty_ms step_ms ratio");
      for (int parameters : new int[] {1_000, 10_000, 100_000, 1_000_000}) {
        overhead(context, parameters, 2);
      }
      for (int partitions : new int[] {4, 8, 16, 64}) {
        overhead(context, 10_000, partitions);
      }
      table(context);
    }
  }

  /** Measures steps with an empty sample, which transfer all bytes but compute no gradients. */
  private static void overhead(JavaSparkContext context, int parameters, int partitions) {
    LinearModel model = LinearModel.regression(parameters - 1);
    JavaRDD<Examples> records = records(context, partitions, 1, model.inputs());
    double[] theta = new Random(3).doubles(parameters, -1, 1).toArray();
    JavaRDD<Integer> nothing =
        context.parallelize(IntStream.range(0, partitions).boxed().toList(), partitions);
    try (SparkEngine engine = SparkEngine.of(EngineFactory.linear(model), records)) {
      double[] times = byTurns(nothing::count, () -> sum(engine, model, partitions, 0, theta));
      System.out.printf("%9d %9d %s%n", parameters, partitions, text(times));
    }
  }

  /**
   * Measures a batch of 100,000 from 2 million rows with 20 features, compared with one machine
   * with as many threads.
   */
  private static void table(JavaSparkContext context) {
    int rows = 2_000_000;
    LinearModel model = LinearModel.logistic(20);
    double[] theta = new Random(3).doubles(21, -1, 1).toArray();
    JavaRDD<Examples> records = records(context, 2, rows / 2, 20);
    LinearEngine alone =
        LinearEngine.of(
            model, Examples.concat(List.of(part(0, rows / 2, 20), part(1, rows / 2, 20))), 2);
    try (SparkEngine engine = SparkEngine.of(EngineFactory.linear(model), records)) {
      double[] times =
          byTurns(
              () -> sum(alone, model, rows, 0.05, theta),
              () -> sum(engine, model, rows, 0.05, theta));
      System.out.println(
          "2,000,000 rows x 20, batch 100,000: one machine, Spark, ratio " + text(times));
    }
  }

  private static JavaRDD<Examples> records(
      JavaSparkContext context, int partitions, int rows, int width) {
    return context
        .parallelize(IntStream.range(0, partitions).boxed().toList(), partitions)
        .map(seed -> part(seed, rows, width));
  }

  private static Examples part(int seed, int rows, int width) {
    Random random = new Random(seed);
    float[] features = new float[rows * width];
    float[] targets = new float[rows];
    for (int i = 0; i < features.length; i++) {
      features[i] = random.nextFloat() * 2 - 1;
    }
    for (int i = 0; i < rows; i++) {
      targets[i] = random.nextInt(2);
    }
    return new Examples(features, width, targets);
  }

  private static void sum(
      GradientEngine engine, LinearModel model, long population, double rate, double[] theta) {
    Mechanism mechanism =
        Mechanism.of(
            model.layout(),
            List.of(VectorGroup.flat("gradient", model.layout().names(), 1)),
            NoiseAllocation.EQUAL,
            1);
    Clipping clipping = mechanism.clipping(population, 0, 0);
    PoissonSample sample = PoissonSample.of(RandomKey.insecure(1), 0, rate);
    engine.sum(sample, theta, clipping, new long[theta.length]);
  }

  private static String text(double[] times) {
    return "%8.1f %8.1f %6.2f, %8.1f %8.1f %6.2f"
        .formatted(
            times[0], times[1], times[1] / times[0], times[2], times[3], times[3] / times[2]);
  }

  /**
   * Returns the medians and minima of the times of two actions, in milliseconds. The minima are
   * included because other programs use the machine too.
   */
  private static double[] byTurns(Runnable one, Runnable other) {
    double[][] times = new double[2][ROUNDS];
    for (int round = -WARM_UP; round < ROUNDS; round++) {
      for (int which = 0; which < 2; which++) {
        long start = System.nanoTime();
        (which == 0 ? one : other).run();
        if (round >= 0) {
          times[which][round] = (System.nanoTime() - start) / 1e6;
        }
      }
    }
    Arrays.sort(times[0]);
    Arrays.sort(times[1]);
    return new double[] {
      times[0][ROUNDS / 2], times[1][ROUNDS / 2], times[0][0], times[1][0],
    };
  }
}
