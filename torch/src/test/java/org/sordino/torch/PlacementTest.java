package org.sordino.torch;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import org.bytedeco.pytorch.Tensor;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Checks that a record's gradient barely depends on the other records in its batch and on its
 * position there.
 */
class PlacementTest {

  /** A quarter of the allowance in {@link TorchEngine#roundingSlack}. */
  private static final double ALLOWED = 0x1p-20;

  @ParameterizedTest
  @ValueSource(
      strings = {
        "logreg",
        "mlp",
        "mnist-cnn",
        "cifar-cnn",
        "sequence",
        "sequence-gram",
        "conv1d",
        "conv2d-wide",
        "conv2d-few",
        "conv2d-gram",
        "attention",
        "lstm",
        "layer-norm"
      })
  void gradient_otherBatches_staysTheSame(String name) {
    Architecture net = Nets.architecture(name);
    TorchData data = Nets.data(net, 40, 1);
    double[] theta = Nets.theta(net, 2);
    double[] alone = gradient(net, data, theta, new int[] {7}, 0);
    int[][] batches = {{7, 8}, {1, 2, 3, 7}, numbers(13), numbers(32), numbers(40)};
    for (int[] batch : batches) {
      int place = Arrays.stream(batch).boxed().toList().indexOf(7);
      double[] among = gradient(net, data, theta, batch, place);
      Arrays.setAll(among, k -> among[k] - alone[k]);
      assertThat(Oracle.norm(among)).isLessThan(ALLOWED * Oracle.norm(alone));
    }
  }

  private static int[] numbers(int count) {
    int[] numbers = new int[count];
    Arrays.setAll(numbers, i -> i);
    return numbers;
  }

  /**
   * Returns the gradient of one record of a batch: the sum in which all other records have weight
   * 0.
   */
  private static double[] gradient(
      Architecture net, TorchData data, double[] theta, int[] batch, int place) {
    double[] only = new double[batch.length];
    only[place] = 1;
    double[] gradient = new double[theta.length];
    Scopes.run(
        () -> {
          Tape tape = new Tape();
          Pass pass = new Pass(Weights.floats(net, theta), tape, null);
          Tensor y = net.layers().forward(data.inputs(batch, net.input()), pass);
          List<Tape.Recorded> all = tape.backward(Loss.CROSS_ENTROPY.sum(y, data.targets(batch)));
          Scopes.withoutGradients(
              () -> {
                for (Tape.Recorded recorded : all) {
                  List<RecordGradients> found =
                      recorded.rule().gradients(recorded.a(), recorded.g());
                  for (int k = 0; k < found.size(); k++) {
                    String parameter = recorded.rule().parameters().get(k);
                    int from = net.layout().offset(net.layout().names().indexOf(parameter));
                    double[] part =
                        Tensors.doubles(found.get(k).weightedSum(Tensors.of(only, 0, only.length)));
                    System.arraycopy(part, 0, gradient, from, part.length);
                  }
                }
              });
        });
    return gradient;
  }
}
