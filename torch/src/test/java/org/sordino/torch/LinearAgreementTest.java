package org.sordino.torch;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
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

/** Compares two engines that share no code on the same sample. */
class LinearAgreementTest {

  private static final int RECORDS = 500;
  private static final int FEATURES = 12;

  @ParameterizedTest
  @CsvSource({
    "REGRESSION, 0.5, 0",
    "REGRESSION, 100, 0.3",
    "LOGISTIC, 0.5, 0",
    "LOGISTIC, 0.5, 0.3",
    "SOFTMAX, 0.7, 0",
    "SOFTMAX, 100, 0",
    "SOFTMAX, 0.01, 0.3"
  })
  void sum_linearModel_equalsThatOfTheLinearEngine(
      LinearModel.Kind kind, double bound, double decay) {
    int outputs = kind == LinearModel.Kind.SOFTMAX ? 3 : 1;
    LinearModel model = new LinearModel(kind, FEATURES, outputs);
    Architecture net = Architecture.logisticRegression(FEATURES, outputs);
    Random random = new Random(5);
    float[] features = new float[RECORDS * FEATURES];
    for (int i = 0; i < features.length; i++) {
      features[i] = (float) random.nextGaussian();
    }
    float[] targets = new float[RECORDS];
    for (int i = 0; i < RECORDS; i++) {
      targets[i] = random.nextInt(Math.max(2, outputs));
    }
    Examples examples = new Examples(features, FEATURES, targets);
    double[] theta = random.doubles(outputs * (FEATURES + 1L), -1, 1).toArray();
    Loss loss =
        switch (kind) {
          case REGRESSION -> Loss.SQUARED_ERROR;
          case LOGISTIC -> Loss.BINARY_LOGISTIC;
          case SOFTMAX -> Loss.CROSS_ENTROPY;
        };
    try (TorchEngine torch =
        TorchEngine.of(
            net,
            loss,
            TorchData.of(examples),
            RandomKey.insecure(1),
            new TorchEngine.Options(2, 64))) {
      double[] torchSum = sum(torch, theta, bound, decay);
      double[] javaSum = sum(LinearEngine.of(model, examples), theta, bound, decay);
      double[] difference = new double[javaSum.length];
      Arrays.setAll(difference, k -> torchSum[k] - javaSum[k]);
      assertThat(Oracle.norm(difference)).isLessThan(1e-5 * Oracle.norm(javaSum));
    }
  }

  private static double[] sum(GradientEngine engine, double[] theta, double bound, double decay) {
    Layout layout = engine.layout();
    List<VectorGroup> flat = List.of(VectorGroup.flat("all", layout.names(), bound));
    Clipping clipping =
        Mechanism.of(layout, flat, NoiseAllocation.EQUAL, 0).clipping(RECORDS, decay, 0);
    long[] sums = new long[theta.length];
    engine.sum(PoissonSample.of(RandomKey.insecure(4), 3, 0.4), theta, clipping, sums);
    double[] values = new double[sums.length];
    for (int j = 0; j < layout.size(); j++) {
      for (int k = layout.offset(j); k < layout.offset(j + 1); k++) {
        values[k] = sums[k] * clipping.unit(j);
      }
    }
    return values;
  }
}
