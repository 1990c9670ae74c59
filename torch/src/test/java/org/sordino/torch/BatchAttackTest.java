package org.sordino.torch;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.sordino.mechanism.Clipping;
import org.sordino.mechanism.Layout;
import org.sordino.mechanism.Mechanism;
import org.sordino.mechanism.NoiseAllocation;
import org.sordino.mechanism.VectorGroup;
import org.sordino.random.RandomKey;
import org.sordino.sampling.PoissonSample;

/**
 * Attacks the bound on a record's contribution through the size of the batch, with the public API:
 * all records are equal and lie on the kinks of a network, where the last bit of an activation
 * decides whether a unit has a gradient. If a matrix library rounds differently for batches of n
 * and of n + 1 records, then all records change at once.
 */
class BatchAttackTest {

  private static final double BOUND = 1;

  /** Networks whose first activation is a ReLU behind the given parameters. */
  private static Architecture network(String name) {
    return switch (name) {
      case "wide" -> Architecture.mlp(300, 40, 2);
      case "lstm" ->
          Architecture.fromJson(
              """
              {"input": [6, 10], "layers": [
                {"type": "linear", "out": 12}, {"type": "relu"}, {"type": "lstm", "hidden": 9},
                {"type": "linear", "out": 2}]}
              """);
      case "attention" ->
          Architecture.fromJson(
              """
              {"input": [5, 16], "layers": [
                {"type": "linear", "out": 16}, {"type": "relu"},
                {"type": "attention", "heads": 4}, {"type": "flatten"},
                {"type": "linear", "out": 2}]}
              """);
      default -> Architecture.preset(name);
    };
  }

  @ParameterizedTest
  @ValueSource(strings = {"wide", "mlp", "mnist-cnn", "cifar-cnn", "lstm", "attention"})
  void sum_equalRecordsOnKinks_changesByAtMostTheBound(String name) {
    attack(name, new int[] {1, 2, 3, 5, 12, 15, 16, 31, 33, 63, 64, 95, 120, 127, 160, 191, 320});
  }

  @ParameterizedTest
  @Tag("slow") // hundreds of thousands of records
  @ValueSource(strings = {"wide", "mlp", "mnist-cnn", "cifar-cnn", "lstm", "attention"})
  void sum_manyBatchSizes_changesByAtMostTheBound(String name) {
    int step = Integer.getInteger("sordino.batchStep", 3); // 1 for every batch size
    attack(name, IntStream.iterate(1, n -> n <= 600, n -> n + step).toArray());
  }

  private static void attack(String name, int[] sizes) {
    Architecture network = network(name);
    Random random = new Random(1);
    float[] record = new float[Shapes.size(network.input())];
    Arrays.fill(record, 0.5f + random.nextFloat());
    if (network.input().length == 1) {
      for (int i = 0; i < record.length; i++) {
        record[i] = (float) random.nextGaussian();
      }
    }
    double[] theta = onKinks(network, record);
    double worst = 0;
    for (int n : sizes) {
      double[] with = sum(network, theta, record, n + 1);
      double[] without = sum(network, theta, record, n);
      double square = 0;
      for (int i = 0; i < with.length; i++) {
        square += (with[i] - without[i]) * (with[i] - without[i]);
      }
      worst = Math.max(worst, Math.sqrt(square));
    }
    System.out.printf("%s: one more record changes the sum by %.6f bounds%n", name, worst / BOUND);
    assertThat(worst).isLessThanOrEqualTo(BOUND);
  }

  /** Returns weights with which the record's activations before the first ReLU are almost 0. */
  private static double[] onKinks(Architecture network, float[] record) {
    double[] theta = network.initialWeights(RandomKey.insecure(5));
    long[] dims = network.shapes().values().iterator().next();
    int outputs = (int) dims[0];
    int inputs = (int) Arrays.stream(dims).skip(1).reduce(1, (a, b) -> a * b);
    for (int out = 0; out < outputs; out++) {
      double sum = 0;
      for (int i = 0; i < inputs; i++) {
        sum += (double) (float) theta[out * inputs + i] * record[i % record.length];
      }
      theta[outputs * inputs + out] = -(float) sum;
    }
    return theta;
  }

  private static double[] sum(Architecture network, double[] theta, float[] record, int count) {
    float[] features = new float[count * record.length];
    float[] targets = new float[count];
    for (int i = 0; i < count; i++) {
      System.arraycopy(record, 0, features, i * record.length, record.length);
    }
    Layout layout = network.layout();
    TorchData data = TorchData.of(features, network.input(), targets);
    try (TorchEngine engine =
        TorchEngine.of(
            network,
            Loss.CROSS_ENTROPY,
            data,
            RandomKey.insecure(6),
            TorchEngine.Options.defaults())) {
      Clipping clipping =
          Mechanism.of(
                  layout,
                  List.of(VectorGroup.flat("all", layout.names(), BOUND)),
                  NoiseAllocation.EQUAL,
                  1)
              .clipping(1000, 0, engine.roundingSlack());
      long[] sums = new long[layout.dimension()];
      engine.sum(PoissonSample.of(RandomKey.insecure(7), 1, 1), theta, clipping, sums);
      double[] values = new double[sums.length];
      for (int j = 0; j < layout.size(); j++) {
        for (int k = layout.offset(j); k < layout.offset(j + 1); k++) {
          values[k] = sums[k] * clipping.unit(j);
        }
      }
      return values;
    }
  }
}
