package org.sordino.training;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.sordino.mechanism.Clipping;
import org.sordino.mechanism.Layout;
import org.sordino.mechanism.Mechanism;
import org.sordino.mechanism.NoiseAllocation;
import org.sordino.mechanism.VectorGroup;
import org.sordino.random.RandomKey;
import org.sordino.sampling.PoissonSample;

class LinearEngineTest {

  static Stream<LinearModel> models() {
    return Stream.of(LinearModel.regression(4), LinearModel.logistic(4), LinearModel.softmax(4, 3));
  }

  static Examples examples(LinearModel model, SplittableRandom random, int size) {
    int classes = model.kind() == LinearModel.Kind.SOFTMAX ? model.outputs() : 2;
    float[] features = new float[size * model.inputs()];
    float[] targets = new float[size];
    for (int i = 0; i < features.length; i++) {
      features[i] = (float) random.nextDouble(-2, 2);
    }
    for (int i = 0; i < size; i++) {
      targets[i] =
          model.kind() == LinearModel.Kind.REGRESSION
              ? (float) random.nextDouble(-5, 5)
              : random.nextInt(classes);
    }
    return new Examples(features, model.inputs(), targets);
  }

  /** Computes the loss with a plain formula, for numerical differentiation. */
  private static double loss(LinearModel model, double[] theta, Examples examples, int i) {
    double[] p = model.predict(theta, examples, i);
    float y = examples.targets()[i];
    return switch (model.kind()) {
      case REGRESSION -> (p[0] - y) * (p[0] - y) / 2;
      case LOGISTIC -> -Math.log(y == 1 ? p[0] : 1 - p[0]);
      case SOFTMAX -> -Math.log(p[(int) y]);
    };
  }

  private static double[] numericGradient(
      LinearModel model, double[] theta, Examples examples, int i) {
    double[] gradient = new double[theta.length];
    for (int j = 0; j < theta.length; j++) {
      double[] moved = theta.clone();
      moved[j] += 1e-5;
      double up = loss(model, moved, examples, i);
      moved[j] -= 2e-5;
      gradient[j] = (up - loss(model, moved, examples, i)) / 2e-5;
    }
    return gradient;
  }

  private static double[] sum(
      GradientEngine engine, double[] theta, double bound, double decay, double rate) {
    Mechanism mechanism =
        Mechanism.of(
            engine.layout(),
            List.of(VectorGroup.flat("all", engine.layout().names(), bound)),
            NoiseAllocation.EQUAL,
            0);
    Clipping clipping = mechanism.clipping(1000, decay, 0);
    long[] sums = new long[engine.layout().dimension()];
    engine.sum(PoissonSample.of(RandomKey.insecure(3), 0, rate), theta, clipping, sums);
    double[] values = new double[sums.length];
    for (int vector = 0; vector < engine.layout().size(); vector++) {
      for (int i = engine.layout().offset(vector); i < engine.layout().offset(vector + 1); i++) {
        values[i] = sums[i] * clipping.unit(vector);
      }
    }
    return values;
  }

  /** Slow reference: numerical gradients, clipped one by one as in the paper. */
  @ParameterizedTest
  @MethodSource("models")
  void sums_equalTheReference_forNoSomeAndAllRecordsClipped(LinearModel model) {
    SplittableRandom random = new SplittableRandom(11);
    for (int size : new int[] {1, 2, 13, 64}) {
      Examples examples = examples(model, random, size);
      double[] theta = random.doubles(model.layout().dimension(), -1, 1).toArray();
      for (double bound : new double[] {1e6, 1, 0.01}) {
        for (double decay : new double[] {0, 0.2}) {
          double[] expected = new double[theta.length];
          for (int i = 0; i < size; i++) {
            double[] g = numericGradient(model, theta, examples, i);
            double square = 0;
            for (int j = 0; j < g.length; j++) {
              g[j] += decay * theta[j];
              square += g[j] * g[j];
            }
            double weight = Math.min(1, bound / Math.sqrt(square));
            for (int j = 0; j < g.length; j++) {
              expected[j] += weight * g[j];
            }
          }
          double[] actual = sum(LinearEngine.of(model, examples), theta, bound, decay, 1);
          assertThat(actual).containsExactly(expected, within(1e-6 * size));
        }
      }
    }
  }

