package org.sordino.spark;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sordino.random.RandomKey;
import org.sordino.run.Run;
import org.sordino.table.DemoCensus;
import org.sordino.torch.Architecture;
import org.sordino.torch.Loss;
import org.sordino.torch.TorchFactory;
import org.sordino.training.EngineFactory;
import org.sordino.training.Examples;
import org.sordino.training.Trainer;
import org.sordino.training.TrainingListener;

/** Networks on a cluster whose executors are separate processes. */
@Tag("slow")
class NetworkClusterTest {

  private static final int RECORDS = 3_000;
  private static final int STEPS = 16;
  private static final int INPUTS = 6;
  private static final long SEED = 5;

  private static SparkSession session;
  private static JavaSparkContext context;
  private static Examples table;

  @BeforeAll
  static void start() {
    session =
        Sparks.start(
            Sparks.cluster(2)
                .set("spark.serializer", "org.apache.spark.serializer.KryoSerializer"));
    context = new JavaSparkContext(session.sparkContext());
    table = Tables.random(RECORDS, INPUTS, 2);
  }

  @AfterAll
  static void stop() throws Exception {
    List<ProcessHandle> executors = Faults.executors(ProcessHandle.current());
    session.stop();
    assertThat(Faults.end(executors, Duration.ofSeconds(30))).isTrue();
  }

  @Test
  void train_networkAndAnExecutorKilled_equalsTheUninterruptedRunBitForBit() {
    Architecture architecture = Architecture.mlp(INPUTS, 8, 2);
    EngineFactory network =
        TorchFactory.of(architecture, Loss.CROSS_ENTROPY, RandomKey.insecure(1));
    double[] start = architecture.initialWeights(RandomKey.insecure(2));
    double[][] weights = new double[2][];
    for (int run = 0; run < 2; run++) {
      int killAt = run == 0 ? -1 : 6;
      try (SparkEngine engine = SparkEngine.of(network, Tables.spread(context, table, 3))) {
        weights[run] =
            Trainer.of(Tables.plan(network.layout(), RECORDS, STEPS), engine)
                .start(start)
                .insecureSeed(SEED)
                .listener(
                    TrainingListener.afterStep(
                        (step, theta) -> {
                          if (step == killAt) {
                            Faults.killOne();
                          }
                        }))
                .run()
                .weights();
      }
    }
    assertThat(weights[1]).isEqualTo(weights[0]);
  }

  @Test
  void train_everyModuleInASeparateJar_executorsReceiveTorch(@TempDir Path folder)
      throws Exception {
    int features = DemoCensus.schema().width();
    Path run = new SeparateJars(folder).train("run", Architecture.mlp(features, 4, 2).toJson());
    assertThat(Run.open(run).ledger().steps()).isEqualTo(3);
  }
}
