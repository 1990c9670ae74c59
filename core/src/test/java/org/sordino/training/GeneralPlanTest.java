package org.sordino.training;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sordino.Neighboring;
import org.sordino.PrivacyBudget;
import org.sordino.PrivacyEvent;
import org.sordino.accounting.TightAccountant;
import org.sordino.ledger.Entry;
import org.sordino.ledger.LedgerContents;
import org.sordino.ledger.Realized;
import org.sordino.mechanism.Layout;
import org.sordino.mechanism.Mechanism;
import org.sordino.mechanism.NoiseAllocation;
import org.sordino.mechanism.VectorGroup;

/**
 * Tests plans with metrics, adaptive bounds, private queries, and records with several examples.
 */
class GeneralPlanTest {

  private static final LinearModel MODEL = LinearModel.softmax(4, 3);
  private static final Examples EXAMPLES =
      LinearEngineTest.examples(MODEL, new SplittableRandom(8), 400);

  @TempDir Path temp;

  private static TrainingPlan.Builder plan() {
    return TrainingPlan.forLayout(MODEL.layout())
        .population(400)
        .expectedBatch(400)
        .steps(1)
        .clip(1);
  }

  private static LinearEngine engine(TrainingPlan plan, Records records) {
    return LinearEngine.of(MODEL, EXAMPLES, 1)
        .with(plan.mechanism().layout().vectors(Layout.Role.METRIC), plan.unit(), records);
  }

  private static Map<Metric.Kind, double[]> metrics(TrainingPlan plan, Records records) {
    List<Map<Metric.Kind, double[]>> seen = new ArrayList<>();
    TrainingListener listener =
        new TrainingListener() {
          @Override
          public void stepCompleted(long steps, double[] theta, Map<Metric.Kind, double[]> values) {
            seen.add(values);
          }
        };
    Trainer.of(plan, engine(plan, records)).listener(listener).run();
    return seen.get(0);
  }

  @Test
  void metrics_withoutNoise_areExact() {
    TrainingPlan plan =
        plan()
            .noiseMultiplier(0)
            .clip(2)
            .metric(Metric.loss(100, 0.1))
            .metric(Metric.accuracy(0.1))
            .metric(Metric.classes(3, 0.1))
            .metric(Metric.unclipped(0.1))
            .build();
    Map<Metric.Kind, double[]> found = metrics(plan, Records.examples(400));
    double[] counts = new double[3];
    for (float target : EXAMPLES.targets()) {
      counts[(int) target] += 1.0 / 400;
    }
    // With all parameters zero, every class has probability 1/3, the first class is predicted, and
    // the residuals are known.
    assertThat(found.get(Metric.Kind.LOSS)[0]).isCloseTo(Math.log(3), within(1e-9));
    assertThat(found.get(Metric.Kind.ACCURACY)[0]).isCloseTo(counts[0], within(1e-9));
    assertThat(found.get(Metric.Kind.CLASSES)).containsExactly(counts, within(1e-9));
    double unclipped = 0;
    for (int i = 0; i < 400; i++) {
      double square = 1;
      for (int j = 0; j < 4; j++) {
        square += EXAMPLES.features()[i * 4 + j] * (double) EXAMPLES.features()[i * 4 + j];
      }
      unclipped += Math.sqrt(square * 2 / 3) <= 2 ? 1.0 / 400 : 0;
    }
    assertThat(unclipped).isBetween(0.01, 0.99);
    assertThat(found.get(Metric.Kind.UNCLIPPED)[0]).isCloseTo(unclipped, within(1e-9));
  }

