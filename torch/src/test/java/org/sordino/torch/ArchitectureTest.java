package org.sordino.torch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.sordino.random.RandomKey;

class ArchitectureTest {

  static Iterable<String> nets() {
    return Nets.LAYERS.values();
  }

  @ParameterizedTest
  @MethodSource("nets")
  void fromJson_ofToJson_isTheSame(String json) {
    Architecture net = Architecture.fromJson(json);
    Architecture again = Architecture.fromJson(net.toJson());
    assertThat(again.toJson()).isEqualTo(net.toJson());
    assertThat(again.layout()).isEqualTo(net.layout());
  }

  @ParameterizedTest
  @CsvSource({"mnist-cnn, 26010", "cifar-cnn, 131466", "mlp, 795010", "logreg, 26"})
  void preset_hasItsNumberOfParameters(String name, int parameters) {
    assertThat(Architecture.preset(name).layout().dimension()).isEqualTo(parameters);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "[3, 8, 8] | {'type': 'BatchNorm2d'} | group-norm",
        "[3, 8, 8] | {'type': 'BatchNorm2d'} | group-norm",
        "[4] | {'type': 'linaer', 'out': 2} | unknown type linaer",
        "[4] | {'type': 'linear'} | out must be a whole number",
        "[4] | {'type': 'linear', 'out': 2, 'size': 3} | layers[0] (linear) has the unknown field \"size\"",
        "[4] | {'type': 'linear', 'out': 0} | layers[0] (linear): out must be",
        "[3, 4, 4] | {'type': 'linear', 'name': 'head', 'out': 2} | layer head needs features",
        "[4] | {'type': 'conv2d', 'name': 'c', 'out': 2, 'kernel': 3} | layer c needs an input",
        "[1, 2, 2] | {'type': 'conv2d', 'name': 'c', 'out': 2, 'kernel': 3} | kernel 3x3",
        "[3, 8, 8] | {'type': 'group-norm', 'name': 'n', 'groups': 2} | layer n needs channels",
        "[5, 6] | {'type': 'attention', 'name': 'a', 'heads': 4} | layer a needs a sequence",
        "[4] | {'type': 'relu'} | must have parameters",
        "[4] | {'type': 'own', 'layer': 'mine'} | must be the name of a registered custom layer, got mine",
        "[4] | {'type': 'dropout', 'rate': 1} | rate must be in [0, 1)"
      })
  void fromJson_mistake_namesTheLayer(String input, String layer, String message) {
    String json = "{'input': " + input + ", 'layers': [" + layer + "]}";
    assertThatThrownBy(() -> Architecture.fromJson(json.replace('\'', '"')))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(message);
  }

  @Test
  void fromJson_sharedName_isRefused() {
    String json =
        "{'input': [4], 'layers': [{'type': 'linear', 'name': 'x', 'out': 4},"
            + " {'type': 'linear', 'name': 'x', 'out': 4}]}";
    assertThatThrownBy(() -> Architecture.fromJson(json.replace('\'', '"')))
        .hasMessageContaining("x twice")
        .hasMessageContaining("not supported");
  }

  @Test
  void initialWeights_sameKey_areEqualAndWithinPyTorchsRange() {
    Architecture net = Architecture.mlp(784, 1000, 10);
    double[] theta = net.initialWeights(RandomKey.insecure(1));
    assertThat(net.initialWeights(RandomKey.insecure(1))).isEqualTo(theta);
    double squares = 0;
    for (int k = 0; k < 784_000; k++) {
      assertThat(Math.abs(theta[k])).isLessThanOrEqualTo(1 / 28.0);
      squares += theta[k] * theta[k];
    }
    // The variance of U(-w, w) is w^2 / 3. For 784,000 values, an error of 1% has a probability
    // below 1e-20.
    assertThat(squares / 784_000 * 3 * 784).isBetween(0.99, 1.01);
  }

  /** A custom layer: y = x * weight, feature by feature. */
  private static final CustomLayer SCALE =
      new CustomLayer() {
        @Override
        public int[] output(int[] input) {
          return input;
        }

        @Override
        public java.util.List<Tensor> parameters(int[] input) {
          return java.util.List.of(new Tensor("weight", new long[] {input[0]}, 1));
        }

        @Override
        public void forward(float[] x, float[][] parameters, float[] y) {
          for (int i = 0; i < x.length; i++) {
            y[i] = x[i] * parameters[0][i];
          }
        }

        @Override
        public void backward(float[] x, float[][] w, float[] gy, float[] gx, float[][] gw) {
          for (int i = 0; i < x.length; i++) {
            gx[i] = gy[i] * w[0][i];
            gw[0][i] = gy[i] * x[i];
          }
        }
      };

  @Test
  void own_scale_equalsTheBuiltInLayer() {
    String json =
        "{'input': [5], 'layers': [{'type': 'linear', 'out': 6}, {'type': 'residual', 'body': [%s]},"
            + " {'type': 'tanh'}, {'type': 'linear', 'out': 3}]}";
    String own = json.formatted("{'type': 'own', 'layer': 'mine', 'name': 's'}").replace('\'', '"');
    String built = json.formatted("{'type': 'scale', 'name': 's'}").replace('\'', '"');
    Architecture mine = Architecture.fromJson(own, Map.of("mine", SCALE));
    Architecture reference = Architecture.fromJson(built);
    TorchData data = Nets.data(reference, 13, 1);
    double[] theta = new double[reference.layout().dimension()];
    Random random = new Random(2);
    for (int i = 0; i < theta.length; i++) {
      theta[i] = (float) random.nextGaussian();
    }
    for (double decay : new double[] {0, 0.1}) {
      assertThat(TorchEngineTest.clippedSum(mine, data, theta, decay))
          .usingComparatorWithPrecision(1e-5)
          .containsExactly(TorchEngineTest.clippedSum(reference, data, theta, decay));
    }
  }
}
