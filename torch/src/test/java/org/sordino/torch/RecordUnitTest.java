package org.sordino.torch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.sordino.mechanism.Clipping;
import org.sordino.mechanism.Layout;
import org.sordino.mechanism.Mechanism;
import org.sordino.mechanism.NoiseAllocation;
import org.sordino.mechanism.VectorGroup;
import org.sordino.random.RandomKey;
import org.sordino.sampling.PoissonSample;
import org.sordino.training.Examples;
import org.sordino.training.GradientEngine;
import org.sordino.training.LinearEngine;
import org.sordino.training.LinearModel;
import org.sordino.training.Metric;
import org.sordino.training.Records;
import org.sordino.training.TrainingPlan;
import org.sordino.training.Unit;

/** Tests records of several examples, metrics, and moving averages of statistics, on libtorch. */
class RecordUnitTest {

  private static final Unit.Local LOCAL = Unit.Local.of(2, 3, 0.3);
  private static final double BOUND = 0.7;

  private static Unit unit(Unit.Kind kind) {
    return switch (kind) {
      case EXAMPLE -> Unit.example();
      case MICROBATCH -> Unit.microbatch(3);
      case USER -> Unit.user(4);
      case USER_UPDATE -> Unit.userUpdate(4, LOCAL);
    };
  }

  private static Records records(Unit unit, TorchData data, List<String> users) {
    return switch (unit.kind()) {
      case EXAMPLE -> Records.examples(data.size());
      case MICROBATCH -> Records.microbatches(data.size(), 5, data::digest);
      case USER, USER_UPDATE -> Records.users(users, unit.examples(), data::digest);
    };
  }

  private static TrainingPlan plan(Layout layout, Unit unit, int classes, double clip) {
    return TrainingPlan.forLayout(layout)
        .population(100)
        .expectedBatch(50)
        .steps(1)
        .noiseMultiplier(1)
        .clip(clip)
        .unit(unit)
        .metric(Metric.loss(2, 0.05))
        .metric(Metric.accuracy(0.05))
        .metric(Metric.classes(classes, 0.05))
        .metric(Metric.unclipped(0.05))
        .build();
  }

  private static List<Layout.Vector> metrics(TrainingPlan plan) {
    return plan.mechanism().layout().vectors(Layout.Role.METRIC);
  }

  private static TorchEngine engine(
      Architecture net, TorchData data, TrainingPlan plan, Records records) {
    return TorchEngine.of(
        net,
        Loss.CROSS_ENTROPY,
        data,
        RandomKey.insecure(1),
        new TorchEngine.Options(2, 64),
        new TorchEngine.Contributions(metrics(plan), plan.unit(), records));
  }

  private static double[] sum(GradientEngine engine, Mechanism mechanism, double[] theta) {
    return sum(engine, mechanism, theta, engine.roundingSlack());
  }

  private static double[] sum(
      GradientEngine engine, Mechanism mechanism, double[] theta, double slack) {
    Clipping clipping = mechanism.clipping(100, 0, slack);
    Layout layout = engine.layout();
    long[] sums = new long[layout.dimension()];
    engine.sum(PoissonSample.of(RandomKey.insecure(1), 0, 1), theta, clipping, sums);
    double[] values = new double[sums.length];
    for (int vector = 0; vector < layout.size(); vector++) {
      for (int i = layout.offset(vector); i < layout.offset(vector + 1); i++) {
        values[i] = sums[i] * clipping.unit(vector);
      }
    }
    return values;
  }

  @ParameterizedTest
  @ValueSource(strings = {"linear", "sequence", "conv2d", "lstm", "attention", "embedding"})
  void user_contributesTheMeanOfTheGradients(String name) {
    Architecture net = Nets.architecture(name);
    double[] theta = Nets.theta(net, 3);
    TorchData data = Nets.data(net, 10, 4);
    List<String> users = List.of("a", "b", "a", "a", "c", "b", "a", "c", "a", "a");
    TrainingPlan plan = plan(net.layout(), Unit.user(4), net.output()[0], 1e6);
    Records records = Records.users(users, 4, data::digest);
    double[] expected = new double[theta.length];
    double norms = 0;
    for (int user = 0; user < records.size(); user++) {
      for (int example : records.members(user)) {
        double[] gradient = Oracle.gradient(net, Loss.CROSS_ENTROPY, data, theta, example);
        for (int i = 0; i < expected.length; i++) {
          expected[i] += gradient[i] / records.members(user).length;
        }
        norms += Oracle.norm(gradient) / records.members(user).length;
      }
    }
    try (TorchEngine engine = engine(net, data, plan, records)) {
      double[] found = sum(engine, plan.mechanism(), theta);
      double[] difference = new double[expected.length];
      Arrays.setAll(difference, i -> found[i] - expected[i]);
      assertThat(Oracle.norm(difference)).isLessThan(1e-5 * norms);
    }
  }

