package org.sordino.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.ml.evaluation.MulticlassClassificationEvaluator;
import org.apache.spark.ml.linalg.Vector;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sordino.mechanism.Clipping;
import org.sordino.mechanism.Mechanism;
import org.sordino.mechanism.NoiseAllocation;
import org.sordino.mechanism.VectorGroup;
import org.sordino.random.RandomKey;
import org.sordino.run.Learner;
import org.sordino.sampling.PoissonSample;
import org.sordino.torch.Architecture;
import org.sordino.torch.Loss;
import org.sordino.torch.TorchFactory;
import org.sordino.training.EngineFactory;
import org.sordino.training.Examples;
import org.sordino.training.GradientEngine;
import org.sordino.training.Trainer;
import org.sordino.training.TrainingPlan;
import scala.Tuple2;

/** Networks on Spark. The module spark does not depend on them and loads them as services. */
class NetworkSparkTest {

  private static final int RECORDS = 3_000;
  private static final Path OLD = Path.of("src/test/resources/version-0.1");
  private static final String DROPOUT =
      """
      {"input": [2], "layers": [{"type": "linear", "out": 4}, {"type": "tanh"},
        {"type": "dropout", "rate": 0.5}, {"type": "linear", "out": 3}]}
      """;

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

  /** The sums would differ if dropout masks depended on local example numbers or partitions. */
  @Test
  void ofUsers_networkWithDropout_isIndependentOfPartitions() {
    Architecture net =
        Architecture.fromJson(
            """
            {"input": [6], "layers": [{"type": "linear", "out": 5}, {"type": "tanh"},
              {"type": "dropout", "rate": 0.5}, {"type": "linear", "out": 2}]}
            """);
    EngineFactory factory = TorchFactory.of(net, Loss.CROSS_ENTROPY, RandomKey.insecure(3));
    List<Tuple2<String, Examples>> owned = Tables.owned(Tables.random(300, 6, 2));
    Clipping clipping =
        Mechanism.of(
                net.layout(),
                List.of(VectorGroup.flat("gradient", net.layout().names(), 1)),
                NoiseAllocation.EQUAL,
                1)
            .clipping(400, 0, 0);
    double[] theta = net.initialWeights(RandomKey.insecure(4));
    long[] first = null;
    for (int partitions : new int[] {1, 2, 7}) {
      try (SparkEngine engine =
          SparkEngine.ofUsers(factory, 5, context.parallelizePairs(owned, 3), partitions)) {
        long[] sums = new long[net.layout().dimension()];
        engine.sum(PoissonSample.of(RandomKey.insecure(1), 0, 0.5), theta, clipping, sums);
        assertThat(sums).isEqualTo(first == null ? sums : first);
        first = sums;
      }
    }
  }

  private static byte[] fingerprint(
      EngineFactory factory, Examples table, int partitions, long seed) {
    try (SparkEngine engine =
        SparkEngine.of(factory, Tables.spread(context, table, 2), partitions)) {
      return engine.fingerprint(RandomKey.insecure(seed));
    }
  }

  /**
   * The last bits of float sums depend on the partitions, so a run with other partitions must not
   * be replayed with the same key.
   */
  @Test
  @Tag("slow")
  void fingerprint_networkInOtherPartitions_differs() {
    Examples table = Tables.random(RECORDS, 6, 2);
    EngineFactory network =
        TorchFactory.of(Architecture.mlp(6, 4, 2), Loss.CROSS_ENTROPY, RandomKey.insecure(1));
    byte[] one = fingerprint(network, table, 2, 1);
    assertThat(fingerprint(network, table, 2, 1)).isEqualTo(one);
    assertThat(fingerprint(network, table, 3, 1)).isNotEqualTo(one);
  }

  /** The partitions in which a table is read depend on the size of its files. */
  @Test
  void of_networkReadInOtherPartitions_isTheSame() {
    Examples table = Tables.random(RECORDS, 6, 2);
    EngineFactory network =
        TorchFactory.of(Architecture.mlp(6, 4, 2), Loss.CROSS_ENTROPY, RandomKey.insecure(1));
    byte[][] fingerprints = new byte[2][];
    for (int i = 0; i < 2; i++) {
      try (SparkEngine engine =
          SparkEngine.of(network, Tables.spread(context, table, i == 0 ? 1 : 5))) {
        fingerprints[i] = engine.fingerprint(RandomKey.insecure(1));
      }
    }
    assertThat(fingerprints[1]).isEqualTo(fingerprints[0]);
  }

  /**
   * Records are sampled by their number in the whole table, wherever they are placed, and dropout
   * masks depend on their content. With other numbers, the weights would be far apart.
   */
  @Test
  @Tag("slow")
  void train_networkWithDropoutInPartitions_equalsOneMachineUpToRounding() {
    String json =
        "{\"input\": [6], \"layers\": [{\"type\": \"linear\", \"out\": 16}, {\"type\": \"tanh\"},"
            + " {\"type\": \"dropout\", \"rate\": 0.5}, {\"type\": \"linear\", \"out\": 2}]}";
    Architecture architecture = Architecture.fromJson(json);
    EngineFactory network =
        TorchFactory.of(architecture, Loss.CROSS_ENTROPY, RandomKey.insecure(1));
    Examples table = Tables.random(RECORDS, 6, 2);
    TrainingPlan plan = Tables.plan(network.layout(), RECORDS, 12);
    double[] start = architecture.initialWeights(RandomKey.insecure(2));
    double[][] weights = new double[2][];
    try (GradientEngine alone = network.open(table, 2);
        SparkEngine engine = SparkEngine.of(network, Tables.spread(context, table, 2), 3)) {
      weights[0] = Trainer.of(plan, alone).start(start).insecureSeed(5).run().weights();
      weights[1] = Trainer.of(plan, engine).start(start).insecureSeed(5).run().weights();
    }
    for (int i = 0; i < weights[0].length; i++) {
      assertThat(weights[1][i]).isCloseTo(weights[0][i], within(1e-5));
    }
  }

