package org.sordino.training;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.MathContext;
import java.math.RoundingMode;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sordino.ledger.Entry;
import org.sordino.ledger.LedgerContents;
import org.sordino.mechanism.Clipping;
import org.sordino.mechanism.Layout;
import org.sordino.mechanism.Mechanism;
import org.sordino.mechanism.NoiseAllocation;
import org.sordino.mechanism.VectorGroup;
import org.sordino.random.RandomKey;
import org.sordino.sampling.PoissonSample;

/**
 * Attacks on the linear engine: whatever the records contain and whatever the plan says, adding or
 * removing one record changes the sum of each group by at most its bound. Adding an example to a
 * microbatch changes it by at most two bounds, the cost of replacing the microbatch.
 */
class LinearAttackTest {

  private static final MathContext UP = new MathContext(60, RoundingMode.CEILING);
  private static final double[] SPECIAL = {
    0,
    -0.0,
    1,
    Float.MIN_VALUE,
    -Float.MIN_VALUE,
    Float.MIN_NORMAL,
    Float.MAX_VALUE,
    1e-30,
    -1e30,
    1e19,
    Float.NaN,
    Float.POSITIVE_INFINITY,
    Float.NEGATIVE_INFINITY
  };

  @Test
  void neighbors_inAFewCases_staysWithinTheBound() {
    attack(10_000, 1);
  }

  @Test
  @Tag("slow")
  void neighbors_inAllCases_staysWithinTheBound() {
    attack(100_000, 2);
  }

  private static void attack(int cases, long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    Map<Unit.Kind, Double> largest = new EnumMap<>(Unit.Kind.class);
    int close = 0;
    for (int c = 0; c < cases; c++) {
      Case attack = Case.random(random.split());
      double used = attack.used();
      double allowed = attack.unit.kind() == Unit.Kind.MICROBATCH ? 2 : 1;
      assertThat(used).as("case %s of seed %s: %s", c, seed, attack).isLessThanOrEqualTo(allowed);
      largest.merge(attack.unit.kind(), used, Math::max);
      close += used > 0.999 * allowed ? 1 : 0;
    }
    System.out.printf(
        "linear engine, %,d neighbors: at most %s bounds, %,d near the limit%n",
        cases, largest, close);
    // The test is sensitive: for every kind of record, many cases reach the limit.
    assertThat(close).isGreaterThan(cases / 20);
    for (Unit.Kind kind : Unit.Kind.values()) {
      assertThat(largest.get(kind)).isGreaterThan(kind == Unit.Kind.MICROBATCH ? 1.9 : 1 - 1e-9);
    }
  }

  /**
   * A logistic model with a large negative score has a tiny residual, whose square underflows. With
   * a tiny gamma, the weight S / (0 + gamma) is then huge.
   */
  @Test
  void automaticClippingWithTinyGamma_isRefusedOrBounded() {
    double largest = 0;
    double refused = 0;
    for (int exponent = -320; exponent <= 2; exponent++) {
      double gamma = Double.parseDouble("1e" + exponent);
      try {
        largest = Math.max(largest, tinyGamma(gamma));
      } catch (IllegalArgumentException e) {
        assertThat(e).hasMessageContaining("gamma of group all must be in [1e-30, 1e30], got");
        refused = Math.max(refused, gamma);
      }
    }
    System.out.printf("tiny gamma: refused up to %g, otherwise %.6f bounds%n", refused, largest);
    assertThat(largest).isBetween(0.9, 1.0);
    assertThat(refused).isEqualTo(1e-31);
  }

