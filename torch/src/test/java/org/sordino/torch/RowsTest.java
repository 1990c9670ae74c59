package org.sordino.torch;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.bytedeco.pytorch.Scalar;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RowsTest {

  @BeforeAll
  static void load() {
    Libtorch.load();
  }

  /** Memory is reused for the next record, so no earlier values may remain. */
  @ParameterizedTest
  @CsvSource({
    "16, 16, 3, 1, 1", // stride 1
    "16, 1, 3, 1, 1",
    "8, 5, 1, 1, 0",
    "3, 5, 4, 2, 3", // stride 2
    "2, 1, 1, 2, 0",
    "1, 4, 3, 1, 1", // one channel: patches of planes
    "1, 4, 2, 2, 1"
  })
  void add_afterNonFiniteRecord_equalsTheRecordAlone(
      int in, int out, int k, int stride, int padding) {
    Convolution layer =
        new Convolution(
            "conv",
            2,
            out,
            new int[] {k, k},
            new int[] {stride, stride},
            new int[] {padding, padding},
            new int[] {1, 1},
            1,
            true);
    int size = Shapes.windows(9, k, stride, padding, 1);
    Scopes.run(
        () -> {
          Tensor a = torch.randn(2, in, 9, 9);
          Tensor g = torch.randn(2, out, size, size);
          Tensor badA = a.clone();
          Tensor badG = g.clone();
          badA.select(0, 0).fill_(Tensors.of(new float[] {Float.NaN}, 0));
          badG.select(0, 0).fill_(Tensors.of(new float[] {Float.POSITIVE_INFINITY}, 0));
          double[] alone = second(layer, a.narrow(0, 1, 1), g.narrow(0, 1, 1), false);
          assertThat(alone).hasSize(out * (in * k * k + 1)).doesNotContain(0);
          assertThat(second(layer, badA, badG, true)).isEqualTo(alone);
        });
  }

  /**
   * In float32, a square of 2^-26 is lost when it is added to 1, but a million of them are 2^-6.
   * The "double precision" of the BLAS must not lose them.
   */
  @Test
  void measure_manySmallNumbersAndALargeOne_countsThemAll() {
    Scopes.run(
        () -> {
          int size = 1 << 20;
          Tensor numbers = torch.zeros(1, size, 1).add_(new Scalar(0x1p-13));
          numbers.view(-1).narrow(0, 0, 1).fill_(Tensors.of(new float[] {1}, 0));
          Tensor derivatives = numbers.transpose(1, 2).contiguous(); // [1, 1, size]
          Rows rows = new Rows(List.of(new OutputSums(derivatives)));
          double[] squares = new double[1];
          rows.write(0);
          rows.measure(squares);
          double exact = 1 + (size - 1) * 0x1p-26;
          assertThat(squares[0]).isBetween(exact, exact * (1 + 2e-5));
        });
  }

  /** Returns the gradients of the last record and checks them against their measured norms. */
  private static double[] second(Convolution layer, Tensor a, Tensor g, boolean behindAnother) {
    List<Written> written =
        new ConvolutionRule(layer).gradients(a, g).stream().map(Written.class::cast).toList();
    Rows rows = new Rows(written);
    double[] squares = new double[2];
    if (behindAnother) {
      rows.write(0);
      rows.measure(squares);
      assertThat(squares[0] < RecordGradients.LARGEST).isFalse();
      assertThat(squares[1] < RecordGradients.LARGEST).isFalse();
      rows.add(new double[] {0, 0}, true);
    }
    rows.write(behindAnother ? 1 : 0);
    rows.measure(squares);
    rows.add(new double[] {1, 1}, false);
    Tensor[] sums = rows.sums();
    double[] weight = Tensors.doubles(sums[0]);
    double[] bias = Tensors.doubles(sums[1]);
    assertThat(squares[0]).isBetween(Oracle.norm(weight) * Oracle.norm(weight), 1e9);
    assertThat(squares[1]).isBetween(Oracle.norm(bias) * Oracle.norm(bias), 1e9);
    double[] all = new double[weight.length + bias.length];
    System.arraycopy(weight, 0, all, 0, weight.length);
    System.arraycopy(bias, 0, all, weight.length, bias.length);
    return all;
  }
}