  @Test
  void metricsOfUsers_areMeansOverUsers() {
    List<String> users = IntStream.range(0, 400).mapToObj(i -> "u" + i % 7 % 5).toList();
    Records records = Records.users(users, 1000, EXAMPLES::digest);
    TrainingPlan plan =
        TrainingPlan.forLayout(MODEL.layout())
            .population(5)
            .expectedBatch(5)
            .steps(1)
            .noiseMultiplier(0)
            .unit(Unit.user(1000))
            .metric(Metric.accuracy(0.1))
            .build();
    double expected = 0;
    for (int user = 0; user < 5; user++) {
      int[] members = records.members(user);
      expected +=
          Arrays.stream(members).filter(i -> EXAMPLES.targets()[i] == 0).count()
              / (5.0 * members.length);
    }
    assertThat(metrics(plan, records).get(Metric.Kind.ACCURACY)[0])
        .isCloseTo(expected, within(1e-9));
  }

  /** The gradient of a user is the mean of the gradients of the examples, clipped as one vector. */
  @Test
  void userWithOneExample_equalsAnExample() {
    List<String> users = IntStream.range(0, 400).mapToObj(i -> "u" + i).toList();
    TrainingPlan example = plan().steps(5).noiseMultiplier(1).build();
    TrainingPlan user = plan().steps(5).noiseMultiplier(1).unit(Unit.user(3)).build();
    double[] first =
        Trainer.of(example, LinearEngine.of(MODEL, EXAMPLES)).insecureSeed(1).run().weights();
    Records records = Records.users(users, 3, EXAMPLES::digest);
    TrainingResult second = Trainer.of(user, engine(user, records)).insecureSeed(1).run();
    assertThat(second.weights()).containsExactly(first, within(1e-9));
    assertThat(second.ledger().header().unit()).isEqualTo("user");
  }

  /** One local step over all examples is a gradient step with the local learning rate. */
  @Test
  void userUpdate_ofOneLocalStep_isAGradientStep() {
    List<String> users = IntStream.range(0, 400).mapToObj(i -> "u" + i % 20).toList();
    Records records = Records.users(users, 1000, EXAMPLES::digest);
    Unit update = Unit.userUpdate(1000, Unit.Local.of(1, 1000, 0.25));
    TrainingPlan.Builder base =
        TrainingPlan.forLayout(MODEL.layout())
            .population(20)
            .expectedBatch(20)
            .steps(4)
            .noiseMultiplier(0)
            .clip(Double.POSITIVE_INFINITY);
    TrainingPlan federated = base.unit(update).optimizer(Optimizer.sgd(1)).build();
    TrainingPlan plain = base.unit(Unit.user(1000)).optimizer(Optimizer.sgd(0.25)).build();
    assertThat(Trainer.of(federated, engine(federated, records)).run().weights())
        .containsExactly(Trainer.of(plain, engine(plain, records)).run().weights(), within(1e-9));
  }

  /** The bound converges to the median of the norms from far below and from far above. */
  @Test
  void adaptiveClipping_withoutNoise_findsTheQuantile() {
    for (double start : new double[] {0.001, 1, 1000}) {
      TrainingPlan plan =
          plan()
              .steps(200)
              .clip(start)
              .noiseMultiplier(1e-9)
              .optimizer(Optimizer.sgd(1e-12))
              .adaptive(AdaptiveClipping.to(0.5))
              .build();
      TrainingResult result = Trainer.of(plan, engine(plan, Records.examples(400))).run();
      double[] norms = new double[400];
      for (int i = 0; i < 400; i++) {
        double square = 1;
        for (int j = 0; j < 4; j++) {
          square += EXAMPLES.features()[i * 4 + j] * (double) EXAMPLES.features()[i * 4 + j];
        }
        norms[i] = Math.sqrt(square * 2 / 3);
      }
      Arrays.sort(norms);
      assertThat(bounds(result.ledger()))
          .last()
          .satisfies(bound -> assertThat(bound).isBetween(norms[190], norms[210]));
    }
  }

  private static List<Double> bounds(LedgerContents ledger) {
    List<Double> bounds = new ArrayList<>();
    for (Entry entry : ledger.entries()) {
      if (entry instanceof Entry.RealizedEntry realized) {
        bounds.add(realized.groups().get(0).bound());
      }
    }
    return bounds;
  }

