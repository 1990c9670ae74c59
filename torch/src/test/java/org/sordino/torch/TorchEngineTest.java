package org.sordino.torch;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.bytedeco.pytorch.Tensor;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.sordino.mechanism.Clipping;
import org.sordino.mechanism.Layout;
import org.sordino.mechanism.Mechanism;
import org.sordino.mechanism.NoiseAllocation;
import org.sordino.mechanism.VectorGroup;
import org.sordino.random.RandomKey;
import org.sordino.sampling.PoissonSample;

class TorchEngineTest {

  private static final double CLOSE = 1e-5;
  private static final double DECAY = 0.3;
  private static final TorchEngine.Options OPTIONS = new TorchEngine.Options(2, 32);

  static Stream<Arguments> cases() {
    List<Arguments> cases = new ArrayList<>();
    List<String> names = new ArrayList<>(Nets.LAYERS.keySet());
    names.addAll(List.of("logreg", "mnist-cnn", "cifar-cnn", "mlp"));
    for (String name : names) {
      for (int records : new int[] {1, 2, 13, 64}) {
        cases.add(Arguments.of(name, records));
      }
    }
    return cases.stream();
  }

  @ParameterizedTest(name = "{0}, {1} records")
  @MethodSource("cases")
  void sumNormsAndInnerProducts_anyLayer_equalBatchOfOneGradients(String name, int records) {
    Architecture net = Nets.architecture(name);
    TorchData data = Nets.data(net, records, 1);
    double[] theta = Nets.theta(net, 2);
    double[][] gradients = gradients(net, data, theta);
    checkNorms(net, data, theta, gradients);
    double[] norms = Arrays.stream(gradients).mapToDouble(Oracle::norm).sorted().toArray();
    try (TorchEngine engine =
        TorchEngine.of(net, Loss.CROSS_ENTROPY, data, RandomKey.insecure(3), OPTIONS)) {
      for (double bound : new double[] {2 * norms[records - 1], norms[records / 2], norms[0] / 2}) {
        List<VectorGroup> flat = List.of(VectorGroup.flat("all", net.layout().names(), bound));
        check(engine, flat, gradients, theta, 0);
        check(engine, flat, gradients, theta, DECAY);
        double small = bound / 32 / Oracle.norm(theta); // gradients stay in float32
        check(engine, flat, gradients, theta, small);
      }
      check(engine, eachByItself(net.layout(), norms[records / 2] / 2), gradients, theta, 0);
    }
  }

  private static List<VectorGroup> eachByItself(Layout layout, double bound) {
    return layout.names().stream()
        .map(name -> VectorGroup.flat(name, List.of(name), bound))
        .toList();
  }

  private static double[][] gradients(Architecture net, TorchData data, double[] theta) {
    double[][] gradients = new double[data.size()][];
    Arrays.setAll(gradients, i -> Oracle.gradient(net, Loss.CROSS_ENTROPY, data, theta, i));
    return gradients;
  }

  private static void check(
      TorchEngine engine,
      List<VectorGroup> groups,
      double[][] gradients,
      double[] theta,
      double decay) {
    Layout layout = engine.layout();
    Clipping clipping =
        Mechanism.of(layout, groups, NoiseAllocation.EQUAL, 0).clipping(gradients.length, decay, 0);
    double[] actual = sum(engine, theta, clipping);
    double[] expected = expected(layout, clipping, gradients, theta, decay);
    double[] difference = new double[actual.length];
    Arrays.setAll(difference, i -> actual[i] - expected[i]);
    assertThat(Oracle.norm(difference)).isLessThan(CLOSE * Oracle.norm(expected));
  }

  /** Returns the sum over all records; all vectors of a record are clipped together to 0.5. */
  static double[] clippedSum(Architecture net, TorchData data, double[] theta, double decay) {
    try (TorchEngine engine =
        TorchEngine.of(net, Loss.CROSS_ENTROPY, data, RandomKey.insecure(3), OPTIONS)) {
      List<VectorGroup> flat = List.of(VectorGroup.flat("all", net.layout().names(), 0.5));
      Mechanism mechanism = Mechanism.of(net.layout(), flat, NoiseAllocation.EQUAL, 0);
      return sum(engine, theta, mechanism.clipping(data.size(), decay, 0));
    }
  }

