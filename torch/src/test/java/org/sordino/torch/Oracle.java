package org.sordino.torch;

import java.util.LinkedHashMap;
import java.util.Map;
import org.bytedeco.pytorch.BoolOptional;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.TensorVector;
import org.bytedeco.pytorch.global.torch;
import org.bytedeco.pytorch.global.torch.ScalarType;

/** The slow reference implementation: each record separately, by autograd in float64. */
final class Oracle {

  private Oracle() {}

  /** Returns the gradient of one record's loss with respect to all parameters. */
  static double[] gradient(
      Architecture architecture, Loss loss, TorchData data, double[] theta, int record) {
    Libtorch.load();
    return Scopes.get(
        () -> {
          Map<String, Tensor> weights = new LinkedHashMap<>();
          Weights.doubles(architecture, theta)
              .forEach((name, tensor) -> weights.put(name, tensor.set_requires_grad(true)));
          int[] one = {record};
          Tensor x = data.inputs(one, architecture.input()).to(ScalarType.Double);
          Tensor y = architecture.layers().forward(x, new Pass(weights, null, null));
          Tensor total = loss.each(y, data.targets(one).to(ScalarType.Double)).sum();
          TensorVector by = new TensorVector(weights.values().toArray(new Tensor[0]));
          TensorVector found =
              torch.grad(
                  new TensorVector(total), by, new TensorVector(), new BoolOptional(), false, true);
          return flat(architecture, found);
        });
  }

  private static double[] flat(Architecture architecture, TensorVector found) {
    double[] gradient = new double[architecture.layout().dimension()];
    for (int j = 0; j < found.size(); j++) {
      Tensor g = new Tensor(found.get(j));
      if (g.defined()) {
        double[] values = Tensors.doubles(g);
        System.arraycopy(values, 0, gradient, architecture.layout().offset(j), values.length);
      }
    }
    return gradient;
  }

  static double norm(double[] values) {
    return norm(values, 0, values.length);
  }

  static double norm(double[] values, int from, int to) {
    double squares = 0;
    for (int i = from; i < to; i++) {
      squares += values[i] * values[i];
    }
    return Math.sqrt(squares);
  }
}
