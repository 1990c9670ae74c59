package org.sordino.training;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.within;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.sordino.PrivacyBudget;
import org.sordino.PrivacyEvent;
import org.sordino.accounting.TightAccountant;
import org.sordino.ledger.Ledger;
import org.sordino.mechanism.NoiseAllocation;
import org.sordino.mechanism.VectorGroup;

class TrainerTest {

  @TempDir Path temp;

  private static final LinearModel MODEL = LinearModel.logistic(4);
  private static final Examples EXAMPLES =
      LinearEngineTest.examples(MODEL, new SplittableRandom(1), 500);

  private static TrainingPlan.Builder plan() {
    return TrainingPlan.forLayout(MODEL.layout())
        .population(500)
        .expectedBatch(50)
        .steps(200)
        .noiseMultiplier(1)
        .optimizer(new Optimizer.Sgd(0.1, 0.5))
        .averaging(0.9);
  }

  private Trainer trainer(TrainingPlan plan, Path run) {
    return Trainer.of(plan, LinearEngine.of(MODEL, EXAMPLES))
        .in(run)
        .keys(new KeyFolder(temp.resolve("keys")));
  }

  static java.util.stream.Stream<LinearModel> models() {
    return LinearEngineTest.models();
  }

  /** Plain gradient descent: theta = theta - eta mean(gradient). */
  private static double[] descend(LinearModel model, Examples examples, double rate, int steps) {
    double[] theta = new double[model.layout().dimension()];
    for (int t = 0; t < steps; t++) {
      double[] gradient = new double[theta.length];
      for (int i = 0; i < examples.size(); i++) {
        double[] r = model.predict(theta, examples, i);
        float y = examples.targets()[i];
        r[model.kind() == LinearModel.Kind.SOFTMAX ? (int) y : 0] -=
            model.kind() == LinearModel.Kind.SOFTMAX ? 1 : y;
        for (int k = 0; k < model.outputs(); k++) {
          for (int j = 0; j < model.inputs(); j++) {
            gradient[k * model.inputs() + j] +=
                r[k] * examples.features()[i * model.inputs() + j] / examples.size();
          }
          gradient[model.outputs() * model.inputs() + k] += r[k] / examples.size();
        }
      }
      for (int j = 0; j < theta.length; j++) {
        theta[j] -= rate * gradient[j];
      }
    }
    return theta;
  }

  @ParameterizedTest
  @MethodSource("models")
  void withoutClippingNoiseAndSampling_equalsGradientDescent(LinearModel model) {
    Examples examples = LinearEngineTest.examples(model, new SplittableRandom(2), 100);
    TrainingPlan plan =
        TrainingPlan.forLayout(model.layout())
            .population(100)
            .expectedBatch(100)
            .steps(50)
            .noiseMultiplier(0)
            .clip(Double.POSITIVE_INFINITY)
            .optimizer(Optimizer.sgd(0.1))
            .build();
    TrainingResult result = Trainer.of(plan, LinearEngine.of(model, examples)).run();
    assertThat(result.weights()).containsExactly(descend(model, examples, 0.1, 50), within(1e-6));
  }

  @Test
  void insideClip_equalsAfterNoise_ifNothingIsClipped() {
    List<double[]> ends = new ArrayList<>();
    for (WeightDecay.Place place :
        List.of(WeightDecay.Place.INSIDE_CLIP, WeightDecay.Place.AFTER_NOISE)) {
      TrainingPlan plan =
          plan()
              .expectedBatch(500)
              .noiseMultiplier(0)
              .clip(Double.POSITIVE_INFINITY)
              .optimizer(Optimizer.sgd(0.1))
              .averaging(0)
              .weightDecay(0.1, place)
              .build();
      ends.add(Trainer.of(plan, LinearEngine.of(MODEL, EXAMPLES)).run().weights());
    }
    assertThat(ends.get(0)).containsExactly(ends.get(1), within(1e-6));
  }

  @Test
  void flatClipping_equalsOneGroup_bitForBit() {
    VectorGroup one = VectorGroup.flat("one", MODEL.layout().names(), 0.5);
    TrainingPlan grouped = plan().groups(List.of(one), NoiseAllocation.PROPORTIONAL).build();
    TrainingPlan flat = plan().clip(0.5).build();
    assertThat(weights(grouped)).isEqualTo(weights(flat));
  }

  private static double[] weights(TrainingPlan plan) {
    return Trainer.of(plan, LinearEngine.of(MODEL, EXAMPLES)).insecureSeed(9).run().weights();
  }