  static double[] sum(TorchEngine engine, double[] theta, Clipping clipping) {
    long[] sums = new long[theta.length];
    engine.sum(PoissonSample.of(RandomKey.insecure(4), 0, 1), theta, clipping, sums);
    double[] values = new double[sums.length];
    for (int j = 0; j < engine.layout().size(); j++) {
      for (int k = engine.layout().offset(j); k < engine.layout().offset(j + 1); k++) {
        values[k] = sums[k] * clipping.unit(j);
      }
    }
    return values;
  }

  private static double[] expected(
      Layout layout, Clipping clipping, double[][] gradients, double[] theta, double decay) {
    double[] sum = new double[theta.length];
    for (double[] gradient : gradients) {
      double[] v = new double[theta.length];
      Arrays.setAll(v, k -> gradient[k] + decay * theta[k]);
      double[] squares = new double[layout.size()];
      Arrays.setAll(
          squares, j -> Math.pow(Oracle.norm(v, layout.offset(j), layout.offset(j + 1)), 2));
      double[] weights = new double[squares.length];
      clipping.weights(squares, weights);
      for (int j = 0; j < squares.length; j++) {
        for (int k = layout.offset(j); k < layout.offset(j + 1); k++) {
          sum[k] += weights[j] * v[k];
        }
      }
    }
    return sum;
  }

  private static void checkNorms(
      Architecture net, TorchData data, double[] theta, double[][] gradients) {
    int records = gradients.length;
    Layout layout = net.layout();
    for (boolean exact : new boolean[] {false, true}) {
      double[][] squares = new double[layout.size()][];
      double[][] inner = new double[layout.size()][];
      measure(net, data, theta, exact, squares, inner);
      for (int i = 0; i < records; i++) {
        double whole = Oracle.norm(gradients[i]);
        for (int j = 0; j < layout.size(); j++) {
          int from = layout.offset(j);
          int to = layout.offset(j + 1);
          double norm = Oracle.norm(gradients[i], from, to);
          assertThat(Math.abs(Math.sqrt(squares[j][i]) - norm)).isLessThan(CLOSE * whole);
          double product = 0;
          for (int k = from; k < to; k++) {
            product += gradients[i][k] * theta[k];
          }
          double scale = Oracle.norm(theta, from, to) * whole;
          assertThat(Math.abs(inner[j][i] - product)).isLessThan(CLOSE * scale + 1e-12);
        }
      }
    }
  }

  private static void measure(
      Architecture net,
      TorchData data,
      double[] theta,
      boolean exact,
      double[][] squares,
      double[][] inner) {
    int[] all = new int[data.size()];
    Arrays.setAll(all, i -> i);
    Scopes.run(
        () -> {
          Tape tape = new Tape();
          Pass pass = new Pass(Weights.floats(net, theta), tape, null);
          Tensor y = net.layers().forward(data.inputs(all, net.input()), pass);
          List<Tape.Recorded> recorded =
              tape.backward(Loss.CROSS_ENTROPY.sum(y, data.targets(all)));
          Scopes.withoutGradients(() -> measure(recorded, net, theta, exact, squares, inner));
        });
  }

  private static void measure(
      List<Tape.Recorded> tape,
      Architecture net,
      double[] theta,
      boolean exact,
      double[][] squares,
      double[][] inner) {
    var weights = Weights.doubles(net, theta);
    for (Tape.Recorded recorded : tape) {
      List<RecordGradients> found =
          recorded
              .rule()
              .gradients(TapeSum.inType(recorded.a(), exact), TapeSum.inType(recorded.g(), exact));
      for (int k = 0; k < found.size(); k++) {
        String name = recorded.rule().parameters().get(k);
        int j = net.layout().names().indexOf(name);
        squares[j] = Tensors.doubles(found.get(k).squaredNorms());
        inner[j] = Tensors.doubles(found.get(k).innerProducts(weights.get(name)));
      }
    }
  }

