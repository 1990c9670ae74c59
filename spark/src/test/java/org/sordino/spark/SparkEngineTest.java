package org.sordino.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.spark.SparkConf;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.serializer.KryoSerializer;
import org.apache.spark.serializer.SerializerInstance;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sordino.mechanism.Clipping;
import org.sordino.mechanism.Layout;
import org.sordino.mechanism.Mechanism;
import org.sordino.mechanism.NoiseAllocation;
import org.sordino.mechanism.VectorGroup;
import org.sordino.random.RandomKey;
import org.sordino.sampling.PoissonSample;
import org.sordino.table.OwnedExamples;
import org.sordino.training.EngineFactory;
import org.sordino.training.Examples;
import org.sordino.training.GradientEngine;
import org.sordino.training.KeyFolder;
import org.sordino.training.LinearEngine;
import org.sordino.training.LinearModel;
import org.sordino.training.Records;
import org.sordino.training.Trainer;
import org.sordino.training.TrainingListener;
import org.sordino.training.TrainingPlan;
import org.sordino.training.TrainingResult;
import org.sordino.training.Unit;
import scala.Tuple2;
import scala.reflect.ClassTag;
import scala.reflect.ClassTag$;

class SparkEngineTest {

  private static final int RECORDS = 3_000;

  private static SparkSession session;
  private static JavaSparkContext context;

  /** Number of computations of a partition; the executors are in this process. */
  private static final AtomicInteger COMPUTED = new AtomicInteger();

  @BeforeAll
  static void start() {
    session = Sparks.local();
    context = new JavaSparkContext(session.sparkContext());
  }

  @AfterAll
  static void stop() {
    session.stop();
  }

  private static TrainingResult train(LinearModel model, JavaRDD<Examples> records) {
    try (SparkEngine engine = SparkEngine.of(EngineFactory.linear(model), records)) {
      assertThat(engine.records()).isEqualTo(RECORDS);
      return Trainer.of(Tables.plan(model, RECORDS, 12), engine).insecureSeed(5).run();
    }
  }

  private static void checkAgainstOneMachine(LinearModel model, int classes, int... partitions) {
    Examples table = Tables.random(RECORDS, model.inputs(), classes);
    TrainingPlan plan = Tables.plan(model, RECORDS, 12);
    TrainingResult alone = Trainer.of(plan, LinearEngine.of(model, table)).insecureSeed(5).run();
    for (int count : partitions) {
      TrainingResult spread = train(model, Tables.spread(context, table, count));
      assertThat(spread.weights()).isEqualTo(alone.weights());
      assertThat(spread.ledger().event()).isEqualTo(alone.ledger().event());
      assertThat(spread.ledger().steps()).isEqualTo(alone.ledger().steps());
    }
  }

  @Test
  void train_logisticIn1And2And7Partitions_equalsOneMachineBitForBit() {
    checkAgainstOneMachine(LinearModel.logistic(6), 2, 1, 2, 7);
  }

  @Test
  void train_softmaxAndRegression_equalsOneMachineBitForBit() {
    checkAgainstOneMachine(LinearModel.softmax(4, 3), 3, 3);
    checkAgainstOneMachine(LinearModel.regression(4), 2, 3);
  }

  /** Records that are placed by content are still sampled by their numbers in the table. */
  @Test
  void of_placedByContent_equalsOneMachineBitForBit() {
    LinearModel model = LinearModel.logistic(6);
    Examples table = Tables.random(RECORDS, 6, 2);
    TrainingPlan plan = Tables.plan(model, RECORDS, 12);
    EngineFactory linear = EngineFactory.linear(model);
    double[] alone =
        Trainer.of(plan, LinearEngine.of(model, table)).insecureSeed(5).run().weights();
    byte[] fingerprint = fingerprint(linear, table, 2, 1);
    for (int partitions : new int[] {1, 3, 7}) {
      JavaRDD<Examples> records = Tables.spread(context, table, 4);
      try (SparkEngine engine = SparkEngine.of(linear, records, partitions)) {
        assertThat(engine.records()).isEqualTo(RECORDS);
        assertThat(engine.fingerprint(RandomKey.insecure(1))).isEqualTo(fingerprint);
        assertThat(Trainer.of(plan, engine).insecureSeed(5).run().weights()).isEqualTo(alone);
      }
    }
    assertThatIllegalArgumentException()
        .isThrownBy(() -> SparkEngine.of(linear, Tables.spread(context, table, 4), 0))
        .withMessage("partitions must be at least 1, got 0; use the number of cores");
  }

