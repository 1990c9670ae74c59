package org.sordino.spark;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.sordino.mechanism.Clipping;
import org.sordino.mechanism.Layout;
import org.sordino.mechanism.Mechanism;
import org.sordino.mechanism.NoiseAllocation;
import org.sordino.mechanism.VectorGroup;
import org.sordino.random.RandomKey;
import org.sordino.sampling.PoissonSample;
import org.sordino.torch.Architecture;
import org.sordino.torch.Loss;
import org.sordino.torch.TorchFactory;
import org.sordino.training.EngineFactory;
import org.sordino.training.Examples;
import org.sordino.training.GradientEngine;
import org.sordino.training.Unit;

/**
 * Attacks the guarantee of a network on Spark: the first record of a table is removed, so that all
 * later records move up, and the sums over both tables are compared. One record must not change the
 * sum by more than its bound, and must not change the float sums of more than one partition.
 *
 * <p>The twin places the same records by their position, as Sordino did before.
 */
class PartitionAttackTest {

  private static final int INPUTS = 300;
  private static final int HIDDEN = 64;
  private static final int PARTITIONS = 8;
  private static final int IN_PARTITION = 119;
  private static final double BOUND = 0.7;

  private static final Architecture NET = Architecture.mlp(INPUTS, HIDDEN, 2);
  private static final EngineFactory NETWORK =
      TorchFactory.of(NET, Loss.CROSS_ENTROPY, RandomKey.insecure(1));

  private static SparkSession session;
  private static JavaSparkContext context;

  @BeforeAll
  static void start() {
    session = Sparks.local();
    context = new JavaSparkContext(session.sparkContext());
  }

  @AfterAll
  static void stop() {
    session.stop();
  }

  /** A table, its first record, and the parameters at which the records are dangerous. */
  private record Attack(Examples record, Examples others, double[] theta) {

    Examples table() {
      return Examples.concat(List.of(record, others));
    }
  }

  /**
   * All records are alike except in one feature, which no unit uses. Each hidden unit is at the
   * kink of its activation for them: the last bit of its input decides whether it contributes. The
   * removed record shares no partition with them, so only its own contribution may change.
   */
  private static Attack kink() {
    Random random = new Random(5);
    Layout layout = NET.layout();
    double[] theta = NET.initialWeights(RandomKey.insecure(2));
    float[] kink = record(random, 1);
    for (int unit = 0; unit < HIDDEN; unit++) {
      theta[layout.offset(0) + unit * INPUTS] = 0;
      double input = 0;
      for (int j = 0; j < INPUTS; j++) {
        input += (float) theta[layout.offset(0) + unit * INPUTS + j] * (double) kink[j];
      }
      theta[layout.offset(1) + unit] = -(float) input;
    }
    Examples first = new Examples(record(random, 1), INPUTS, new float[] {1});
    List<Examples> alike = new ArrayList<>();
    for (int i = 0; alike.size() < PARTITIONS * IN_PARTITION; i++) {
      float[] features = kink.clone();
      features[0] = i * 0x1p-12f;
      Examples one = new Examples(features, INPUTS, new float[] {0});
      if (place(one, 0) != place(first, 0)) {
        alike.add(one);
      }
    }
    return new Attack(first, Examples.concat(alike), theta);
  }

  /** Ordinary, huge and tiny records, records that are not finite, and many copies of a few. */
  private static Attack mixed() {
    Random random = new Random(6);
    List<Examples> all = new ArrayList<>();
    for (int i = 0; i < PARTITIONS * IN_PARTITION; i++) {
      float scale = new float[] {1, 1e6f, 1e-6f, 1e18f}[i % 4];
      float[] features = record(i % 5 == 0 ? new Random(i % 3) : random, scale);
      if (i % 97 == 0) {
        features[i % INPUTS] = i % 2 == 0 ? Float.NaN : Float.NEGATIVE_INFINITY;
      }
      all.add(new Examples(features, INPUTS, new float[] {i % 2}));
    }
    Examples first = new Examples(record(random, 1), INPUTS, new float[] {1});
    return new Attack(first, Examples.concat(all), NET.initialWeights(RandomKey.insecure(2)));
  }

  private static float[] record(Random random, float scale) {
    float[] features = new float[INPUTS];
    for (int j = 0; j < INPUTS; j++) {
      features[j] = scale * (float) random.nextGaussian();
    }
    return features;
  }

  private static Attack attack(String name) {
    return name.equals("kink") ? kink() : mixed();
  }

  @ParameterizedTest
  @ValueSource(strings = {"kink", "mixed"})
  void sum_firstRecordRemoved_changesOnePartitionByAtMostOneBound(String name) {
    Attack attack = attack(name);
    double[] with = sum(attack.table(), attack.theta());
    double[] without = sum(attack.others(), attack.theta());
    long[][] before = byContent(attack.table(), attack.theta());
    long[][] after = byContent(attack.others(), attack.theta());
    assertThat(total(before)).isEqualTo(with);
    assertThat(total(after)).isEqualTo(without);
    double change = distance(with, without) / BOUND;
    System.out.printf(
        "%s, placed by content: the sum changes by %.3f bounds, in %d of %d partitions%n",
        name, change, changed(before, after), PARTITIONS);
    assertThat(change).isBetween(0.5, 1.0);
    assertThat(changed(before, after)).isOne();
  }