  @Test
  void sum_anyThreadsTwice_isTheSameBitForBit() {
    Architecture net =
        Architecture.fromJson(
            "{\"input\": [16, 12, 12], \"layers\": [{\"type\": \"conv2d\", \"out\": 16,"
                + " \"kernel\": 3}, {\"type\": \"dropout\"}, {\"type\": \"flatten\"},"
                + " {\"type\": \"linear\", \"out\": 3}]}");
    TorchData data = Nets.data(net, 400, 1);
    double[] theta = Nets.theta(net, 2);
    long[] first = sampled(net, data, theta, 1);
    assertThat(sampled(net, data, theta, 2)).isEqualTo(first);
    assertThat(sampled(net, data, theta, 2)).isEqualTo(first);
  }

  private static long[] sampled(Architecture net, TorchData data, double[] theta, int threads) {
    try (TorchEngine engine =
        TorchEngine.of(
            net,
            Loss.CROSS_ENTROPY,
            data,
            RandomKey.insecure(3),
            new TorchEngine.Options(threads, 32))) {
      List<VectorGroup> flat = List.of(VectorGroup.flat("all", net.layout().names(), 0.5));
      long[] sums = new long[theta.length];
      engine.sum(
          PoissonSample.of(RandomKey.insecure(4), 5, 0.3),
          theta,
          Mechanism.of(net.layout(), flat, NoiseAllocation.EQUAL, 0).clipping(400, 0, 0),
          sums);
      return sums;
    }
  }

  /**
   * The key of the masks is public, so removing a record must not change the masks of the others,
   * although all of their indices change. With masks based on indices, the sums differ by several
   * times the bound.
   */
  @Test
  void sum_dropoutWithoutTheFirstRecord_changesByAtMostTheBound() {
    Architecture net =
        Architecture.fromJson(
            "{\"input\": [20], \"layers\": [{\"type\": \"dropout\", \"rate\": 0.5},"
                + " {\"type\": \"linear\", \"out\": 3}]}");
    TorchData all = Nets.data(net, 101, 1);
    float[] features = new float[100 * 20];
    float[] targets = new float[100];
    float[] row = new float[20];
    for (int i = 0; i < 100; i++) {
      all.read(i + 1, row);
      System.arraycopy(row, 0, features, 20 * i, 20);
      targets[i] = all.target(i + 1);
    }
    double[] theta = Nets.theta(net, 2);
    double[] with = sumOfAll(net, all, theta);
    double[] without = sumOfAll(net, TorchData.of(features, new int[] {20}, targets), theta);
    double[] difference = new double[with.length];
    Arrays.setAll(difference, i -> with[i] - without[i]);
    assertThat(Oracle.norm(difference)).isBetween(0.95, 1.001);
  }

  private static double[] sumOfAll(Architecture net, TorchData data, double[] theta) {
    try (TorchEngine engine =
        TorchEngine.of(
            net, Loss.CROSS_ENTROPY, data, RandomKey.insecure(3), new TorchEngine.Options(1, 32))) {
      List<VectorGroup> flat = List.of(VectorGroup.flat("all", net.layout().names(), 1));
      Clipping clipping =
          Mechanism.of(net.layout(), flat, NoiseAllocation.EQUAL, 0)
              .clipping(400, 0, engine.roundingSlack());
      long[] sums = new long[theta.length];
      engine.sum(PoissonSample.of(RandomKey.insecure(4), 5, 1), theta, clipping, sums);
      double[] values = new double[sums.length];
      Arrays.setAll(values, i -> sums[i] * clipping.unit(0));
      return values;
    }
  }

  @Test
  void fingerprint_anyChange_isDifferent() {
    Architecture net = Nets.architecture("linear");
    java.util.Set<String> seen = new java.util.HashSet<>();
    for (long seed = 1; seed <= 2; seed++) {
      for (int microbatch : new int[] {16, 32}) {
        for (long key = 1; key <= 2; key++) {
          TorchData data = Nets.data(net, 20, seed);
          try (TorchEngine engine =
              TorchEngine.of(
                  net,
                  Loss.CROSS_ENTROPY,
                  data,
                  RandomKey.insecure(3),
                  new TorchEngine.Options(1, microbatch))) {
            byte[] print = engine.fingerprint(RandomKey.insecure(key));
            assertThat(engine.fingerprint(RandomKey.insecure(key))).isEqualTo(print);
            assertThat(seen.add(Arrays.toString(print))).isTrue();
          }
        }
      }
    }
  }
}