  @Test
  void emptySamples_addNoiseAndCount() {
    TrainingPlan plan = plan().expectedBatch(1e-9).steps(3).averaging(0).build();
    TrainingResult result = Trainer.of(plan, LinearEngine.of(MODEL, EXAMPLES)).run();
    assertThat(result.weights()).doesNotContain(0);
    assertThat(result.ledger().event())
        .isEqualTo(new PrivacyEvent.SampledGaussian(1e-9 / 500, 1).times(3));
  }

  @Test
  void ledger_matchesThePlan() {
    TrainingPlan plan = plan().build();
    TrainingResult result = Trainer.of(plan, LinearEngine.of(MODEL, EXAMPLES)).run();
    assertThat(result.outcome()).isEqualTo(TrainingResult.Outcome.COMPLETED);
    assertThat(result.ledger().finished()).isTrue();
    PrivacyEvent event = plan.privacy().event();
    assertThat(result.guarantee(1e-5).epsilon())
        .isEqualTo(
            TightAccountant.of(plan.privacy().neighboring()).epsilonBracket(event, 1e-5).upper());
  }

  @Test
  void budget_calibratesTheNoise_andIsKept() {
    PrivacyBudget budget = new PrivacyBudget(1, 1e-5);
    TrainingPlan plan =
        TrainingPlan.forLayout(MODEL.layout())
            .population(500)
            .expectedBatch(50)
            .epochs(5)
            .budget(budget)
            .build();
    TrainingResult result = Trainer.of(plan, LinearEngine.of(MODEL, EXAMPLES)).run();
    assertThat(result.steps()).isEqualTo(50);
    assertThat(result.guarantee(1e-5).epsilon()).isBetween(0.999, 1.0);
  }

  @Test
  void budget_stopsARunWhoseNoiseIsTooSmallForItsSteps() {
    TrainingPlan plan = plan().budget(new PrivacyBudget(2, 1e-5)).build();
    TrainingResult result = Trainer.of(plan, LinearEngine.of(MODEL, EXAMPLES)).run();
    assertThat(result.outcome()).isEqualTo(TrainingResult.Outcome.BUDGET_REACHED);
    assertThat(result.steps()).isBetween(1L, 199L);
    assertThat(result.guarantee(1e-5).epsilon()).isLessThanOrEqualTo(2);
    PrivacyEvent oneMore = new PrivacyEvent.SampledGaussian(0.1, 1).times(result.steps() + 1);
    assertThat(TightAccountant.of(plan.privacy().neighboring()).epsilon(oneMore, 1e-5))
        .isGreaterThan(2);
  }

  @Test
  void insecureSeed_repeatsTheRun_withoutGuarantee() {
    TrainingPlan plan = plan().build();
    Trainer trainer = Trainer.of(plan, LinearEngine.of(MODEL, EXAMPLES)).insecureSeed(9);
    TrainingResult result = trainer.run();
    assertThat(result.weights()).isEqualTo(weights(plan));
    assertThatIllegalStateException()
        .isThrownBy(() -> result.guarantee(1e-5))
        .withMessageContaining("insecure seed 9");
  }

  @Test
  void twoRuns_differ() {
    TrainingPlan plan = plan().build();
    assertThat(Trainer.of(plan, LinearEngine.of(MODEL, EXAMPLES)).run().weights())
        .isNotEqualTo(Trainer.of(plan, LinearEngine.of(MODEL, EXAMPLES)).run().weights());
  }

  @Test
  void resume_stoppedAnywhere_hasTheSameWeightsAndCost() {
    TrainingPlan plan = plan().build();
    double[] expected = weights(plan);
    for (int stopAt : new int[] {1, 2, 57, 199}) {
      Path run = temp.resolve("run" + stopAt);
      Trainer first = trainer(plan, run).insecureSeed(9);
      first.listener(TrainingListener.afterStep((steps, theta) -> stopAfter(first, steps, stopAt)));
      TrainingResult stopped = first.run();
      assertThat(stopped.outcome()).isEqualTo(TrainingResult.Outcome.STOPPED);
      assertThat(stopped.steps()).isEqualTo(stopAt);
      TrainingResult result = trainer(plan, run).resume();
      assertThat(result.weights()).isEqualTo(expected);
      assertThat(result.ledger().event()).isEqualTo(plan.privacy().event());
      assertThat(Ledger.read(run.resolve("ledger.jsonl")).event())
          .isEqualTo(plan.privacy().event());
    }
  }

  private static void stopAfter(Trainer trainer, long steps, long stopAt) {
    if (steps == stopAt) {
      trainer.stop();
    }
  }

  private Path stoppedRun(TrainingPlan plan) {
    Path run = temp.resolve("run");
    Trainer first = trainer(plan, run);
    first.listener(TrainingListener.afterStep((steps, theta) -> stopAfter(first, steps, 60)));
    first.run();
    return run;
  }

