package org.sordino.torch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.sordino.json.Json;
import org.sordino.mechanism.Clipping;
import org.sordino.mechanism.Layout;
import org.sordino.mechanism.Mechanism;
import org.sordino.mechanism.NoiseAllocation;
import org.sordino.mechanism.VectorGroup;
import org.sordino.random.RandomKey;

/**
 * Compares norms and clipped sums with those that Opacus computed in float64. Weights and data come
 * from a closed formula, described in the field {@code doc} of {@code golden-gradients.json}.
 */
class GoldenGradientsTest {

  private static final int RECORDS = 4;
  private static final double CLOSE = 1e-5;

  private static final String GROUP_NORM =
      """
      {"input": [3, 32, 32], "layers": [
        {"type": "conv2d", "out": 8, "kernel": 3, "padding": 1},
        {"type": "group-norm", "groups": 4}, {"type": "relu"},
        {"type": "avg-pool", "kernel": 2}, {"type": "flatten"}, {"type": "linear", "out": 10}]}
      """;

  @ParameterizedTest
  @CsvSource({"mnist_cnn, 10", "logreg_12_2, 2", "groupnorm_cnn, 10"})
  void sum_goldenNet_equalsOpacus(String name, int classes) throws IOException {
    Map<?, ?> golden = golden(name);
    Architecture net =
        switch (name) {
          case "mnist_cnn" -> Architecture.mnistCnn();
          case "logreg_12_2" -> Architecture.logisticRegression(12, 2);
          default -> Architecture.fromJson(GROUP_NORM);
        };
    assertThat((long) net.layout().dimension()).isEqualTo(golden.get("params"));
    TorchData data = data(net, classes);
    double[] theta = theta(net.layout());
    checkNorms(net, data, theta, golden);
    try (TorchEngine engine =
        TorchEngine.of(
            net, Loss.CROSS_ENTROPY, data, RandomKey.insecure(1), new TorchEngine.Options(1, 16))) {
      Clipping clipping = clipping(net.layout(), 1);
      double[] sum = TorchEngineTest.sum(engine, theta, clipping);
      double norm = number(golden.get("clipped_sum_norm"));
      assertThat(Oracle.norm(sum)).isCloseTo(norm, within(CLOSE * norm));
      List<?> firsts = (List<?>) golden.get("clipped_sum_first4");
      for (int j = 0; j < net.layout().size(); j++) {
        List<?> first = (List<?>) firsts.get(j);
        for (int k = 0; k < first.size(); k++) {
          assertThat(sum[net.layout().offset(j) + k])
              .isCloseTo(number(first.get(k)), within(CLOSE));
        }
      }
    }
  }

  /** A record that is not clipped contributes its gradient, so its sum has the gradient's norm. */
  private static void checkNorms(
      Architecture net, TorchData data, double[] theta, Map<?, ?> golden) {
    List<?> perParameter = (List<?>) golden.get("per_param_norms");
    int width = Shapes.size(net.input());
    for (int i = 0; i < RECORDS; i++) {
      int[] one = {i};
      float[] x = Scopes.get(() -> Tensors.floats(data.inputs(one, net.input())));
      assertThat(x).hasSize(width);
      TorchData alone = TorchData.of(x, net.input(), new float[] {data.target(i)});
      try (TorchEngine engine =
          TorchEngine.of(
              net,
              Loss.CROSS_ENTROPY,
              alone,
              RandomKey.insecure(1),
              new TorchEngine.Options(1, 16))) {
        double[] gradient = TorchEngineTest.sum(engine, theta, clipping(net.layout(), 128));
        for (int j = 0; j < net.layout().size(); j++) {
          double expected = number(((List<?>) perParameter.get(j)).get(i));
          double actual = Oracle.norm(gradient, net.layout().offset(j), net.layout().offset(j + 1));
          assertThat(actual).isCloseTo(expected, within(CLOSE * expected));
        }
      }
    }
  }

  private static Clipping clipping(Layout layout, double bound) {
    return Mechanism.of(
            layout,
            List.of(VectorGroup.flat("all", layout.names(), bound)),
            NoiseAllocation.EQUAL,
            0)
        .clipping(RECORDS, 0, 0);
  }

  private static TorchData data(Architecture net, int classes) {
    float[] x = new float[RECORDS * Shapes.size(net.input())];
    for (int k = 0; k < x.length; k++) {
      x[k] = (float) Math.cos(0.37 * k);
    }
    float[] labels = new float[RECORDS];
    for (int i = 0; i < RECORDS; i++) {
      labels[i] = (7 * i + 3) % classes;
    }
    return TorchData.of(x, net.input(), labels);
  }

  private static double[] theta(Layout layout) {
    double[] theta = new double[layout.dimension()];
    for (int t = 0; t < layout.size(); t++) {
      int from = layout.offset(t);
      for (int k = 0; from + k < layout.offset(t + 1); k++) {
        theta[from + k] = 0.1 * Math.sin(1.0 + 0.7 * t + 0.013 * k);
      }
    }
    return theta;
  }

  private static Map<?, ?> golden(String name) throws IOException {
    try (InputStream in = GoldenGradientsTest.class.getResourceAsStream("golden-gradients.json")) {
      String text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
      return (Map<?, ?>) ((Map<?, ?>) Json.readObject(text).get("models")).get(name);
    }
  }

  private static double number(Object value) {
    return ((Number) value).doubleValue();
  }
}
