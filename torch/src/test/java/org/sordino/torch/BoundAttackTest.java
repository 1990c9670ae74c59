package org.sordino.torch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.List;
import org.bytedeco.openblas.global.openblas_nolapack;
import org.bytedeco.pytorch.Tensor;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.sordino.mechanism.Clipping;
import org.sordino.mechanism.Mechanism;
import org.sordino.mechanism.NoiseAllocation;
import org.sordino.mechanism.VectorGroup;
import org.sordino.random.RandomKey;
import org.sordino.sampling.PoissonSample;

/**
 * Records and plans whose numbers leave the range of float32. A record is added to an empty data
 * set, and the sum is compared with the bound.
 */
class BoundAttackTest {

  @BeforeAll
  static void load() {
    Libtorch.load();
  }

  private static final double UNSAFE = 0; // the slack of a program that ignores the engine's

  /** Weights of S / norm underflow in float32 if the bound is tiny. */
  @ParameterizedTest
  @ValueSource(doubles = {1e-13, 1e-20, 1e-28, 1e-30})
  void tinyBound_isRefused(double bound) {
    Architecture net = Architecture.logisticRegression(40, 2);
    List<VectorGroup> flat = List.of(VectorGroup.flat("all", net.layout().names(), bound));
    double[] theta = new double[net.layout().parameters()];
    float[] record = new float[40];
    double used = 0;
    for (double size = 1e13; size < 2e14; size *= 1.05) {
      java.util.Arrays.fill(record, (float) size);
      used = Math.max(used, contribution(net, Loss.CROSS_ENTROPY, theta, record, 1, flat, UNSAFE));
    }
    System.out.printf("bound %g in float32 without the range: %.4f bounds%n", bound, used);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> contribution(net, Loss.CROSS_ENTROPY, theta, record, 1, flat, 1e-3))
        .withMessageContaining("must be at least 1e-12 for sums in float32, got " + bound);
    if (bound <= 1e-28) {
      assertThat(used).isGreaterThan(1.005); // what the range prevents
    }
  }

  /** The product of a large input and a tiny derivative is moderate, but their factors are not. */
  @ParameterizedTest
  @ValueSource(doubles = {1e-12, 1.00e-7, 1e-3})
  void hugeInputWithTinyDerivative_staysWithinItsBound(double bound) {
    Architecture net = Architecture.logisticRegression(3, 2);
    double[] theta = {1, 1, 1, 0, 0, 0, 0, 0};
    List<VectorGroup> flat = List.of(VectorGroup.flat("all", net.layout().names(), bound));
    double largest = 0;
    for (float logit = 50; logit < 60; logit += 0.5f) {
      for (float huge : new float[] {1e8f, 1e14f, 1e25f, 1e38f}) {
        float[] record = {huge, -huge, logit};
        double used = contribution(net, Loss.CROSS_ENTROPY, theta, record, 0, flat, 1e-9);
        largest = Math.max(largest, used);
      }
    }
    System.out.printf("huge input, derivative e^-50, bound %g: %.7f bounds%n", bound, largest);
    assertThat(largest).isLessThanOrEqualTo(1 + 1e-6);
  }

  /** A weight of S / gamma times a huge derivative overflows, and infinity reaches the sum. */
  @ParameterizedTest
  @ValueSource(doubles = {1e-12, 0.01, 1})
  void tinyInputWithHugeDerivative_staysWithinItsBound(double gamma) {
    Architecture net =
        Architecture.fromJson(
            "{\"input\": [7], \"layers\": [{\"type\": \"linear\", \"out\": 1, \"bias\": false}]}");
    List<VectorGroup> automatic =
        List.of(VectorGroup.automatic("all", net.layout().names(), 1, gamma));
    double largest = 0;
    for (float tiny : new float[] {Float.MIN_VALUE, 1e-40f, 1e-30f, 1e-20f}) {
      for (float target : new float[] {1e38f, -1e30f, 1e20f, 1e16f, 1e10f}) {
        float[] record = {tiny, 0, 0, 0, 0, 0, tiny};
        largest =
            Math.max(
                largest,
                contribution(
                    net, Loss.SQUARED_ERROR, new double[7], record, target, automatic, 1e-9));
      }
    }
    System.out.printf("tiny input, huge derivative, gamma %g: %.7f bounds%n", gamma, largest);
    assertThat(largest).isLessThanOrEqualTo(1 + 1e-6);
  }

  /** The proof of the range needs numbers below 2^-126, which some programs turn off for speed. */
  @Test
  void smallNumbers_areNotFlushedToZero() {
    float small = 3e-40f;
    Tensor one = Tensors.of(new float[] {1}, 0, 1, 1);
    Tensor tiny = Tensors.of(new float[] {small}, 0, 1, 1);
    assertThat(Tensors.floats(tiny.mul(one))).containsExactly(small);
    assertThat(Tensors.floats(tiny.mm(one))).containsExactly(small);
    Tensor sum = Tensors.of(new float[] {small}, 0, 1, 1);
    openblas_nolapack.cblas_saxpy(1, 1, tiny.data_ptr_float(), 1, sum.data_ptr_float(), 1);
    assertThat(Tensors.floats(sum)).containsExactly(2 * small);
  }

  @Test
  void numbersOutsideTheRange_areRefused() {
    Architecture net = Architecture.logisticRegression(3, 2);
    List<String> names = net.layout().names();
    assertThatIllegalArgumentException()
        .isThrownBy(() -> clipping(net, VectorGroup.automatic("a", names, 1e3, 1e-18), 1000, 0, 1))
        .withMessageContaining("gamma of group a must be at least 1e-20 times the bound");
    assertThatIllegalArgumentException()
        .isThrownBy(
            () -> clipping(net, new VectorGroup("a", names, 1, List.of(1.0, 1e-13), 0), 1000, 0, 1))
        .withMessageContaining("times the scale of vector " + names.get(1));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> clipping(net, VectorGroup.flat("a", names, 1), 1L << 33, 0, 1))
        .withMessageContaining("must be at most 2^-28 of the bound");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> clipping(net, VectorGroup.flat("a", names, 1), 1000, 0, 1e10))
        .withMessageContaining("must be at most 2^-28 of the bound");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> clipping(net, VectorGroup.flat("a", names, 1), 1000, 1e-31, 1))
        .withMessageContaining("weight decay inside the clip must be 0 or in [1e-30, 1e30]");
    clipping(net, VectorGroup.flat("a", names, 1e-12), 1 << 30, 0.1, 1e6);
  }

  private static Clipping clipping(
      Architecture net, VectorGroup group, long population, double decay, double z) {
    return Mechanism.of(net.layout(), List.of(group), NoiseAllocation.EQUAL, z)
        .clipping(population, decay, 1e-3);
  }

  /** Returns the norm of the sum over one record, in bounds. */
  private static double contribution(
      Architecture net,
      Loss loss,
      double[] theta,
      float[] record,
      float target,
      List<VectorGroup> groups,
      double slack) {
    TorchData data = TorchData.of(record, net.input(), new float[] {target});
    try (TorchEngine engine =
        TorchEngine.of(net, loss, data, RandomKey.insecure(1), new TorchEngine.Options(1, 1))) {
      Clipping clipping =
          Mechanism.of(net.layout(), groups, NoiseAllocation.EQUAL, 0).clipping(1, 0, slack);
      long[] sums = new long[theta.length];
      engine.sum(PoissonSample.of(RandomKey.insecure(2), 0, 1), theta, clipping, sums);
      double square = 0;
      for (long sum : sums) {
        double value = sum * clipping.unit(0) / groups.get(0).bound();
        square += value * value;
      }
      return Math.sqrt(square);
    }
  }
}