  /**
   * The meaning of the learning rate does not depend on S: different bounds give the same update.
   */
  @Test
  void adaptiveClipping_dividesTheUpdateByTheBound() {
    double[][] ends = new double[2][];
    double[] starts = {1e-6, 1e-3}; // all records are clipped at both
    for (int k = 0; k < 2; k++) {
      TrainingPlan plan =
          plan()
              .clip(starts[k])
              .noiseMultiplier(1e-9)
              .optimizer(Optimizer.sgd(0.1))
              .adaptive(AdaptiveClipping.to(0.5))
              .build();
      ends[k] =
          Trainer.of(plan, engine(plan, Records.examples(400))).insecureSeed(1).run().weights();
    }
    assertThat(ends[0]).containsExactly(ends[1], within(1e-6));
    assertThat(Arrays.stream(ends[0]).map(Math::abs).max().orElseThrow()).isGreaterThan(0.001);
  }

  /** The accounted cost is that of the composition computed by hand. */
  @Test
  void epsilon_ofAGeneralRun_isThatOfTheCompositionByHand() {
    TrainingPlan plan = SmallRun.plan(100);
    TrainingResult result = SmallRun.trainer(plan, temp).run();
    // The z of the step follows from the realized bounds and standard deviations.
    Entry.RealizedEntry last = null;
    for (Entry entry : result.ledger().entries()) {
      last = entry instanceof Entry.RealizedEntry realized ? realized : last;
    }
    double inverse = 0;
    assertThat(last.groups()).extracting(Realized::group).hasSize(4);
    for (Realized group : last.groups()) {
      inverse += Math.pow(group.bound() / group.deviation(), 2);
    }
    assertThat(1 / Math.sqrt(inverse)).isCloseTo(1, within(1e-12));
    PrivacyEvent hand =
        new PrivacyEvent.Composition(
            List.of(
                new PrivacyEvent.Gaussian(5), new PrivacyEvent.SampledGaussian(0.1, 1).times(100)));
    TightAccountant tight = TightAccountant.of(Neighboring.ADD_OR_REMOVE_ONE);
    assertThat(result.guarantee(1e-5).epsilon())
        .isEqualTo(tight.epsilonBracket(hand, 1e-5).upper(), within(1e-12));
    // The query adds to the privacy cost.
    PrivacyEvent steps = new PrivacyEvent.SampledGaussian(0.1, 1).times(100);
    assertThat(result.guarantee(1e-5).epsilon())
        .isGreaterThan(tight.epsilonBracket(steps, 1e-5).upper() + 1e-3);
  }

  @Test
  void bounds_change_withAConstantRatioToTheNoise() {
    LedgerContents ledger = SmallRun.trainer(SmallRun.plan(100), temp).run().ledger();
    assertThat(bounds(ledger)).hasSize(100).doesNotHaveDuplicates();
    for (Entry entry : ledger.entries()) {
      if (entry instanceof Entry.RealizedEntry realized) {
        Realized gradient = realized.groups().get(0);
        assertThat(gradient.deviation() / gradient.bound())
            .isCloseTo(1 / Math.sqrt(0.89), within(1e-12));
      }
    }
  }

  @Test
  void shares_composeToTheMultiplier() {
    Mechanism mechanism = SmallRun.plan(1).mechanism();
    double sum = 0;
    for (int g = 0; g < mechanism.groups().size(); g++) {
      sum += mechanism.share(g);
    }
    assertThat(sum).isCloseTo(1, within(1e-12));
    assertThat(mechanism.share(1)).isCloseTo(0.05, within(1e-12));
  }

