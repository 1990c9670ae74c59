package org.sordino.torch;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.sordino.mechanism.Clipping;
import org.sordino.mechanism.Layout;
import org.sordino.mechanism.Mechanism;
import org.sordino.mechanism.NoiseAllocation;
import org.sordino.mechanism.VectorGroup;
import org.sordino.random.RandomKey;

/** Checks that an additional record changes the sum by at most its bound, whatever it contains. */
class NeighborTest {

  private static final int OTHERS = 40;
  private static final double BOUND = 0.7;

  /**
   * Fills a record so that its positions cancel: its norm is tiny, but the terms of the norm are
   * not.
   */
  private static void cancel(String name, float[] record, Random random) {
    int half = record.length / 2;
    for (int i = 0; i < record.length; i++) {
      float size = name.equals("embedding") ? random.nextInt(2) : 1000;
      record[i] = i < half ? size : name.equals("embedding") ? 1 : -size * (1 + 1e-6f * i);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "sequence, 0",
    "sequence, 0.5",
    "sequence-gram, 0",
    "sequence-gram, 0.5",
    "conv1d, 0",
    "conv2d, 0",
    "conv2d, 0.5",
    "conv2d, 0.001",
    "conv2d-wide, 0",
    "conv2d-few, 0",
    "conv2d-few, 0.5",
    "conv2d-few, 0.001",
    "conv2d-planar, 0",
    "conv2d-gram, 0",
    "conv2d-gram, 0.5",
    "embedding, 0",
    "attention, 0",
    "lstm, 0",
    "gru, 0.5",
    "gru, 0.001",
    "layer-norm, 0",
    "linear, 0.5",
    "linear, 0.001"
  })
  void sum_adversarialRecord_staysWithinItsBound(String name, double decay) {
    Architecture net = Nets.architecture(name);
    double[] theta = Nets.theta(net, 11);
    int width = Shapes.size(net.input());
    TorchData others = Nets.data(net, OTHERS, 12);
    Random random = new Random(13);
    for (int trial = 0; trial < 6; trial++) {
      float[] record = new float[width];
      cancel(name, record, random);
      if (trial > 2) {
        float scale = (float) Math.pow(10, -4 * (trial - 3));
        for (int i = 0; i < width && !name.equals("embedding"); i++) {
          record[i] *= scale * (float) random.nextGaussian();
        }
      }
      assertThat(change(net, others, theta, record, trial % 3, decay)).isLessThanOrEqualTo(BOUND);
    }
  }

  /** The gradient is -lambda theta up to rounding, so the norm of their sum almost vanishes. */
  @Test
  void sum_gradientCancelsDecay_staysWithinItsBound() {
    Architecture net = Architecture.logisticRegression(6, 2);
    double[] theta = {1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1, -1, 0, 0};
    TorchData others = Nets.data(net, OTHERS, 12);
    float[] record = new float[6];
    Arrays.fill(record, 3000);
    for (double decay : new double[] {2999.9999, 3000, 3000.0001}) {
      // The model is certain of the wrong class, so the gradient is x * (1, -1).
      assertThat(change(net, others, theta, record, 1, decay)).isLessThanOrEqualTo(BOUND);
    }
  }

  /**
   * All gradients are about -lambda theta, which is thousands of times the bound, so rounding
   * dominates.
   */
  @Test
  void sum_allGradientsCancelDecay_staysWithinItsBound() {
    Architecture net = Architecture.logisticRegression(6, 2);
    double[] theta = {1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1, -1, 0, 0};
    Random random = new Random(14);
    float[] features = new float[OTHERS * 6];
    for (int i = 0; i < features.length; i++) {
      features[i] = 3000 + 1e-3f * (float) random.nextGaussian();
    }
    float[] targets = new float[OTHERS];
    Arrays.fill(targets, 1);
    TorchData others = TorchData.of(features, net.input(), targets);
    float[] record = new float[6];
    for (float x : new float[] {3000, 2999, -3000, 1}) {
      Arrays.fill(record, x);
      assertThat(change(net, others, theta, record, 1, 3000)).isLessThanOrEqualTo(BOUND);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "linear",
        "sequence",
        "conv2d",
        "conv2d-wide",
        "conv2d-few",
        "conv2d-gram",
        "lstm",
        "layer-norm"
      })
  void sum_recordThatIsNotFinite_contributesNothing(String name) {
    Architecture net = Nets.architecture(name);
    double[] theta = Nets.theta(net, 11);
    TorchData others = Nets.data(net, OTHERS, 12);
    for (float value : new float[] {Float.NaN, Float.POSITIVE_INFINITY, -1e38f}) {
      float[] record = new float[Shapes.size(net.input())];
      record[1] = value;
      double change = change(net, others, theta, record, 0, 0);
      assertThat(change).isFinite().isLessThanOrEqualTo(Float.isFinite(value) ? BOUND : 1e-5);
    }
    float[] huge = new float[Shapes.size(net.input())];
    Arrays.fill(huge, 1e30f);
    assertThat(change(net, others, theta, huge, 0, 0)).isFinite().isLessThanOrEqualTo(BOUND);
  }

  @ParameterizedTest
  @ValueSource(floats = {Float.NaN, -1, 3, 0.5f, Float.POSITIVE_INFINITY})
  void sum_impossibleTarget_contributesNothing(float target) {
    Architecture net = Nets.architecture("linear");
    float[] record = new float[Shapes.size(net.input())];
    double[] theta = Nets.theta(net, 11);
    double change = change(net, Nets.data(net, OTHERS, 12), theta, record, target, 0);
    assertThat(change).isLessThan(1e-5);
  }

  /** Returns the norm of the difference between the sums with and without the record. */
  private static double change(
      Architecture net,
      TorchData others,
      double[] theta,
      float[] record,
      float target,
      double decay) {
    double[] without = sum(net, others, theta, decay);
    double[] with = sum(net, plus(net, others, record, target), theta, decay);
    double[] difference = new double[with.length];
    Arrays.setAll(difference, k -> with[k] - without[k]);
    return Oracle.norm(difference);
  }

  private static TorchData plus(Architecture net, TorchData others, float[] record, float target) {
    int[] all = new int[others.size()];
    Arrays.setAll(all, i -> i);
    int width = record.length;
    float[] features = Arrays.copyOf(Nets.features(others, net), (all.length + 1) * width);
    System.arraycopy(record, 0, features, all.length * width, width);
    float[] targets = new float[all.length + 1];
    for (int i = 0; i < all.length; i++) {
      targets[i] = others.target(i);
    }
    targets[all.length] = target;
    return TorchData.of(features, net.input(), targets);
  }

  private static double[] sum(Architecture net, TorchData data, double[] theta, double decay) {
    try (TorchEngine engine =
        TorchEngine.of(
            net, Loss.CROSS_ENTROPY, data, RandomKey.insecure(1), new TorchEngine.Options(1, 64))) {
      Layout layout = net.layout();
      List<VectorGroup> flat = List.of(VectorGroup.flat("all", layout.names(), BOUND));
      Clipping clipping =
          Mechanism.of(layout, flat, NoiseAllocation.EQUAL, 0)
              .clipping(OTHERS, decay, engine.roundingSlack());
      return TorchEngineTest.sum(engine, theta, clipping);
    }
  }
}
