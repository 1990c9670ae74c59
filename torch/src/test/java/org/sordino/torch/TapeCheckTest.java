package org.sordino.torch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.sordino.mechanism.Clipping;
import org.sordino.mechanism.Layout;
import org.sordino.mechanism.Mechanism;
import org.sordino.mechanism.NoiseAllocation;
import org.sordino.mechanism.VectorGroup;
import org.sordino.random.RandomKey;

class TapeCheckTest {

  /** A layer with one scale whose output depends on what it computed before. */
  private static final class Remembering implements CustomLayer {

    private final boolean remembers;
    private float before;

    Remembering(boolean remembers) {
      this.remembers = remembers;
    }

    @Override
    public int[] output(int[] input) {
      return input;
    }

    @Override
    public List<Tensor> parameters(int[] input) {
      return List.of(new Tensor("scale", new long[] {input[0]}, 1));
    }

    @Override
    public void forward(float[] x, float[][] weights, float[] y) {
      for (int i = 0; i < x.length; i++) {
        y[i] = weights[0][i] * x[i] + (remembers ? 1e-7f * before : 0);
      }
      before = Float.isFinite(x[0]) ? x[0] : 0;
    }

    @Override
    public void backward(float[] x, float[][] weights, float[] gy, float[] gx, float[][] gradient) {
      for (int i = 0; i < x.length; i++) {
        gx[i] = gy[i] * weights[0][i];
        gradient[0][i] += gy[i] * x[i];
      }
    }
  }

  private static Architecture own(CustomLayer layer) {
    return Architecture.fromJson(
        """
        {"input": [4], "layers": [
          {"type": "own", "layer": "mine"}, {"type": "linear", "out": 2}]}
        """,
        Map.of("mine", layer));
  }

  private static TapeSizes sizes(Architecture network, TapeSizes sizes) {
    try (Workers workers = new Workers(2)) {
      return TapeCheck.sizes(network, Loss.CROSS_ENTROPY, sizes, workers);
    }
  }

  static Iterable<String> layers() {
    return Nets.LAYERS.keySet();
  }

  @ParameterizedTest
  @MethodSource("layers")
  void sizes_everyLayer_passes(String name) {
    TapeSizes sizes = TapeSizes.upTo(64);
    assertThat(sizes(Nets.architecture(name), sizes)).isEqualTo(sizes);
  }

  @ParameterizedTest
  @ValueSource(strings = {"logreg", "mnist-cnn"})
  void sizes_presets_pass(String name) {
    Architecture network = Nets.architecture(name);
    TapeSizes sizes = TapeSizes.upTo(Footprint.taped(network));
    assertThat(sizes(network, sizes)).isEqualTo(sizes);
  }

  @Test
  void sizes_layerWithoutMemory_passes() {
    assertThat(sizes(own(new Remembering(false)), TapeSizes.upTo(16)).largest()).isEqualTo(16);
  }

  /** The twin: the difference is about one unit in the last place of the output. */
  @Test
  void sizes_layerThatRemembersARecord_isRefused() {
    assertThatThrownBy(() -> sizes(own(new Remembering(true)), TapeSizes.upTo(16)))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("must not keep any state");
  }

  /** The way out on processors whose libraries round differently in different rows. */
  @ParameterizedTest
  @ValueSource(strings = {"linear", "conv2d", "attention", "embedding", "lstm"})
  void sum_oneRecordAtATime_isTheSameUpToRounding(String name) {
    Architecture network = Nets.architecture(name);
    double[] theta = Nets.theta(network, 3);
    double[] together = sum(network, theta, TapeSizes.upTo(16));
    double[] alone = sum(network, theta, TapeSizes.one());
    Arrays.setAll(alone, i -> alone[i] - together[i]);
    assertThat(Oracle.norm(alone)).isLessThan(1e-2).isLessThan(1e-4 * Oracle.norm(together));
  }

  private static double[] sum(Architecture network, double[] theta, TapeSizes sizes) {
    TorchData data = Nets.data(network, 37, 4);
    try (TorchEngine engine =
        TorchEngine.of(
            network,
            Loss.CROSS_ENTROPY,
            data,
            RandomKey.insecure(1),
            new TorchEngine.Options(2, 16),
            TorchEngine.Contributions.ofExamples(data.size()),
            sizes)) {
      Layout layout = network.layout();
      Clipping clipping =
          Mechanism.of(
                  layout,
                  List.of(VectorGroup.flat("all", layout.names(), 1)),
                  NoiseAllocation.EQUAL,
                  0)
              .clipping(100, 0, 0);
      return TorchEngineTest.sum(engine, theta, clipping);
    }
  }
}