  /** The table is read once, although it is counted before its records are placed. */
  @Test
  void of_placedByContent_readsTheTableOnce() {
    LinearModel model = LinearModel.logistic(6);
    COMPUTED.set(0);
    JavaRDD<Examples> records = fickle(Tables.random(RECORDS, 6, 2));
    try (SparkEngine engine = SparkEngine.of(EngineFactory.linear(model), records, 3)) {
      assertThat(engine.records()).isEqualTo(RECORDS);
      assertThat(COMPUTED).hasValue(1);
    }
  }

  /** There are enough parameters to be broadcast. */
  @Test
  void train_manyParameters_equalsOneMachineBitForBit() {
    LinearModel model = LinearModel.regression(20_000);
    Examples table = Tables.random(60, model.inputs(), 2);
    TrainingPlan plan = Tables.plan(model, 60, 4);
    double[] alone =
        Trainer.of(plan, LinearEngine.of(model, table)).insecureSeed(5).run().weights();
    try (SparkEngine engine =
        SparkEngine.of(EngineFactory.linear(model), Tables.spread(context, table, 2))) {
      assertThat(Trainer.of(plan, engine).insecureSeed(5).run().weights()).isEqualTo(alone);
    }
  }

  @Test
  void ofUsers_anyPartitionsAndOrder_equalsOneMachineBitForBit() {
    LinearModel model = LinearModel.logistic(6);
    List<Tuple2<String, Examples>> owned = Tables.owned(Tables.random(RECORDS, 6, 2));
    TrainingPlan plan =
        TrainingPlan.forLayout(model.layout())
            .population(400)
            .expectedBatch(40)
            .steps(12)
            .noiseMultiplier(1)
            .clip(0.7)
            .unit(Unit.user(5))
            .build();
    Examples table = Examples.concat(owned.stream().map(Tuple2::_2).toList());
    Records users = Records.users(owned.stream().map(Tuple2::_1).toList(), 5, table::digest);
    EngineFactory factory = EngineFactory.linear(model);
    TrainingResult alone;
    byte[] fingerprint = null;
    try (GradientEngine engine = factory.with(List.of(), Unit.user(5)).open(table, users, 1)) {
      alone = Trainer.of(plan, engine).insecureSeed(5).run();
    }
    for (int partitions : new int[] {1, 2, 7}) {
      Collections.shuffle(owned, new Random(partitions));
      try (SparkEngine engine =
          SparkEngine.ofUsers(factory, 5, context.parallelizePairs(owned, 4), partitions)) {
        assertThat(engine.records()).isEqualTo(users.size());
        byte[] found = engine.fingerprint(RandomKey.insecure(9));
        assertThat(found).isEqualTo(fingerprint == null ? found : fingerprint);
        fingerprint = found;
        TrainingResult spread = Trainer.of(plan, engine).insecureSeed(5).run();
        assertThat(spread.weights()).isEqualTo(alone.weights());
        assertThat(spread.ledger().event()).isEqualTo(alone.ledger().event());
      }
    }
  }