  private static DpClassifier classifier() {
    return new DpClassifier()
        .setEpsilon(2)
        .setDelta(1e-5)
        .setPopulation(2_000)
        .setExpectedBatch(250);
  }

  private static double accuracy(Dataset<Row> predicted) {
    return new MulticlassClassificationEvaluator().setMetricName("accuracy").evaluate(predicted);
  }

  @Test
  @Tag("slow")
  void fit_architecture_trainsANetworkThatCanBeSaved(@TempDir Path folder) throws Exception {
    DpClassificationModel model =
        classifier()
            .setArchitecture(Architecture.mlp(2, 8, 3).toJson())
            .setNumClasses(3)
            .setExpectedBatch(500)
            .setSteps(80)
            .fit(Tables.frame(session, 2_000, 3));
    Dataset<Row> predicted = model.transform(Tables.frame(session, 2_000, 3));
    assertThat(accuracy(predicted)).isGreaterThan(0.8);
    String path = folder.resolve("network").toString();
    model.write().save(path);
    DpClassificationModel loaded = DpClassificationModel.load(path);
    assertThat(loaded.numClasses()).isEqualTo(3);
    assertThat(loaded.transform(Tables.frame(session, 2_000, 3)).collectAsList())
        .isEqualTo(predicted.collectAsList());
    assertThatIllegalArgumentException()
        .isThrownBy(
            () ->
                classifier()
                    .setArchitecture(Architecture.mlp(2, 8, 3).toJson())
                    .fit(Tables.frame(session, 2_000, 2)))
        .withMessageContaining("architecture must have one output per class, got 3 outputs for 2");
  }

  private static void checkPlan(String name, DpClassifier classifier) throws IOException {
    String network = Architecture.mlp(2, 8, 3).toJson();
    assertThat(classifier.plan(NetworkLearners.of(network)).toJson())
        .isEqualTo(Files.readString(OLD.resolve("plans").resolve(name + ".json")).strip());
  }

  @Test
  void plan_network_equalsThatOfVersion01() throws IOException {
    checkPlan("network", new DpClassifier().setEpsilon(2).setPopulation(2_000).setNumClasses(3));
    checkPlan(
        "network-settings",
        new DpClassifier()
            .setEpsilon(2)
            .setPopulation(2_000)
            .setNumClasses(3)
            .setLearningRate(0.3)
            .setWeightDecay(0.001)
            .setSteps(80)
            .setExpectedBatch(500));
  }

  @Test
  void learner_network_hasInitialWeightsAndDropoutKeyOfVersion01() {
    Learner learner = NetworkLearners.of(DROPOUT);
    Architecture architecture = Architecture.fromJson(DROPOUT);
    RandomKey publicSeed = RandomKey.insecure(0);
    assertThat(learner.initialParameters())
        .isEqualTo(architecture.initialWeights(publicSeed.derive("initialisation")));
    Examples table = Tables.random(100, 2, 3);
    EngineFactory expected =
        TorchFactory.of(architecture, Loss.CROSS_ENTROPY, publicSeed.derive("dropout"));
    assertThat(sums(learner.factory(), table, learner.initialParameters()))
        .isEqualTo(sums(expected, table, learner.initialParameters()));
  }

  private static long[] sums(EngineFactory factory, Examples table, double[] theta) {
    Clipping clipping =
        Mechanism.of(
                factory.layout(),
                List.of(VectorGroup.flat("gradient", factory.layout().names(), 1)),
                NoiseAllocation.EQUAL,
                1)
            .clipping(table.size(), 0, 0);
    long[] sums = new long[theta.length];
    try (GradientEngine engine = factory.open(table, 1)) {
      engine.sum(PoissonSample.of(RandomKey.insecure(1), 0, 1), theta, clipping, sums);
    }
    return sums;
  }

  /**
   * The rounding slack is smaller than in version 0.1, which raises the clipping bound by 0.1% and
   * changes every step by as much.
   */
  @Test
  void load_networkOfVersion01_predictsAndEqualsANewFit() {
    String path = OLD.resolve("models").resolve("network").toString();
    DpClassificationModel model = DpClassificationModel.load(path);
    assertThat(model.numClasses()).isEqualTo(3);
    Dataset<Row> table = Tables.frame(session, 2_000, 3);
    Vector first = model.transform(table).head().getAs("probability");
    double[] expected = {0.02928537130355835, 0.2689684331417084, 0.7017461657524109};
    assertThat(first.toArray()).containsExactly(expected, within(1e-5));
    DpClassifier same =
        classifier().setSteps(40).setNumClasses(3).setArchitecture(DROPOUT).setInsecureSeed(7);
    assertThat(same.fit(table).weights()).containsExactly(model.weights(), within(2e-3));
  }
}
