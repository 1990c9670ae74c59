package org.sordino.training;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sordino.random.RandomKey;

/** Tests that complete, resumed and reopened runs return the answers to their private queries. */
class AnswersTest {

  private static final TrainingPlan PLAN = SmallRun.plan(40);
  private static final String QUERY = PLAN.queries().get(0).name();

  @TempDir Path temp;

  /** Records the calls in order. */
  private static final class Noting implements TrainingListener {

    private final List<String> calls = new ArrayList<>();
    private final List<double[]> answers = new ArrayList<>();

    @Override
    public void queriesAnswered(Map<String, double[]> given) {
      calls.add("answers");
      answers.addAll(given.values());
    }

    @Override
    public void stepCompleted(long steps, double[] theta, Map<Metric.Kind, double[]> metrics) {
      calls.add("step " + steps);
      assertThat(metrics)
          .containsOnlyKeys(Metric.Kind.LOSS, Metric.Kind.ACCURACY, Metric.Kind.UNCLIPPED);
    }
  }

  /** Fails if an engine is opened. */
  private record Closed(SmallRun.Prepared records) implements Preparation {

    @Override
    public GradientEngine queryEngine(PrivateQuery query) {
      throw new AssertionError("an engine was opened to answer a query");
    }

    @Override
    public GradientEngine trainingEngine(Map<String, double[]> answers) {
      throw new AssertionError("an engine was opened for training");
    }

    @Override
    public byte[] fingerprint(RandomKey key) {
      throw new AssertionError("an engine was opened for its fingerprint");
    }
  }

  @Test
  void run_stoppedResumedAndReopened_hasTheSameAnswers() {
    Noting noting = new Noting();
    Trainer first = SmallRun.trainer(PLAN, temp);
    first.listener(
        new TrainingListener() {
          @Override
          public void queriesAnswered(Map<String, double[]> answers) {
            noting.queriesAnswered(answers);
          }

          @Override
          public void stepCompleted(
              long steps, double[] theta, Map<Metric.Kind, double[]> metrics) {
            noting.stepCompleted(steps, theta, metrics);
            if (steps == 3) {
              first.stop();
            }
          }
        });
    TrainingResult stopped = first.run();
    assertThat(noting.calls).containsExactly("answers", "step 1", "step 2", "step 3");
    assertThat(stopped.answers()).containsOnlyKeys(QUERY);
    double[] answer = stopped.answers().get(QUERY);
    assertThat(answer).hasSize(8).isEqualTo(noting.answers.get(0));

    Noting later = new Noting();
    TrainingResult finished = SmallRun.trainer(PLAN, temp).listener(later).resume();
    assertThat(later.calls).hasSize(38).startsWith("answers", "step 4").endsWith("step 40");
    assertThat(finished.answers().get(QUERY)).isEqualTo(answer);
    assertThat(later.answers.get(0)).isEqualTo(answer);

    Noting never = new Noting();
    TrainingResult reopened =
        Trainer.of(PLAN, new Closed(new SmallRun.Prepared(PLAN, SmallRun.EXAMPLES)))
            .in(temp.resolve("run"))
            .keys(new KeyFolder(temp.resolve("keys")))
            .listener(never)
            .resume();
    assertThat(reopened.answers()).containsOnlyKeys(QUERY);
    assertThat(reopened.answers().get(QUERY)).isEqualTo(answer);
    assertThat(reopened.weights()).isEqualTo(finished.weights());
    assertThat(never.calls).isEmpty();
  }

  @Test
  void run_inMemory_hasItsAnswers() {
    Noting noting = new Noting();
    TrainingResult result =
        Trainer.of(PLAN, new SmallRun.Prepared(PLAN, SmallRun.EXAMPLES)).listener(noting).run();
    assertThat(result.answers().get(QUERY)).isEqualTo(noting.answers.get(0));
  }

  @Test
  void run_withoutQueries_hasNoAnswers() {
    TrainingPlan plan =
        TrainingPlan.forLayout(SmallRun.MODEL.layout())
            .population(500)
            .expectedBatch(50)
            .steps(2)
            .noiseMultiplier(1)
            .build();
    List<Map<String, double[]>> seen = new ArrayList<>();
    TrainingListener listener =
        new TrainingListener() {
          @Override
          public void queriesAnswered(Map<String, double[]> answers) {
            seen.add(answers);
          }
        };
    TrainingResult result =
        Trainer.of(plan, LinearEngine.of(SmallRun.MODEL, SmallRun.EXAMPLES))
            .listener(listener)
            .run();
    assertThat(result.answers()).isEmpty();
    assertThat(seen).containsExactly(Map.of());
  }

  @Test
  void resume_finishedRunWithoutItsAnswers_isRefused() throws IOException {
    SmallRun.trainer(PLAN, temp).run();
    Files.delete(temp.resolve("run/checkpoint/answers.safetensors"));
    assertThatThrownBy(() -> SmallRun.trainer(PLAN, temp).resume())
        .isInstanceOf(CheckpointDamagedException.class)
        .hasMessageContaining("answers.safetensors is missing");
  }
}
