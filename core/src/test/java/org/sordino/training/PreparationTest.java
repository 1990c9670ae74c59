package org.sordino.training;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.sordino.mechanism.Clipping;
import org.sordino.mechanism.Layout;
import org.sordino.random.RandomKey;
import org.sordino.sampling.PoissonSample;

/** Tests which engines are opened and closed, in which order, and the fingerprints. */
class PreparationTest {

  private static final RandomKey KEY = RandomKey.insecure(3);
  private static final TrainingPlan WITH_QUERY = SmallRun.plan(10);
  private static final TrainingPlan WITHOUT_QUERY =
      TrainingPlan.forLayout(SmallRun.MODEL.layout())
          .population(500)
          .expectedBatch(50)
          .steps(10)
          .noiseMultiplier(1)
          .build();

  private final List<String> log = new ArrayList<>();

  /** An engine that logs when it is opened and closed. */
  private final class Noted implements GradientEngine {

    private final String name;

    Noted(String name) {
      this.name = name;
      log.add("open " + name);
    }

    @Override
    public Layout layout() {
      return SmallRun.MODEL.layout();
    }

    @Override
    public void sum(PoissonSample sample, double[] theta, Clipping clipping, long[] sums) {}

    @Override
    public byte[] fingerprint(RandomKey key) {
      return Fingerprint.of(key).add(name).digest();
    }

    @Override
    public void close() {
      log.add("close " + name);
    }
  }

  private Preparation preparation(TrainingPlan plan) {
    return Preparation.of(plan, () -> new Noted("query"), answers -> new Noted("training"));
  }

  @Test
  void withoutQuery_oneEngineIsOpenedAndReturned() {
    try (Preparation preparation = preparation(WITHOUT_QUERY)) {
      assertThat(log).isEmpty();
      assertThat(preparation.fingerprint(KEY)).isEqualTo(print("training"));
      GradientEngine engine = preparation.trainingEngine(Map.of());
      assertThat(preparation.trainingEngine(Map.of())).isSameAs(engine);
      assertThat(preparation.fingerprint(KEY)).isEqualTo(print("training"));
      assertThat(log).containsExactly("open training");
    }
    assertThat(log).containsExactly("open training", "close training");
  }

  /** Same bytes as in earlier versions: the digest of the query engine, then that of training. */
  @Test
  void withQuery_fingerprintClosesWhatItOpens() {
    try (Preparation preparation = preparation(WITH_QUERY)) {
      byte[] expected = ByteBuffer.allocate(64).put(print("query")).put(print("training")).array();
      assertThat(preparation.fingerprint(KEY)).isEqualTo(expected);
      assertThat(log)
          .containsExactly("open training", "close training", "open query", "close query");
    }
    assertThat(log).hasSize(4);
  }

  @Test
  void withQuery_everyAnswerOpensAnEngine_andTheLastIsClosed() {
    Preparation preparation = preparation(WITH_QUERY);
    preparation.trainingEngine(Map.of("a", new double[1]));
    preparation.trainingEngine(Map.of("a", new double[1]));
    preparation.close();
    preparation.close();
    assertThat(log)
        .containsExactly("open training", "close training", "open training", "close training");
  }

  /** The caller closes the engine. */
  @Test
  void queryEngine_staysOpen() {
    try (Preparation preparation = preparation(WITH_QUERY)) {
      preparation.queryEngine(WITH_QUERY.queries().get(0));
    }
    assertThat(log).containsExactly("open query");
  }

  @Test
  void ofEngine_returnsTheEngineAndClosesIt() {
    Noted engine = new Noted("given");
    try (Preparation preparation = Preparation.of(engine)) {
      assertThat(preparation.trainingEngine(Map.of())).isSameAs(engine);
      assertThat(preparation.fingerprint(KEY)).isEqualTo(print("given"));
      assertThatIllegalStateException()
          .isThrownBy(() -> preparation.queryEngine(WITH_QUERY.queries().get(0)))
          .withMessage("the plan has no queries");
    }
    assertThat(log).containsExactly("open given", "close given");
  }

  /** An engine passed to a trainer belongs to the caller. */
  @Test
  void trainer_leavesTheEngineOpen() {
    Trainer.of(WITHOUT_QUERY, new Noted("given")).run();
    assertThat(log).containsExactly("open given");
  }

  @Test
  void twoQueries_areRefused() {
    PrivateQuery first = WITH_QUERY.queries().get(0);
    TrainingPlan plan =
        TrainingPlan.forLayout(SmallRun.MODEL.layout())
            .population(500)
            .expectedBatch(50)
            .steps(10)
            .noiseMultiplier(1)
            .query(first)
            .query(new PrivateQuery("other", first.mechanism()))
            .build();
    assertThatIllegalArgumentException()
        .isThrownBy(() -> preparation(plan))
        .withMessageContaining("at most one query, got [normalisation, other]");
  }

  private static byte[] print(String name) {
    return Fingerprint.of(KEY).add(name).digest();
  }
}