  @Test
  void ofUsers_withoutTheLargestUser_movesTheSumByAtMostTheBound() {
    LinearModel model = LinearModel.logistic(6);
    List<Tuple2<String, Examples>> owned = Tables.owned(Tables.random(RECORDS, 6, 2));
    List<Tuple2<String, Examples>> without =
        owned.stream().filter(pair -> !pair._1().equals("user-0")).toList();
    double bound = 0.01;
    Mechanism mechanism =
        Mechanism.of(
            model.layout(),
            List.of(VectorGroup.flat("gradient", model.layout().names(), bound)),
            NoiseAllocation.EQUAL,
            1);
    Clipping clipping = mechanism.clipping(400, 0, 0);
    double[] difference = sumOfAll(model, owned, clipping);
    double[] others = sumOfAll(model, without, clipping);
    double square = 0;
    for (int i = 0; i < difference.length; i++) {
      square += Math.pow(difference[i] - others[i], 2);
    }
    assertThat(Math.sqrt(square)).isBetween(0.95 * bound, bound);
  }

  private static double[] sumOfAll(
      LinearModel model, List<Tuple2<String, Examples>> owned, Clipping clipping) {
    try (SparkEngine engine =
        SparkEngine.ofUsers(
            EngineFactory.linear(model), 5, context.parallelizePairs(owned, 2), 3)) {
      int dimension = model.layout().dimension();
      long[] sums = new long[dimension];
      engine.sum(
          PoissonSample.of(RandomKey.insecure(1), 0, 1), new double[dimension], clipping, sums);
      return Arrays.stream(sums).mapToDouble(sum -> sum * clipping.unit(0)).toArray();
    }
  }