  /** Shows that the attack would find partitions that depend on the position of a record. */
  @ParameterizedTest
  @ValueSource(strings = {"kink", "mixed"})
  void sum_placedByPosition_changesInSeveralPartitions(String name) {
    Attack attack = attack(name);
    long[][] before = byPosition(attack.table(), attack.theta());
    long[][] after = byPosition(attack.others(), attack.theta());
    assertThat(sumByPosition(attack.table(), attack.theta())).isEqualTo(total(before));
    double change = distance(total(before), total(after)) / BOUND;
    System.out.printf(
        "%s, placed by position: the sum changes by %.3f bounds, in %d of %d partitions%n",
        name, change, changed(before, after), PARTITIONS);
    assertThat(changed(before, after)).isGreaterThan(PARTITIONS / 2);
  }

  /** Order, number and partitions of the table as read make no difference if all are sampled. */
  @Test
  void sum_tableInOtherPartitionsAndOrder_isTheSame() {
    Attack attack = mixed();
    Examples table = attack.table();
    double[] expected = sum(table, attack.theta());
    Examples reversed =
        Examples.concat(
            List.of(table.slice(table.size() / 3, table.size()), table.slice(0, table.size() / 3)));
    for (int read : new int[] {1, 5}) {
      assertThat(sum(NETWORK, reversed, read, attack.theta())).isEqualTo(expected);
    }
  }

  /** Returns the sum that Spark computes. */
  private static double[] sum(Examples table, double[] theta) {
    return sum(NETWORK, table, PARTITIONS, theta);
  }

  private static double[] sum(EngineFactory factory, Examples table, int read, double[] theta) {
    try (SparkEngine engine =
        SparkEngine.of(factory, Tables.spread(context, table, read), PARTITIONS)) {
      return values(sum(engine, theta));
    }
  }

  /** Returns the sum that Spark computes if records stay where they were read. */
  private static double[] sumByPosition(Examples table, double[] theta) {
    EngineFactory pretending = new Pretending(NETWORK);
    try (SparkEngine engine =
        SparkEngine.of(pretending, Tables.spread(context, table, PARTITIONS))) {
      return values(sum(engine, theta));
    }
  }

  private static long[] sum(GradientEngine engine, double[] theta) {
    long[] sums = new long[theta.length];
    engine.sum(PoissonSample.of(RandomKey.insecure(4), 0, 1), theta, clipping(), sums);
    return sums;
  }

  /** Returns the sum of each partition, computed without Spark. */
  private static long[][] byContent(Examples table, double[] theta) {
    List<List<Examples>> parts = new ArrayList<>();
    for (int p = 0; p < PARTITIONS; p++) {
      parts.add(new ArrayList<>(List.of(Examples.none(INPUTS))));
    }
    for (int i = 0; i < table.size(); i++) {
      parts.get(place(table, i)).add(table.slice(i, i + 1));
    }
    return parts.stream().map(part -> alone(Examples.concat(part), theta)).toArray(long[][]::new);
  }

  private static long[][] byPosition(Examples table, double[] theta) {
    long[][] sums = new long[PARTITIONS][];
    Arrays.setAll(
        sums,
        p ->
            alone(
                table.slice(p * table.size() / PARTITIONS, (p + 1) * table.size() / PARTITIONS),
                theta));
    return sums;
  }

  private static int place(Examples table, int record) {
    return ByContent.partition(table.digest(record), PARTITIONS);
  }

  private static long[] alone(Examples part, double[] theta) {
    try (GradientEngine engine = NETWORK.open(part, 1)) {
      return sum(engine, theta);
    }
  }

  private static Clipping clipping() {
    Layout layout = NET.layout();
    List<VectorGroup> flat = List.of(VectorGroup.flat("all", layout.names(), BOUND));
    return Mechanism.of(layout, flat, NoiseAllocation.EQUAL, 0)
        .clipping(PARTITIONS * IN_PARTITION, 0, NETWORK.roundingSlack());
  }

  private static double[] total(long[][] partitions) {
    long[] total = new long[NET.layout().dimension()];
    for (long[] part : partitions) {
      Arrays.setAll(total, k -> total[k] + part[k]);
    }
    return values(total);
  }

  private static double[] values(long[] sums) {
    Layout layout = NET.layout();
    Clipping clipping = clipping();
    double[] values = new double[sums.length];
    for (int j = 0; j < layout.size(); j++) {
      for (int k = layout.offset(j); k < layout.offset(j + 1); k++) {
        values[k] = sums[k] * clipping.unit(j);
      }
    }
    return values;
  }

  private static double distance(double[] a, double[] b) {
    double square = 0;
    for (int k = 0; k < a.length; k++) {
      square += (a[k] - b[k]) * (a[k] - b[k]);
    }
    return Math.sqrt(square);
  }

  private static int changed(long[][] before, long[][] after) {
    int changed = 0;
    for (int p = 0; p < PARTITIONS; p++) {
      changed += Arrays.equals(before[p], after[p]) ? 0 : 1;
    }
    return changed;
  }

  /** A network that pretends to add its records exactly, so that they are not placed by content. */
  private record Pretending(EngineFactory inner) implements WrappedFactory {

    @Override
    public EngineFactory with(List<Layout.Vector> metrics, Unit unit) {
      return new Pretending(inner.with(metrics, unit));
    }

    @Override
    public double roundingSlack() {
      return 0;
    }
  }
}