  @Test
  void calibration_includesTheQueries() {
    PrivateQuery query = PrincipalDirections.query(4, 4);
    PrivacyBudget budget = new PrivacyBudget(2, 1e-5);
    TrainingPlan plan = plan().expectedBatch(20).steps(500).budget(budget).query(query).build();
    TightAccountant tight = TightAccountant.of(Neighboring.ADD_OR_REMOVE_ONE);
    assertThat(tight.epsilonBracket(plan.event(), 1e-5).upper())
        .isLessThanOrEqualTo(2)
        .isGreaterThan(1.9999);
    double alone =
        plan().expectedBatch(20).steps(500).budget(budget).build().privacy().noiseMultiplier();
    assertThat(plan.privacy().noiseMultiplier()).isGreaterThan(alone);
  }

  @Test
  void json_roundTrip_keepsTheWholePlan() {
    TrainingPlan plan =
        plan()
            .noiseMultiplier(1.5)
            .unit(Unit.userUpdate(7, Unit.Local.of(2, 5, 0.1)))
            .metric(Metric.classes(3, 0.02))
            .adaptive(new AdaptiveClipping(0.7, 0.1))
            .movingRate(0.05)
            .query(ChannelStatistics.query(4, 3))
            .build();
    TrainingPlan again = TrainingPlan.fromJson(plan.toJson());
    assertThat(again.toJson()).isEqualTo(plan.toJson());
    assertThat(again.unit()).isEqualTo(plan.unit());
    assertThat(again.adaptive()).isEqualTo(plan.adaptive());
    assertThat(again.event()).isEqualTo(plan.event());
  }

  @Test
  void hiddenGroup_isRefusedByName() {
    Layout layout =
        MODEL.layout().with(List.of(new Layout.Vector("metric.loss", 1, Layout.Role.METRIC)));
    VectorGroup gradient = VectorGroup.flat("gradient", MODEL.layout().names(), 1);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Mechanism.of(layout, List.of(gradient), NoiseAllocation.EQUAL, 1))
        .withMessageContaining("released without noise; missing: [metric.loss]");
    // An engine with a vector that is not in the plan.
    TrainingPlan plan = plan().noiseMultiplier(1).build();
    TrainingPlan more = plan().noiseMultiplier(1).metric(Metric.accuracy(0.1)).build();
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Trainer.of(plan, engine(more, Records.examples(400))))
        .withMessageContaining("vectors of a record must be those of the plan");
  }

  @Test
  void invalidPlan_isRefusedByName() {
    refused(plan().metric(Metric.loss(1, 0.6)).metric(Metric.accuracy(0.5)), "less than 1");
    refused(
        plan()
            .groups(
                List.of(VectorGroup.automatic("gradient", MODEL.layout().names(), 1, 0.1)),
                NoiseAllocation.EQUAL)
            .adaptive(AdaptiveClipping.to(0.5)),
        "requires flat groups");
    refused(
        plan()
            .groups(
                List.of(VectorGroup.flat("a", List.of("weight", "bais"), 1)),
                NoiseAllocation.EQUAL),
        "group a names the vector bais");
    refused(
        plan()
            .groups(
                List.of(
                    VectorGroup.flat("a", MODEL.layout().names(), 1),
                    VectorGroup.flat("b", List.of("bias"), 1)),
                NoiseAllocation.EQUAL),
        "vector bias must be in exactly one group, got a and b");
    assertThatIllegalArgumentException()
        .isThrownBy(
            () ->
                LinearEngine.of(
                        LinearModel.regression(4),
                        LinearEngineTest.examples(
                            LinearModel.regression(4), new SplittableRandom(1), 3))
                    .with(
                        List.of(new Layout.Vector("metric.accuracy", 1, Layout.Role.METRIC)),
                        Unit.example(),
                        Records.examples(3)))
        .withMessageContaining("requires a classifier");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> VectorGroup.joint("j", MODEL.layout().names(), List.of(1.0, 1.0), 1.5))
        .withMessageContaining("bound of the joint group j must be in [1, sqrt(2)], got 1.5");
  }

  private static void refused(TrainingPlan.Builder plan, String message) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> plan.noiseMultiplier(1).build())
        .withMessageContaining(message);
  }
}