  @Test
  void ofUsers_exampleWithoutAUser_isRefused() {
    Examples table = Tables.random(3, 2, 2);
    List<Tuple2<String, Examples>> owned = new ArrayList<>();
    owned.add(new Tuple2<>("a", table.slice(0, 1)));
    owned.add(new Tuple2<>(null, table.slice(1, 2)));
    JavaPairRDD<String, Examples> pairs = context.parallelizePairs(owned, 1);
    EngineFactory factory = EngineFactory.linear(LinearModel.logistic(2));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> SparkEngine.ofUsers(factory, 5, pairs, 2))
        .withMessageContaining("every row must have a user");
  }

  /** Many clusters use Kryo to serialize data, and it cannot read Java records. */
  @Test
  void serializedData_survivesKryo() {
    SerializerInstance kryo = new KryoSerializer(new SparkConf(false)).newInstance();
    Examples table = Tables.random(3, 2, 2);
    Examples copy = roundTrip(kryo, table, Examples.class);
    assertThat(copy.features()).isEqualTo(table.features());
    assertThat(copy.targets()).isEqualTo(table.targets());
    Block block = Block.of(table, List.of("a", "b"), new int[] {2, 1}, RandomKey.insecure(1));
    Block moved = roundTrip(kryo, block, Block.class);
    assertThat(moved.digest()).isEqualTo(block.digest());
    assertThat(moved.records().size()).isEqualTo(2);
    EngineFactory factory =
        EngineFactory.linear(LinearModel.logistic(2)).with(List.of(), Unit.user(2));
    Summary summary = Summary.of(block, factory, true);
    assertThat(roundTrip(kryo, summary, Summary.class).records()).isEqualTo(2);
    Directory directory = Directory.of(new Summary[] {summary});
    assertThat(roundTrip(kryo, directory, Directory.class).matches(0, block, factory)).isTrue();
    Block placed = Block.of(table, new long[] {1, 5, 6}, RandomKey.insecure(1));
    assertThat(roundTrip(kryo, placed, Block.class).number(1, 0)).isEqualTo(5);
    ByContent.Piece piece = new ByContent.Piece(table, new long[] {1, 5, 6}, false);
    assertThat(roundTrip(kryo, piece, ByContent.Piece.class)).hasSameClassAs(piece);
    Encoded encoded = Encoded.of(2, () -> new OwnedExamples(table, List.of("a", "b", "a"))).next();
    assertThat(roundTrip(kryo, encoded, Encoded.class).examples().size()).isEqualTo(3);
    assertThat(roundTrip(kryo, encoded, Encoded.class).user(1)).isEqualTo("b");
    Extent extent = new Extent.Task().call(List.of(encoded).iterator()).next();
    assertThat(roundTrip(kryo, extent, Extent.class).records()).isEqualTo(3);
  }

  private static <T> T roundTrip(SerializerInstance serializer, T value, Class<T> type) {
    ClassTag<T> tag = ClassTag$.MODULE$.apply(type);
    return serializer.deserialize(serializer.serialize(value, tag), tag);
  }

  @Test
  void of_emptyPartitions_countsNothing() {
    LinearModel model = LinearModel.logistic(3);
    Examples table = Tables.random(5, 3, 2);
    try (SparkEngine engine =
        SparkEngine.of(EngineFactory.linear(model), Tables.spread(context, table, 9))) {
      assertThat(engine.records()).isEqualTo(5);
    }
  }

  @Test
  void fingerprint_dependsOnRecordsAndKeyButNotOnPartitions() {
    LinearModel model = LinearModel.logistic(6);
    Examples table = Tables.random(RECORDS, 6, 2);
    EngineFactory linear = EngineFactory.linear(model);
    byte[] one = fingerprint(linear, table, 1, 1);
    assertThat(fingerprint(linear, table, 2, 1)).isEqualTo(one);
    assertThat(fingerprint(linear, table, 7, 1)).isEqualTo(one);
    assertThat(fingerprint(linear, table, 2, 2)).isNotEqualTo(one);
    Examples swapped = table.slice(0, RECORDS);
    swapped.targets()[0] = table.targets()[1];
    swapped.targets()[1] = table.targets()[0];
    for (int j = 0; j < 6; j++) {
      swapped.features()[j] = table.features()[6 + j];
      swapped.features()[6 + j] = table.features()[j];
    }
    assertThat(fingerprint(linear, swapped, 2, 1)).isNotEqualTo(one);
  }

  private static byte[] fingerprint(
      EngineFactory factory, Examples table, int partitions, long seed) {
    try (SparkEngine engine = SparkEngine.of(factory, Tables.spread(context, table, partitions))) {
      return engine.fingerprint(RandomKey.insecure(seed));
    }
  }

  /** Returns different pins on every call, as if every machine were of a different kind. */
  private record Motley(EngineFactory inner) implements WrappedFactory {

    @Override
    public EngineFactory with(List<Layout.Vector> metrics, Unit unit) {
      return new Motley(inner.with(metrics, unit));
    }

    @Override
    public String pins() {
      return "machine " + COMPUTED.incrementAndGet();
    }
  }

  /** Fails to create an engine in a task, as if a native library were missing in executors. */
  private record Broken(EngineFactory inner, boolean always) implements WrappedFactory {

    @Override
    public EngineFactory with(List<Layout.Vector> metrics, Unit unit) {
      return new Broken(inner.with(metrics, unit), always);
    }

    @Override
    public GradientEngine open(Examples examples, Records records, int threads) {
      if (TaskContext.get() != null && (always || examples.size() > 0)) {
        throw new UnsatisfiedLinkError("no torch in java.library.path");
      }
      return inner.open(examples, records, threads);
    }
  }

  @Test
  void of_executorWithoutNativeLibrary_namesExecutorAndReason() {
    JavaRDD<Examples> records = Tables.spread(context, Tables.random(100, 3, 2), 2);
    EngineFactory broken = new Broken(EngineFactory.linear(LinearModel.logistic(3)), true);
    assertThatIllegalStateException()
        .isThrownBy(() -> SparkEngine.of(broken, records))
        .withMessageStartingWith("executor driver on 127.0.0.1 must be able to create the engine")
        .withMessageContaining("got java.lang.UnsatisfiedLinkError: no torch in java.library.path")
        .withMessageContaining("check that it has the same jars, native libraries");
  }

  /** An engine over records may fail with a message that quotes one, so it is not repeated. */
  @Test
  void sum_executorThatCannotOpenItsRecords_namesExecutorButNotTheMessage() {
    JavaRDD<Examples> records = Tables.spread(context, Tables.random(100, 3, 2), 2);
    LinearModel model = LinearModel.logistic(3);
    EngineFactory broken = new Broken(EngineFactory.linear(model), false);
    Clipping clipping =
        Mechanism.of(
                model.layout(),
                List.of(VectorGroup.flat("gradient", model.layout().names(), 1)),
                NoiseAllocation.EQUAL,
                1)
            .clipping(100, 0, 0);
    try (SparkEngine engine = SparkEngine.of(broken, records)) {
      PoissonSample all = PoissonSample.of(RandomKey.insecure(1), 0, 1);
      assertThatIllegalStateException()
          .isThrownBy(() -> engine.sum(all, new double[4], clipping, new long[4]))
          .withMessageContaining("got java.lang.UnsatisfiedLinkError; check");
    }
  }

  @Test
  void of_executorsOfSeveralKinds_isRefused() {
    Examples table = Tables.random(100, 3, 2);
    EngineFactory motley = new Motley(EngineFactory.linear(LinearModel.logistic(3)));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> SparkEngine.of(motley, Tables.spread(context, table, 2)))
        .withMessageContaining("executors must have the same processors and libraries");
  }

  @Test
  void of_invalidLabel_isRefusedWithoutItsValue() {
    Examples table = Tables.random(100, 3, 2);
    table.targets()[42] = 7.25f;
    assertThatIllegalArgumentException()
        .isThrownBy(
            () ->
                SparkEngine.of(
                    EngineFactory.linear(LinearModel.logistic(3)),
                    Tables.spread(context, table, 3)))
        .withMessage("labels must be classes 0 to 1, got other values; correct them");
  }

  /** Returns records whose first partition changes when it is recomputed. */
  private static JavaRDD<Examples> fickle(Examples table) {
    return Tables.spread(context, table, 2)
        .mapPartitionsWithIndex(
            (partition, rows) -> {
              if (partition == 0 && COMPUTED.incrementAndGet() > 1) {
                rows.next();
              }
              return rows;
            },
            true);
  }

  @Test
  void sum_partitionThatChangesWhenRecomputed_endsTheRunWithNothingReleased(@TempDir Path folder)
      throws Exception {
    LinearModel model = LinearModel.logistic(6);
    COMPUTED.set(0);
    JavaRDD<Examples> records = fickle(Tables.random(RECORDS, 6, 2));
    Path run = folder.resolve("run");
    int[] steps = {0};
    try (SparkEngine engine = SparkEngine.of(EngineFactory.linear(model), records)) {
      Trainer trainer =
          Trainer.of(Tables.plan(model, RECORDS, 10), engine)
              .in(run)
              .keys(new KeyFolder(folder.resolve("keys")))
              .listener(
                  TrainingListener.afterStep(
                      (step, theta) -> {
                        steps[0]++;
                        if (step == 3) {
                          forget();
                        }
                      }));
      assertThatExceptionOfType(RecordsChangedException.class)
          .isThrownBy(trainer::run)
          .withMessageContaining("partition 0 changed when it was recomputed");
    }
    assertThat(steps[0]).isEqualTo(3);
    assertThat(Files.readString(run.resolve("ledger.jsonl"))).doesNotContain("finish");
  }

  /** Clears the cache, as the loss of all executors would. */
  private static void forget() {
    context.sc().env().blockManager().memoryStore().clear();
    context.getPersistentRDDs().values().forEach(rdd -> rdd.unpersist(true));
  }

  @Test
  void sum_partitionRecomputedWithTheSameRecords_isTheSame() {
    LinearModel model = LinearModel.logistic(6);
    Examples table = Tables.random(RECORDS, 6, 2);
    TrainingPlan plan = Tables.plan(model, RECORDS, 8);
    double[] alone =
        Trainer.of(plan, LinearEngine.of(model, table)).insecureSeed(5).run().weights();
    try (SparkEngine engine =
        SparkEngine.of(EngineFactory.linear(model), Tables.spread(context, table, 3))) {
      Trainer trainer =
          Trainer.of(plan, engine)
              .insecureSeed(5)
              .listener(TrainingListener.afterStep((step, theta) -> forget()));
      assertThat(trainer.run().weights()).isEqualTo(alone);
    }
  }
}
