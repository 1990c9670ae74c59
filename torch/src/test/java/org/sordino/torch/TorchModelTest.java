package org.sordino.torch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.bytedeco.pytorch.JitModule;
import org.bytedeco.pytorch.QualifiedName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.sordino.training.Safetensors;

class TorchModelTest {

  @TempDir Path directory;

  @Test
  void load_afterSave_predictsTheSame() throws IOException {
    Architecture net = Architecture.mnistCnn();
    TorchModel model = new TorchModel(net, Nets.theta(net, 1));
    TorchData data = Nets.data(net, 300, 2);
    model.save(directory);

    TorchModel loaded = TorchModel.load(directory);

    assertThat(loaded.theta()).isEqualTo(model.theta());
    assertThat(loaded.outputs(data, 2)).isEqualTo(model.outputs(data, 1));
    float[] probabilities = loaded.probabilities(data, 1);
    double sum = 0;
    for (int c = 0; c < 10; c++) {
      sum += probabilities[c];
    }
    assertThat(sum).isCloseTo(1, within(1e-5));
    assertThat(loaded.accuracy(data, 2)).isBetween(0.0, 0.4);
  }

  @Test
  void of_foreignWeights_namesTheTensor() {
    Architecture net = Architecture.logisticRegression(2, 2);
    Safetensors.Tensor tensor =
        new Safetensors.Tensor(Safetensors.Type.F32, List.of(2), new double[2]);
    Safetensors weights = new Safetensors(Map.of("linear1.weight", tensor), Map.of());
    assertThatThrownBy(() -> TorchModel.of(net, weights))
        .hasMessageContaining("linear1.weight of shape [2, 2]");
  }

  @Test
  void outputs_logisticRegression_areTheScalarProducts() {
    Architecture net = Architecture.logisticRegression(2, 1);
    TorchModel model = new TorchModel(net, new double[] {2, -1, 0.5});
    TorchData data = TorchData.of(new float[] {1, 1, 0, 3}, new int[] {2}, new float[] {1, 0});
    assertThat(model.outputs(data, 1)).containsExactly(1.5f, -2.5f);
    assertThat(model.accuracy(data, 1)).isEqualTo(1);
  }

  private Path script(String body) {
    Libtorch.load();
    Path file = directory.resolve("extractor.pt");
    Scopes.run(
        () -> {
          JitModule module = new JitModule(new QualifiedName("extractor"));
          module.define("def forward(self, x):\n  return " + body + "\n");
          module.save(file.toString());
        });
    return file;
  }

  @Test
  void features_torchScript_areThoseOfEachRecord() {
    TorchData data = TorchData.of(new float[] {1, 2, 3, 4}, new int[] {2}, new float[] {0, 1});
    try (FeatureExtractor extractor = FeatureExtractor.load(script("x.sum(1, True) * 2"))) {
      TorchData features = extractor.features(data, new int[] {2}, 2);
      assertThat(features.shape()).containsExactly(1);
      assertThat(features.target(1)).isEqualTo(1);
      assertThat(Nets.features(features, Architecture.logisticRegression(1, 2)))
          .containsExactly(6, 14);
    }
  }

  /** The product rounds differently in different rows of a batch where OpenBLAS computes it. */
  @ParameterizedTest
  @ValueSource(ints = {1, 64, 70, 130})
  void features_ofARecord_areTheSameBitsInAnyBatch(int records) {
    String product = "torch.matmul(x, torch.sin(torch.arange(12000)).reshape(300, 40))";
    float[] alone = features(product, 1);
    float[] among = features(product, records);
    assertThat(Arrays.copyOfRange(among, among.length - alone.length, among.length))
        .isEqualTo(alone);
  }

  /** Returns the features of so many records, the last of which is always the same. */
  private float[] features(String body, int records) {
    float[] values = new float[records * 300];
    Random random = new Random(1);
    for (int i = values.length - 1; i >= 0; i--) {
      values[i] = (float) random.nextGaussian();
    }
    TorchData data = TorchData.of(values, new int[] {300}, new float[records]);
    try (FeatureExtractor extractor = FeatureExtractor.load(script(body))) {
      TorchData features = extractor.features(data, new int[] {300}, 2);
      return Nets.features(features, Architecture.logisticRegression(40, 2));
    }
  }

  @Test
  void features_scriptThatMixesRecords_isRefused() {
    TorchData data = TorchData.of(new float[] {1, 2, 3, 4}, new int[] {2}, new float[] {0, 1});
    try (FeatureExtractor extractor = FeatureExtractor.load(script("x - x.mean(0, True)"))) {
      assertThatThrownBy(() -> extractor.features(data, new int[] {2}, 1))
          .hasMessageContaining("process each record independently");
    }
    Path missing = directory.resolve("missing.pt");
    assertThatThrownBy(() -> FeatureExtractor.load(missing)).hasMessageContaining("missing.pt");
  }
}