  @Test
  void sums_doNotDependOnThreads() {
    LinearModel model = LinearModel.logistic(20);
    Examples examples = examples(model, new SplittableRandom(5), 300_000);
    double[] theta = new SplittableRandom(6).doubles(21, -1, 1).toArray();
    double[] one = sum(LinearEngine.of(model, examples, 1), theta, 1, 0.1, 0.5);
    for (int threads : new int[] {2, 3, 7}) {
      assertThat(sum(LinearEngine.of(model, examples, threads), theta, 1, 0.1, 0.5)).isEqualTo(one);
    }
  }

  @Test
  void nonFiniteRecord_addsNothing() {
    LinearModel model = LinearModel.logistic(4);
    Examples clean = examples(model, new SplittableRandom(5), 10);
    double[] theta = {1, 2, 3, 4, 5};
    for (float bad : new float[] {Float.NaN, Float.POSITIVE_INFINITY}) {
      float[] features = Arrays.copyOf(clean.features(), 44);
      features[41] = bad;
      Examples spoilt = new Examples(features, 4, Arrays.copyOf(clean.targets(), 11));
      assertThat(sum(LinearEngine.of(model, spoilt), theta, 1, 0.5, 1))
          .isEqualTo(sum(LinearEngine.of(model, clean), theta, 1, 0.5, 1));
    }
  }

  @Test
  void fingerprint_changesWithRecordsModelAndKey() {
    LinearModel model = LinearModel.logistic(4);
    Examples examples = examples(model, new SplittableRandom(5), 10);
    byte[] print = LinearEngine.of(model, examples).fingerprint(RandomKey.insecure(1));
    assertThat(LinearEngine.of(model, examples, 2).fingerprint(RandomKey.insecure(1)))
        .isEqualTo(print);
    assertThat(LinearEngine.of(model, examples).fingerprint(RandomKey.insecure(2)))
        .isNotEqualTo(print);
    examples.features()[39] = Math.nextUp(examples.features()[39]);
    assertThat(LinearEngine.of(model, examples).fingerprint(RandomKey.insecure(1)))
        .isNotEqualTo(print);
  }

  @Test
  void targetOutsideTheClasses_isRefused() {
    Examples two = new Examples(new float[] {1, 2}, 1, new float[] {0, 2});
    assertThatIllegalArgumentException()
        .isThrownBy(() -> LinearEngine.of(LinearModel.logistic(1), two))
        .withMessageContaining("classes 0 to 1");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> LinearEngine.of(LinearModel.logistic(2), two))
        .withMessageContaining("2 features, got 1");
  }

  @Nested
  class RegressionNeighbors extends ModelNeighbors {
    RegressionNeighbors() {
      super(LinearModel.regression(4));
    }
  }

  @Nested
  class LogisticNeighbors extends ModelNeighbors {
    LogisticNeighbors() {
      super(LinearModel.logistic(4));
    }
  }

  @Nested
  class SoftmaxNeighbors extends ModelNeighbors {
    SoftmaxNeighbors() {
      super(LinearModel.softmax(4, 3));
    }
  }

  abstract static class ModelNeighbors extends NeighborContract {
    private final LinearModel model;

    ModelNeighbors(LinearModel model) {
      this.model = model;
    }

    @Override
    GradientEngine engine(Examples examples) {
      return LinearEngine.of(model, examples);
    }

    @Override
    Examples examples(SplittableRandom random, int size) {
      return LinearEngineTest.examples(model, random, size);
    }

    @Override
    Layout layout() {
      return model.layout();
    }
  }
}