  @Test
  void keyIsKeptOutsideTheRun_forTheOwnerOnly_andRemovedAtTheEnd() throws Exception {
    Path run = stoppedRun(plan().build());
    Path keys = temp.resolve("keys");
    try (var files = Files.list(keys)) {
      Path key = files.findFirst().orElseThrow();
      byte[] secret = Files.readAllBytes(key);
      try (var tree = Files.walk(run)) {
        for (Path file : tree.filter(Files::isRegularFile).toList()) {
          assertThat(contains(Files.readAllBytes(file), secret)).isFalse();
        }
      }
    }
    assertThat(Files.getPosixFilePermissions(keys)).hasSize(3);
    trainer(plan().build(), run).resume();
    assertThat(keys).isEmptyDirectory();
  }

  private static boolean contains(byte[] text, byte[] secret) {
    return new String(text, java.nio.charset.StandardCharsets.ISO_8859_1)
        .contains(new String(secret, java.nio.charset.StandardCharsets.ISO_8859_1));
  }

  @Test
  void changedRecords_countAgain() throws Exception {
    PrivacyEvent step = new PrivacyEvent.SampledGaussian(0.1, 1);
    TrainingPlan plan = plan().build();
    Examples other = LinearEngineTest.examples(MODEL, new SplittableRandom(77), 500);
    Path run = stoppedRun(plan);
    long reserved = Ledger.read(run.resolve("ledger.jsonl")).reserved();
    TrainingResult result =
        Trainer.of(plan, LinearEngine.of(MODEL, other))
            .in(run)
            .keys(new KeyFolder(temp.resolve("keys")))
            .resume();
    assertThat(result.steps()).isEqualTo(200);
    assertThat(result.ledger().event()).isEqualTo(step.times(reserved + 140));
  }

  @Test
  void finishedRun_isNotRunAgain() {
    TrainingPlan plan = plan().build();
    Path run = temp.resolve("run");
    TrainingResult result = trainer(plan, run).run();
    TrainingResult again = trainer(plan, run).resume();
    assertThat(again.weights()).isEqualTo(result.weights());
    assertThat(again.ledger().event()).isEqualTo(result.ledger().event());
    assertThatIllegalArgumentException()
        .isThrownBy(() -> trainer(plan, run).run())
        .withMessageContaining("which contains a ledger");
  }

  @Test
  void damagedCheckpoint_isNotReadAsGood() throws Exception {
    TrainingPlan plan = plan().build();
    Path run = stoppedRun(plan);
    Path checkpoint = run.resolve("checkpoint/state");
    byte[] bytes = Files.readAllBytes(checkpoint);
    for (int i = 0; i < bytes.length; i += 7) {
      byte[] flipped = bytes.clone();
      flipped[i] ^= 1;
      Files.write(checkpoint, flipped);
      assertThat(org.assertj.core.api.Assertions.catchThrowable(() -> trainer(plan, run).resume()))
          .isInstanceOf(CheckpointDamagedException.class)
          .hasMessageContaining("state");
    }
  }

  @Test
  void plan_roundTripAsJson() {
    for (TrainingPlan plan :
        List.of(
            plan().build(),
            plan()
                .optimizer(new Optimizer.Adam(0.01, 0.9, 0.99, 1e-6, true))
                .schedule(Schedule.cosine(0.1))
                .weightDecay(0.1, WeightDecay.Place.DECOUPLED)
                .budget(new PrivacyBudget(3, 1e-6))
                .groups(
                    List.of(
                        VectorGroup.joint("both", MODEL.layout().names(), List.of(1.0, 0.1), 1.1)),
                    NoiseAllocation.DIMENSION_ADJUSTED)
                .build(),
            plan().noiseMultiplier(0).clip(Double.POSITIVE_INFINITY).build())) {
      TrainingPlan read = TrainingPlan.fromJson(plan.toJson());
      assertThat(read.toJson()).isEqualTo(plan.toJson());
      assertThat(read.privacy()).isEqualTo(plan.privacy());
      assertThat(read.optimizer()).isEqualTo(plan.optimizer());
    }
    String json = plan().build().toJson();
    assertThatIllegalArgumentException()
        .isThrownBy(() -> TrainingPlan.fromJson(json.replace("\"steps\"", "\"setps\"")))
        .withMessageContaining("plan has the unknown field \"setps\"");
    assertThatIllegalArgumentException()
        .isThrownBy(
            () ->
                TrainingPlan.fromJson(
                    json.replaceAll("\"deviation\" ?: ?[0-9.]+", "\"deviation\": 0.9")))
        .withMessageContaining("compose");
  }
}
