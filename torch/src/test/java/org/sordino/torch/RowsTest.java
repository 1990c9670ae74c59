package org.sordino.torch;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RowsTest {

  @BeforeAll
  static void load() {
    Libtorch.load();
  }

  /** Memory is used again for the next record, so whatever was in it must be gone. */
  @ParameterizedTest
  @CsvSource({
    "16, 16, 3, 1, 1", // moved images
    "16, 1, 3, 1, 1",
    "8, 5, 1, 1, 0",
    "2, 5, 4, 2, 3", // patches
    "2, 1, 1, 2, 0",
    "1, 4, 3, 1, 1" // patches of planes
  })
  void add_afterARecordThatIsNotFinite_isAsAlone(int in, int out, int k, int stride, int padding) {
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
          double[] alone = second(layer, a.narrow(0, 1, 1), g.narrow(0, 1, 1), false);
          a.select(0, 0).fill_(Tensors.of(new float[] {Float.NaN}, 0));
          g.select(0, 0).fill_(Tensors.of(new float[] {Float.POSITIVE_INFINITY}, 0));
          assertThat(alone).hasSize(out * (in * k * k + 1)).doesNotContain(0);
          assertThat(second(layer, a, g, true)).isEqualTo(alone);
        });
  }

  /** The gradients of the last record, with the norm of which they must agree. */
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