  @ParameterizedTest
  @EnumSource(Unit.Kind.class)
  void linearModel_equalsTheResultOfTheJavaEngine(Unit.Kind kind) {
    Architecture net = Architecture.preset("logreg");
    Unit unit = unit(kind);
    Random random = new Random(5);
    float[] features = new float[30 * 12];
    float[] targets = new float[30];
    for (int i = 0; i < features.length; i++) {
      features[i] = (float) random.nextGaussian();
    }
    for (int i = 0; i < 30; i++) {
      targets[i] = random.nextInt(2);
    }
    Examples examples = new Examples(features, 12, targets);
    TorchData data = TorchData.of(examples);
    List<String> users = IntStream.range(0, 30).mapToObj(i -> "u" + i % 7).toList();
    double[] theta = Nets.theta(net, 6);
    for (double clip : new double[] {0.1, 0.9, 100}) {
      TrainingPlan plan = plan(net.layout(), unit, 2, clip);
      Records records = records(unit, data, users);
      LinearModel model = LinearModel.softmax(12, 2);
      TrainingPlan java = plan(model.layout(), unit, 2, clip);
      try (TorchEngine engine = engine(net, data, plan, records)) {
        double[] found = sum(engine, plan.mechanism(), theta);
        double[] expected =
            sum(
                LinearEngine.of(model, examples).with(metrics(java), unit, records),
                java.mechanism(),
                theta,
                engine.roundingSlack());
        assertThat(found).containsExactly(expected, within(1e-5 * Math.min(30, 30 * clip)));
      }
    }
  }

  /**
   * The last user owns half of the examples. One example of a microbatch may change the sum by 2 S.
   */
  @ParameterizedTest
  @EnumSource(Unit.Kind.class)
  void neighborMovesTheSums_byNoMoreThanItsBound(Unit.Kind kind) {
    Architecture net = Nets.architecture("linear");
    Unit unit = unit(kind);
    TrainingPlan plan = plan(net.layout(), unit, 3, BOUND);
    Random random = new Random(7);
    double allowed = kind == Unit.Kind.MICROBATCH ? 2 : 1;
    double largest = 0;
    for (int c = 0; c < 1000; c++) {
      int size = 2 + random.nextInt(8);
      TorchData with = spoiled(net, size, random);
      List<String> users = new ArrayList<>();
      for (int i = 0; i < size; i++) {
        users.add(i >= size / 2 ? "half" : "u" + random.nextInt(2));
      }
      int stay = unit.isUser() ? size / 2 : size - 1;
      double[] theta = Nets.theta(net, c);
      double[] more = sums(net, with, plan, users, theta);
      double[] less = sums(net, first(net, with, stay), plan, users.subList(0, stay), theta);
      largest = Math.max(largest, used(plan.mechanism(), more, less));
    }
    assertThat(largest).isLessThanOrEqualTo(allowed * (1 + 1e-12));
    assertThat(largest).isGreaterThan(kind == Unit.Kind.MICROBATCH ? 1.01 : 0.99);
  }

  private static double[] sums(
      Architecture net, TorchData data, TrainingPlan plan, List<String> users, double[] theta) {
    try (TorchEngine engine = engine(net, data, plan, records(plan.unit(), data, users))) {
      return sum(engine, plan.mechanism(), theta);
    }
  }

  private static TorchData spoiled(Architecture net, int size, Random random) {
    TorchData data = Nets.data(net, size, random.nextInt());
    int width = Shapes.size(net.input());
    float[] features = Nets.features(data, net);
    float[] targets = new float[size];
    for (int i = 0; i < size; i++) {
      targets[i] = data.target(i);
    }
    float[] odd = {Float.NaN, Float.POSITIVE_INFINITY, 1e30f, Float.MIN_VALUE, 1000, 0};
    if (random.nextInt(3) == 0) {
      Arrays.fill(features, (size - 1) * width, size * width, odd[random.nextInt(odd.length)]);
    }
    return TorchData.of(features, net.input(), targets);
  }

  private static TorchData first(Architecture net, TorchData data, int count) {
    int width = Shapes.size(net.input());
    float[] targets = new float[count];
    for (int i = 0; i < count; i++) {
      targets[i] = data.target(i);
    }
    float[] features = Arrays.copyOf(Nets.features(data, net), count * width);
    return TorchData.of(features, net.input(), targets);
  }

  /** Returns the largest ratio of the difference to the bound of a group. */
  private static double used(Mechanism mechanism, double[] more, double[] less) {
    Layout layout = mechanism.layout();
    double largest = 0;
    for (VectorGroup group : mechanism.groups()) {
      double square = 0;
      for (String name : group.vectors()) {
        int vector = layout.names().indexOf(name);
        for (int i = layout.offset(vector); i < layout.offset(vector + 1); i++) {
          square += (more[i] - less[i]) * (more[i] - less[i]);
        }
      }
      largest = Math.max(largest, Math.sqrt(square) / group.bound());
    }
    return largest;
  }

  private static final String NORMALIZED =
      """
      {"input": [2, 5, 5], "layers": [
        {"type": "conv2d", "out": 3, "kernel": 3, "name": "c"},
        {"type": "batch-norm", "name": "n"}, {"type": "relu"},
        {"type": "flatten"}, {"type": "linear", "out": 3, "name": "l"}]}
      """;

