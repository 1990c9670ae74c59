package org.sordino.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerTaskStart;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.sordino.ledger.Head;
import org.sordino.ledger.Ledger;
import org.sordino.ledger.LedgerContents;
import org.sordino.random.RandomKey;
import org.sordino.training.EngineFactory;
import org.sordino.training.Examples;
import org.sordino.training.GradientEngine;
import org.sordino.training.LinearEngine;
import org.sordino.training.LinearModel;
import org.sordino.training.Records;
import org.sordino.training.Trainer;
import org.sordino.training.TrainingListener;
import org.sordino.training.TrainingPlan;
import org.sordino.training.TrainingResult;
import org.sordino.training.Unit;
import scala.Tuple2;

/**
 * Kills executors in separate processes and makes them fail. The tests run in order: one of the
 * last searches the event log of the others for secrets.
 */
@Tag("slow")
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class ClusterTest {

  private static final LinearModel MODEL = LinearModel.logistic(6);
  private static final int RECORDS = 3_000;
  private static final int STEPS = 16;
  private static final long SEED = 5;

  /** Values that occur only in the records. */
  private static final float CANARY = 0.7310927f;

  private static final float CANARY_2 = 31415.928f;
  private static final String OWNER = "whose-row-it-is-";

  /** A setting that appears in the log, which shows that the test would find a key there. */
  private static final String PLANTED = "planted-in-a-setting";

  @TempDir private static Path folder;

  private static SparkSession session;
  private static JavaSparkContext context;
  private static Examples table;
  private static double[] undisturbed;

  @BeforeAll
  static void start() throws IOException {
    Path events = Files.createDirectory(folder.resolve("events"));
    SparkConf settings =
        Sparks.cluster(2)
            .set(
                "spark.serializer", "org.apache.spark.serializer.KryoSerializer") // a common choice
            .set("spark.eventLog.enabled", "true")
            .set("spark.planted", PLANTED)
            .set("spark.eventLog.compress", "false")
            .set("spark.eventLog.logBlockUpdates.enabled", "true")
            .set("spark.eventLog.dir", events.toUri().toString());
    session = Sparks.start(settings);
    context = new JavaSparkContext(session.sparkContext());
    table = Tables.random(RECORDS, MODEL.inputs(), 2);
    for (int i = 0; i < RECORDS; i += 10) {
      table.features()[6 * i + 3] = CANARY;
    }
    table.features()[0] = CANARY_2;
    undisturbed = alone(table, STEPS).weights();
  }

  @AfterAll
  static void stop() throws Exception {
    List<ProcessHandle> executors = Faults.executors(ProcessHandle.current());
    session.stop();
    assertThat(Faults.end(executors, Duration.ofSeconds(30))).isTrue();
  }

  private static TrainingResult alone(Examples records, int steps) {
    TrainingPlan plan = Tables.plan(MODEL, RECORDS, steps);
    return Trainer.of(plan, LinearEngine.of(MODEL, records)).insecureSeed(SEED).run();
  }

  private static LedgerContents train(
      EngineFactory factory, String run, TrainingListener.Action listener) throws IOException {
    Path directory = folder.resolve(run);
    try (SparkEngine engine = SparkEngine.of(factory, Tables.spread(context, table, 3))) {
      TrainingResult result =
          Trainer.of(Tables.plan(MODEL, RECORDS, STEPS), engine)
              .insecureSeed(SEED)
              .in(directory)
              .listener(TrainingListener.afterStep(listener))
              .run();
      assertThat(result.weights()).isEqualTo(undisturbed);
    }
    return Ledger.read(directory.resolve("ledger.jsonl"), Trainer.knownHead(directory));
  }

  private static void requireEveryStepOnce(LedgerContents ledger) {
    assertThat(ledger.steps()).isEqualTo(STEPS);
    assertThat(ledger.finished()).isTrue();
    assertThat(ledger.event()).isEqualTo(alone(table, STEPS).ledger().event());
  }

  @Test
  @Order(1)
  void train_executorKilledInTheMiddle_isBitIdenticalAndCountsEveryStepOnce() throws Exception {
    LedgerContents ledger =
        train(
            EngineFactory.linear(MODEL),
            "killed",
            (step, theta) -> {
              if (step == 6) {
                Faults.killOne();
              }
            });
    requireEveryStepOnce(ledger);
  }

  @Test
  @Order(2)
  void train_taskThatFailsTwice_isBitIdenticalAndCountsEveryStepOnce() throws Exception {
    EngineFactory factory =
        new Faults.Factory(EngineFactory.linear(MODEL), Faults.Trouble.FAIL_TWICE, 5);
    requireEveryStepOnce(train(factory, "failed", (step, theta) -> {}));
  }

  @Test
  @Order(3)
  void train_usersAndAnExecutorKilled_equalsOneMachineBitForBit() {
    List<String> users = new ArrayList<>();
    List<Tuple2<String, Examples>> owned = new ArrayList<>();
    for (int i = 0; i < RECORDS; i++) {
      users.add(OWNER + i % 200);
      owned.add(new Tuple2<>(users.get(i), table.slice(i, i + 1)));
    }
    Unit unit = Unit.user(10);
    TrainingPlan plan =
        TrainingPlan.forLayout(MODEL.layout())
            .population(200)
            .expectedBatch(20)
            .steps(STEPS)
            .noiseMultiplier(1)
            .clip(0.7)
            .unit(unit)
            .build();
    EngineFactory factory = EngineFactory.linear(MODEL);
    double[] expected;
    try (GradientEngine engine =
        factory
            .with(List.of(), unit)
            .open(table, Records.users(users, unit.examples(), table::digest), 1)) {
      expected = Trainer.of(plan, engine).insecureSeed(SEED).run().weights();
    }
    try (SparkEngine engine =
        SparkEngine.ofUsers(factory, unit.examples(), context.parallelizePairs(owned, 4), 3)) {
      Trainer trainer =
          Trainer.of(plan, engine)
              .insecureSeed(SEED)
              .listener(
                  TrainingListener.afterStep(
                      (step, theta) -> {
                        if (step == 6) {
                          Faults.killOne();
                        }
                      }));
      assertThat(trainer.run().weights()).isEqualTo(expected);
    }
  }

  /** Trains with enough parameters that they and the sums are streamed. */
  /** With the executor, its records and its share of the placed records on disk are lost. */
  @Test
  @Order(2)
  void train_placedByContentAndAnExecutorKilled_equalsOneMachineBitForBit() {
    JavaRDD<Examples> records = Tables.spread(context, table, 2);
    try (SparkEngine engine = SparkEngine.of(EngineFactory.linear(MODEL), records, 3)) {
      Trainer trainer =
          Trainer.of(Tables.plan(MODEL, RECORDS, STEPS), engine)
              .insecureSeed(SEED)
              .listener(
                  TrainingListener.afterStep(
                      (step, theta) -> {
                        if (step == 4) {
                          Faults.killOne();
                        }
                      }));
      assertThat(trainer.run().weights()).isEqualTo(undisturbed);
    }
  }

  private static void trainManyParameters(Faults.Trouble trouble, int killAt) {
    LinearModel model = LinearModel.regression(20_000);
    Examples records = Tables.random(60, model.inputs(), 2);
    TrainingPlan plan = Tables.plan(model, 60, 8);
    Trainer alone = Trainer.of(plan, LinearEngine.of(model, records)).insecureSeed(SEED);
    EngineFactory factory = new Faults.Factory(EngineFactory.linear(model), trouble, 5);
    try (SparkEngine engine = SparkEngine.of(factory, Tables.spread(context, records, 3))) {
      Trainer trainer =
          Trainer.of(plan, engine)
              .insecureSeed(SEED)
              .listener(
                  TrainingListener.afterStep(
                      (step, theta) -> {
                        if (step == killAt) {
                          Faults.killOne();
                        }
                      }));
      assertThat(trainer.run().weights()).isEqualTo(alone.run().weights());
    }
  }

  @Test
  @Order(3)
  void train_manyParametersAnExecutorKilledAndATaskFailing_equalsOneMachineBitForBit() {
    trainManyParameters(Faults.Trouble.FAIL_TWICE, 3);
  }

  /**
   * Returns records whose partitions create a mark when first computed, and differ when recomputed.
   */
  private static JavaRDD<Examples> fickle(Path mark) {
    String file = mark.toString();
    return Tables.spread(context, table, 2)
        .mapPartitionsWithIndex(
            (partition, rows) -> {
              Path seen = Path.of(file + partition);
              if (Files.exists(seen)) {
                rows.next();
              } else {
                Files.createFile(seen);
              }
              return rows;
            },
            true);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  @Order(4)
  void train_lostPartitionChanges_endsWithNothingReleased(boolean byContent) throws Exception {
    AtomicInteger released = new AtomicInteger();
    Path run = folder.resolve("changed-" + byContent);
    JavaRDD<Examples> records = fickle(folder.resolve("mark-" + byContent));
    EngineFactory linear = EngineFactory.linear(MODEL);
    try (SparkEngine engine =
        byContent ? SparkEngine.of(linear, records, 3) : SparkEngine.of(linear, records)) {
      Trainer trainer =
          Trainer.of(Tables.plan(MODEL, RECORDS, STEPS), engine)
              .insecureSeed(SEED)
              .in(run)
              .listener(
                  TrainingListener.afterStep(
                      (step, theta) -> {
                        released.incrementAndGet();
                        if (step == 4) {
                          Faults.executors(ProcessHandle.current())
                              .forEach(ProcessHandle::destroyForcibly);
                        }
                      }));
      assertThatExceptionOfType(RecordsChangedException.class).isThrownBy(trainer::run);
    }
    assertThat(released).hasValue(4);
    assertThat(Ledger.read(run.resolve("ledger.jsonl"), Head.NONE).finished()).isFalse();
  }

  @Test
  @Order(5)
  void eventLog_afterFaults_containsNoKeyAndNoRecord() throws Exception {
    session.stop(); // completes the log
    StringBuilder text = new StringBuilder();
    try (Stream<Path> files = Files.walk(folder.resolve("events"))) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        text.append(Files.readString(file, StandardCharsets.ISO_8859_1));
      }
    }
    String log = text.toString();
    assertThat(log).contains("SparkListenerTaskEnd").contains("made to fail").contains(PLANTED);
    for (String secret : secrets()) {
      assertThat(log.contains(secret)).as("the log contains a secret").isFalse();
    }
  }

  private static List<String> secrets() {
    List<String> secrets = new ArrayList<>();
    RandomKey root = RandomKey.insecure(SEED);
    for (RandomKey key :
        List.of(root, root.derive("sampling"), root.derive("noise"), root.derive("fingerprint"))) {
      String hex = HexFormat.of().formatHex(key.bytes());
      String base64 = Base64.getEncoder().encodeToString(key.bytes());
      secrets.add(hex.substring(0, 24));
      secrets.add(hex.toUpperCase(java.util.Locale.ROOT).substring(0, 24));
      secrets.add(base64.substring(0, 20));
      secrets.add(new String(key.bytes(), StandardCharsets.ISO_8859_1).substring(0, 12));
    }
    secrets.add("0.73109");
    secrets.add("31415.9");
    secrets.add(OWNER);
    secrets.add(Integer.toHexString(Float.floatToIntBits(CANARY)));
    return secrets;
  }

  @Test
  @Order(6)
  void train_withSpeculation_takesOneAnswerAndIsBitIdentical() throws Exception {
    session.stop();
    try (Standalone cluster = new Standalone(folder)) {
      trainWithSpeculation(cluster.master());
      session.stop();
    }
  }

  private static void trainWithSpeculation(String master) throws Exception {
    SparkConf settings =
        Sparks.cluster(2)
            .setMaster(master)
            .set("spark.speculation", "true")
            .set("spark.speculation.interval", "50ms")
            .set("spark.speculation.quantile", "0.5")
            .set("spark.speculation.multiplier", "1.1")
            .set("spark.speculation.minTaskRuntime", "50ms")
            .set("spark.speculation.task.duration.threshold", "1s");
    session = Sparks.start(settings);
    context = new JavaSparkContext(session.sparkContext());
    AtomicInteger speculative = new AtomicInteger();
    session
        .sparkContext()
        .addSparkListener(
            new SparkListener() {
              @Override
              public void onTaskStart(SparkListenerTaskStart start) {
                if (start.taskInfo().speculative()) {
                  speculative.incrementAndGet();
                }
              }
            });
    EngineFactory factory =
        new Faults.Factory(EngineFactory.linear(MODEL), Faults.Trouble.DAWDLE_AT_FIRST, 5);
    requireEveryStepOnce(train(factory, "speculation", (step, theta) -> {}));
    int before = speculative.get();
    assertThat(before).isPositive();
    trainManyParameters(Faults.Trouble.DAWDLE_AT_FIRST, -1);
    assertThat(speculative.get()).isGreaterThan(before);
  }

  @Test
  @Order(7)
  void resume_afterTheDriverWasKilled_isBitIdenticalAndCountsEveryStepOnce() throws Exception {
    Path run = folder.resolve("driver");
    session.stop();
    session = Sparks.local();
    context = new JavaSparkContext(session.sparkContext());
    killDriverAt(run, 12);
    try (SparkEngine engine =
        SparkEngine.of(
            EngineFactory.linear(DriverMain.MODEL),
            Tables.spread(context, DriverMain.table(), 3))) {
      TrainingPlan plan = Tables.plan(DriverMain.MODEL, DriverMain.RECORDS, DriverMain.STEPS);
      TrainingResult resumed = Trainer.of(plan, engine).in(run).resume();
      TrainingResult whole =
          Trainer.of(plan, LinearEngine.of(DriverMain.MODEL, DriverMain.table()))
              .insecureSeed(DriverMain.SEED)
              .run();
      assertThat(resumed.weights()).isEqualTo(whole.weights());
      assertThat(resumed.ledger().event()).isEqualTo(whole.ledger().event());
      assertThat(resumed.ledger().steps()).isEqualTo(DriverMain.STEPS);
    }
  }

  private static void killDriverAt(Path run, int step) throws Exception {
    List<String> command = new ArrayList<>(Sparks.java());
    command.addAll(List.of(DriverMain.class.getName(), run.toString()));
    Process driver =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD).start();
    List<ProcessHandle> executors;
    try (BufferedReader out = driver.inputReader()) {
      String line = out.readLine();
      while (line != null && !line.equals("step " + step)) {
        line = out.readLine();
      }
      assertThat(line).isNotNull();
      executors = Faults.executors(driver.toHandle());
    } finally {
      driver.destroyForcibly();
    }
    driver.waitFor();
    assertThat(executors).hasSize(2);
    executors.forEach(ProcessHandle::destroyForcibly); // they would exit by themselves, but slowly
  }
}