  private static double tinyGamma(double gamma) {
    LinearModel model = LinearModel.logistic(1);
    List<String> names = model.layout().names();
    VectorGroup group = VectorGroup.automatic("all", names, 1, gamma);
    Mechanism mechanism = Mechanism.of(model.layout(), List.of(group), NoiseAllocation.EQUAL, 1);
    Clipping clipping = mechanism.clipping(1, 0, 0);
    Examples record = new Examples(new float[] {1}, 1, new float[] {0});
    double largest = 0;
    for (double score = -745; score < 0; score += 1) {
      long[] sums = new long[2];
      LinearEngine.of(model, record, 1)
          .sum(
              PoissonSample.of(RandomKey.insecure(1), 0, 1),
              new double[] {0, score},
              clipping,
              sums);
      double norm = Math.hypot(sums[0], sums[1]) * clipping.unit(0) / group.bound();
      largest = Math.max(largest, norm);
    }
    return largest;
  }

  @Test
  void numbersOutsideTheRange_areRefused() {
    List<String> names = List.of("v");
    Layout layout = Layout.of(new Layout.Vector("v", 1));
    for (double bad : new double[] {-1, Double.MIN_VALUE, 1e-31, 1e31, Double.NaN}) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> VectorGroup.flat("g", names, bad))
          .withMessageContaining("must be in [1e-30, 1e30] or infinite, got " + bad);
      assertThatIllegalArgumentException()
          .isThrownBy(() -> new VectorGroup("g", names, 1, List.of(bad), 0))
          .withMessageContaining("numbers in [1e-30, 1e30], got [" + bad);
      assertThatIllegalArgumentException()
          .isThrownBy(() -> new VectorGroup("g", names, 1, List.of(1.0), bad))
          .withMessageContaining("[1e-30, 1e30] for automatic clipping, got " + bad);
      assertThatIllegalArgumentException()
          .isThrownBy(() -> new WeightDecay(bad, WeightDecay.Place.INSIDE_CLIP));
    }
    for (double bad : new double[] {-1, 1e-101, 1e101, Double.NaN, Double.POSITIVE_INFINITY}) {
      assertThatIllegalArgumentException()
          .isThrownBy(
              () ->
                  Mechanism.planned(
                      layout, List.of(VectorGroup.flat("g", names, 1)), new double[] {bad}, 0))
          .withMessageContaining("group g must be 0 or in [1e-100, 1e100], got " + bad);
    }
  }

  /** Bounds that follow the data stop at the limit of the engine, and the run goes on. */
  @Test
  void adaptiveBounds_stopAtTheLimitOfTheEngine() {
    Layout layout = Layout.of(new Layout.Vector("v", 1));
    Mechanism mechanism =
        Mechanism.of(
            layout, List.of(VectorGroup.flat("g", List.of("v"), 3)), NoiseAllocation.EQUAL, 1);
    for (double factor : new double[] {1e-20, 1e-13, Double.MIN_VALUE}) {
      double[] factors = {factor};
      mechanism.limit(factors, 1e-3);
      Mechanism scaled = mechanism.scaled(factors);
      assertThat(scaled.groups().get(0).bound()).isBetween(1e-12, 1e-12 * (1 + 1e-15));
      scaled.clipping(100, 0, 1e-3); // does not throw
    }
    double[] factors = {1e-20};
    mechanism.limit(factors, 0);
    assertThat(factors).containsExactly(1e-20);
  }

  /** An engine that claims to add in float32. */
  private record Float32(LinearEngine engine, AtomicInteger sums) implements GradientEngine {

    @Override
    public Layout layout() {
      return engine.layout();
    }

    @Override
    public double roundingSlack() {
      return 1e-3;
    }

    @Override
    public void sum(PoissonSample sample, double[] theta, Clipping clipping, long[] into) {
      sums.incrementAndGet();
      engine.sum(sample, theta, clipping, into);
    }

    @Override
    public byte[] fingerprint(RandomKey key) {
      return engine.fingerprint(key);
    }
  }

  private static Float32 float32(TrainingPlan plan) {
    LinearEngine engine =
        LinearEngine.of(LinearModel.logistic(1), new Examples(new float[100], 1, new float[100]), 1)
            .with(
                plan.mechanism().layout().vectors(Layout.Role.METRIC),
                Unit.example(),
                Records.examples(100));
    return new Float32(engine, new AtomicInteger());
  }

  private static TrainingPlan.Builder plan(double clip) {
    return TrainingPlan.forLayout(LinearModel.logistic(1).layout())
        .population(100)
        .expectedBatch(50)
        .steps(8)
        .noiseMultiplier(0.1)
        .clip(clip);
  }

  @Test
  void tinyBoundInFloat32_isRefusedBeforeRecordsAreRead(@TempDir Path folder) {
    TrainingPlan plan = plan(1e-28).build();
    Float32 engine = float32(plan);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Trainer.of(plan, engine))
        .withMessageContaining("must be at least 1e-12 for sums in float32, got 1.0E-28");
    Trainer later = Trainer.of(plan, Preparation.of(engine)).in(folder.resolve("run"));
    assertThatIllegalArgumentException().isThrownBy(later::run);
    assertThat(engine.sums).hasValue(0);
    assertThat(folder).isEmptyDirectory();
  }

  /** The bound falls by a factor of up to e^10 per step, and stops at the limit. */
  @Test
  void adaptiveBoundInFloat32_stopsAtTheLimit_andTheRunGoesOn() {
    TrainingPlan plan = plan(1).adaptive(new AdaptiveClipping(0, 10)).build();
    double[] certain = {0, -60}; // all gradients are about e^-60, within every bound
    LedgerContents ledger = Trainer.of(plan, float32(plan)).start(certain).run().ledger();
    double[] bounds =
        ledger.entries().stream()
            .filter(Entry.RealizedEntry.class::isInstance)
            .mapToDouble(entry -> ((Entry.RealizedEntry) entry).groups().get(0).bound())
            .toArray();
    System.out.println("adaptive bounds in float32: " + Arrays.toString(bounds));
    assertThat(ledger.steps()).isEqualTo(8);
    assertThat(Arrays.stream(bounds).min().orElseThrow()).isBetween(1e-12, 1e-12 * (1 + 1e-15));
    assertThat(ledger.parts()).hasSize(1); // all bounds imply the reserved noise
  }

  /** Two neighboring data sets and a plan. */
  private record Case(
      LinearModel model,
      Unit unit,
      Mechanism mechanism,
      double decay,
      double[] theta,
      Examples examples,
      List<String> users,
      int leaves) {

    static Case random(SplittableRandom random) {
      int inputs = 1 + random.nextInt(4);
      LinearModel model =
          switch (random.nextInt(3)) {
            case 0 -> LinearModel.regression(inputs);
            case 1 -> LinearModel.logistic(inputs);
            default -> LinearModel.softmax(inputs, 2 + random.nextInt(2));
          };
      double decay = random.nextInt(3) > 0 ? 0 : magnitude(random, 30);
      double[] theta = theta(random, model.layout().dimension());
      int size = 1 + random.nextInt(8);
      Examples examples = examples(random, model, size, theta, decay);
      int leaves = random.nextInt(size);
      double norm = norm(model, examples, leaves, theta, decay);
      Unit unit = unit(random);
      Mechanism mechanism = mechanism(random, model, unit, norm);
      List<String> users =
          IntStream.range(0, size).mapToObj(i -> "user " + random.nextInt(3)).toList();
      return new Case(model, unit, mechanism, decay, theta, examples, users, leaves);
    }

    private static Unit unit(SplittableRandom random) {
      return switch (random.nextInt(8)) {
        case 0 -> Unit.microbatch(2);
        case 1 -> Unit.user(3);
        case 2 -> {
          double rate = random.nextBoolean() ? magnitude(random, 300) : 0.7;
          yield Unit.userUpdate(
              3, Unit.Local.of(1 + random.nextInt(2), 1 + random.nextInt(2), rate));
        }
        default -> Unit.example();
      };
    }

    private static Mechanism mechanism(
        SplittableRandom random, LinearModel model, Unit unit, double norm) {
      List<String> names = model.layout().names();
      double bound = bound(random, norm);
      List<VectorGroup> groups =
          switch (random.nextInt(5)) {
            case 0 -> List.of(VectorGroup.automatic("all", names, bound, gamma(random)));
            case 1 ->
                names.stream().map(name -> VectorGroup.flat(name, List.of(name), bound)).toList();
            case 2 -> {
              double size = random.nextBoolean() ? 30 : 1;
              List<Double> scales = List.of(magnitude(random, size), magnitude(random, size));
              yield List.of(new VectorGroup("all", names, bound, scales, 0));
            }
            default -> List.of(VectorGroup.flat("all", names, bound));
          };
      TrainingPlan.Builder plan =
          TrainingPlan.forLayout(model.layout())
              .population(10)
              .expectedBatch(5)
              .steps(1)
              .noiseMultiplier(1)
              .unit(unit)
              .groups(groups, NoiseAllocation.EQUAL);
      if (random.nextBoolean()) {
        plan.metric(Metric.loss(magnitude(random, 10), 0.1)).metric(Metric.unclipped(0.1));
        if (model.classes() > 0) {
          plan.metric(Metric.accuracy(0.1)).metric(Metric.classes(model.classes(), 0.1));
        }
      }
      return plan.build().mechanism();
    }

    /** A bound at the norm of the record that leaves, at a round number, or of any size. */
    private static double bound(SplittableRandom random, double norm) {
      double bound =
          switch (random.nextInt(3)) {
            case 0 -> norm * (1 + random.nextInt(-9, 10) * 0x1p-52);
            case 1 -> random.nextBoolean() ? 1 : 0.5;
            default -> magnitude(random, 30);
          };
      return bound >= 1e-30 && bound <= 1e30 ? bound : 1;
    }

    private static double gamma(SplittableRandom random) {
      return random.nextInt(3) == 0 ? 1e-30 : magnitude(random, 30);
    }

    private static double magnitude(SplittableRandom random, double exponent) {
      return Math.pow(10, random.nextDouble(-exponent, exponent));
    }

    private static double[] theta(SplittableRandom random, int size) {
      double scale = random.nextInt(3) > 0 ? 1 : magnitude(random, 100);
      double[] theta = random.doubles(size, -3 * scale, 3 * scale).toArray();
      if (random.nextInt(4) == 0) {
        theta[random.nextInt(size)] = random.nextBoolean() ? -0.0 : 1e300;
      }
      return theta;
    }

    private static Examples examples(
        SplittableRandom random, LinearModel model, int size, double[] theta, double decay) {
      int width = model.inputs();
      float[] x = new float[size * width];
      float[] y = new float[size];
      for (int i = 0; i < size; i++) {
        double scale = random.nextInt(3) > 0 ? 1 : magnitude(random, 40);
        for (int j = 0; j < width; j++) {
          x[i * width + j] =
              switch (random.nextInt(12)) {
                case 0 -> (float) SPECIAL[random.nextInt(SPECIAL.length)];
                case 1 -> (float) (-theta[j] * decay); // cancels the decay if the residual is 1
                case 2 -> -x[random.nextInt(i * width + j + 1)];
                default -> (float) (scale * random.nextDouble(-2, 2));
              };
        }
        y[i] = target(random, model, x, theta, i);
      }
      return new Examples(x, width, y);
    }

    private static float target(
        SplittableRandom random, LinearModel model, float[] x, double[] theta, int example) {
      if (model.classes() > 0) {
        return random.nextInt(model.classes());
      }
      if (random.nextInt(4) == 0) {
        return (float) SPECIAL[random.nextInt(SPECIAL.length)];
      }
      double[] score = new double[1];
      model.scores(theta, x, example * model.inputs(), score); // a residual of about 1, or tiny
      return (float) (random.nextBoolean() ? score[0] - 1 : score[0]);
    }

    /** Returns about the norm of the vector of an example. */
    private static double norm(
        LinearModel model, Examples examples, int example, double[] theta, double decay) {
      double[] residual = new double[model.outputs()];
      model.scores(theta, examples.features(), example * model.inputs(), residual);
      model.toResiduals(residual, examples.targets()[example]);
      double square = 0;
      for (int k = 0; k < model.outputs(); k++) {
        for (int j = 0; j < model.inputs(); j++) {
          double x = examples.features()[example * model.inputs() + j];
          double v = residual[k] * x + decay * theta[k * model.inputs() + j];
          square += v * v;
        }
        double v = residual[k] + decay * theta[model.outputs() * model.inputs() + k];
        square += v * v;
      }
      return Math.sqrt(square);
    }

    /** Returns the largest change of the sum of a group, in bounds; rounded up if it is near 1. */
    double used() {
      Clipping clipping = mechanism.clipping(10, decay, 0);
      int[] stay =
          IntStream.range(0, examples.size())
              .filter(i -> unit.isUser() ? !users.get(i).equals(users.get(leaves)) : i != leaves)
              .toArray();
      long[] with = sums(clipping, IntStream.range(0, examples.size()).toArray());
      long[] without = sums(clipping, stay);
      double used = 0;
      for (VectorGroup group : mechanism.groups()) {
        used = Math.max(used, used(clipping, group, with, without));
      }
      return used;
    }

    private long[] sums(Clipping clipping, int[] chosen) {
      int width = examples.width();
      float[] x = new float[chosen.length * width];
      float[] y = new float[chosen.length];
      List<String> owners = new ArrayList<>();
      for (int i = 0; i < chosen.length; i++) {
        System.arraycopy(examples.features(), chosen[i] * width, x, i * width, width);
        y[i] = examples.targets()[chosen[i]];
        owners.add(users.get(chosen[i]));
      }
      Examples these = new Examples(x, width, y);
      Records records =
          switch (unit.kind()) {
            case EXAMPLE -> Records.examples(these.size());
            case MICROBATCH -> Records.microbatches(these.size(), 3, these::digest);
            case USER, USER_UPDATE -> Records.users(owners, unit.examples(), these::digest);
          };
      List<Layout.Vector> metrics = mechanism.layout().vectors(Layout.Role.METRIC);
      LinearEngine engine = LinearEngine.of(model, these, 1).with(metrics, unit, records);
      long[] sums = new long[engine.layout().dimension()];
      engine.sum(PoissonSample.of(RandomKey.insecure(1), 0, 1), theta, clipping, sums);
      return sums;
    }

    /** The squared norm of the exact difference, in exact arithmetic or rounded up. */
    private double used(Clipping clipping, VectorGroup group, long[] with, long[] without) {
      Layout layout = mechanism.layout();
      BigDecimal square = BigDecimal.ZERO;
      for (int k = 0; k < group.vectors().size(); k++) {
        int vector = layout.names().indexOf(group.vectors().get(k));
        BigInteger units = BigInteger.ZERO;
        for (int i = layout.offset(vector); i < layout.offset(vector + 1); i++) {
          BigInteger moved = BigInteger.valueOf(with[i]).subtract(BigInteger.valueOf(without[i]));
          units = units.add(moved.multiply(moved));
        }
        BigDecimal ratio =
            new BigDecimal(clipping.unit(vector))
                .divide(new BigDecimal(group.scales().get(k)), UP)
                .divide(new BigDecimal(group.bound()), UP);
        square = square.add(new BigDecimal(units).multiply(ratio, UP).multiply(ratio, UP), UP);
      }
      double root = Math.sqrt(square.doubleValue());
      return square.compareTo(BigDecimal.ONE) <= 0 ? Math.min(1, root) : Math.nextUp(root);
    }

    @Override
    public String toString() {
      return String.join(
          ", ",
          model.toString(),
          unit.toString(),
          mechanism.groups().toString(),
          "decay " + decay,
          "theta " + Arrays.toString(theta),
          "features " + Arrays.toString(examples.features()),
          "targets " + Arrays.toString(examples.targets()),
          "users " + (unit.isUser() ? users : Collections.emptyList()),
          "leaves " + leaves);
    }
  }
}