  private static Mechanism withStatistics(Architecture net, double bound) {
    List<String> gradients =
        net.layout().vectors(Layout.Role.GRADIENT).stream().map(Layout.Vector::name).toList();
    return Mechanism.of(
        net.layout(),
        List.of(VectorGroup.flat("gradient", gradients, BOUND)),
        NoiseAllocation.EQUAL,
        List.of(
            new Mechanism.Shared(
                VectorGroup.flat("statistics", List.of("n.running_mean", "n.running_var"), bound),
                0.1)),
        1);
  }

  /** A record's contribution to the statistics, and its gradient with the statistics held fixed. */
  @Test
  void batchNorm_computesEachRecordIndependently() {
    Architecture net = Architecture.fromJson(NORMALIZED);
    assertThat(Architecture.fromJson(net.toJson()).toJson()).isEqualTo(net.toJson());
    Layout layout = net.layout();
    TorchData data = Nets.data(net, 1, 8);
    double[] theta = Nets.theta(net, 9);
    double[] found;
    try (TorchEngine engine =
        TorchEngine.of(
            net, Loss.CROSS_ENTROPY, data, RandomKey.insecure(1), new TorchEngine.Options(1, 64))) {
      found = sum(engine, withStatistics(net, 1e6), theta);
    }
    double[] expected = Oracle.gradient(net, Loss.CROSS_ENTROPY, data, theta, 0);
    double[] outputs = convolved(data, theta);
    int means = layout.offset(layout.names().indexOf("n.running_mean"));
    int variances = layout.offset(layout.names().indexOf("n.running_var"));
    for (int channel = 0; channel < 3; channel++) {
      double mean = 0;
      double square = 0;
      for (int k = 0; k < 9; k++) {
        double y = outputs[channel * 9 + k];
        mean += y / 9;
        square += (y - theta[means + channel]) * (y - theta[means + channel]) / 9;
      }
      expected[means + channel] = theta[means + channel] - mean;
      expected[variances + channel] = theta[variances + channel] - square;
    }
    // Gradients are clipped to BOUND; statistics are not clipped.
    double norm = 0;
    for (int i = 0; i < expected.length; i++) {
      boolean statistic = i >= means && i < variances + 3;
      norm += statistic ? 0 : expected[i] * expected[i];
    }
    double weight = Math.min(1, BOUND / Math.sqrt(norm));
    for (int i = 0; i < expected.length; i++) {
      boolean statistic = i >= means && i < variances + 3;
      assertThat(found[i]).isCloseTo(expected[i] * (statistic ? 1 : weight), within(1e-3 * BOUND));
    }
  }

  private static double[] convolved(TorchData data, double[] theta) {
    float[] x = new float[50];
    data.read(0, x);
    double[] y = new double[27];
    for (int o = 0; o < 3; o++) {
      for (int r = 0; r < 3; r++) {
        for (int c = 0; c < 3; c++) {
          double sum = theta[54 + o];
          for (int i = 0; i < 2; i++) {
            for (int kr = 0; kr < 3; kr++) {
              for (int kc = 0; kc < 3; kc++) {
                sum += theta[((o * 2 + i) * 3 + kr) * 3 + kc] * x[(i * 5 + r + kr) * 5 + c + kc];
              }
            }
          }
          y[(o * 3 + r) * 3 + c] = sum;
        }
      }
    }
    return y;
  }

  @Test
  void batchNorm_recordMovesGradientsAndStatistics_byNoMoreThanTheirBounds() {
    Architecture net = Architecture.fromJson(NORMALIZED);
    Mechanism mechanism = withStatistics(net, 0.5);
    Random random = new Random(10);
    double largest = 0;
    for (int c = 0; c < 1000; c++) {
      int size = 1 + random.nextInt(6);
      TorchData with = spoiled(net, size, random);
      double[] theta = Nets.theta(net, c);
      double[] more = plain(net, with, mechanism, theta);
      double[] less = plain(net, first(net, with, size - 1), mechanism, theta);
      largest = Math.max(largest, used(mechanism, more, less));
    }
    assertThat(largest).isLessThanOrEqualTo(1).isGreaterThan(0.97);
  }

  private static double[] plain(
      Architecture net, TorchData data, Mechanism mechanism, double[] theta) {
    try (TorchEngine engine =
        TorchEngine.of(
            net, Loss.CROSS_ENTROPY, data, RandomKey.insecure(1), new TorchEngine.Options(1, 64))) {
      return sum(engine, mechanism, theta);
    }
  }

  @Test
  void userUpdate_withBatchNorm_isRefused() {
    Architecture net = Architecture.fromJson(NORMALIZED);
    TorchData data = Nets.data(net, 2, 8);
    TorchEngine.Contributions updates =
        new TorchEngine.Contributions(
            List.of(), unit(Unit.Kind.USER_UPDATE), Records.examples(data.size()));
    assertThatIllegalArgumentException()
        .isThrownBy(
            () ->
                TorchEngine.of(
                    net,
                    Loss.CROSS_ENTROPY,
                    data,
                    RandomKey.insecure(1),
                    new TorchEngine.Options(1, 64),
                    updates))
        .withMessageContaining("cannot update n.running_mean");
  }
}
