package org.sordino.torch;

import java.util.List;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;
import org.jspecify.annotations.Nullable;
import org.sordino.torch.Tensors.Matrix;

/** Gradient rule of y = W a + b, at one position or at T positions. */
record LinearRule(String weight, @Nullable String bias) implements Rule {

  @Override
  public List<String> parameters() {
    return bias == null ? List.of(weight) : List.of(weight, bias);
  }

  /** Returns x W^T + b on the last axis. */
  static Tensor forward(Tensor x, Tensor weight, @Nullable Tensor bias) {
    Tensor y = times(x, weight, true);
    return bias == null ? y : y.add_(bias);
  }

  /** Returns the derivative with respect to x: g W on the last axis. */
  static Tensor backward(Tensor g, Tensor weight) {
    return times(g, weight, false);
  }

  private static Tensor times(Tensor x, Tensor weight, boolean transposed) {
    int axis = Math.toIntExact(x.dim() - 1);
    int k = Math.toIntExact(x.size(axis));
    int rows = Math.toIntExact(x.numel() / k);
    int n = Math.toIntExact(weight.size(transposed ? 0 : 1));
    long[] dims = x.shape();
    dims[axis] = n;
    Tensor y = torch.empty(rows, n);
    Tensors.multiply(
        Matrix.of(x.reshape(rows, k).contiguous(), false),
        Matrix.of(weight, transposed),
        Matrix.of(y, false),
        rows,
        k,
        n,
        false);
    return y.view(dims);
  }

  @Override
  public List<RecordGradients> gradients(Tensor a, Tensor g) {
    Materialized outputs = new Materialized(g.dim() == 2 ? g : g.sum(1));
    RecordGradients weights = weights(a, g, outputs);
    return bias == null ? List.of(weights) : List.of(weights, outputs);
  }

  /** Uses the cheaper of two representations if there are several positions. */
  private static RecordGradients weights(Tensor a, Tensor g, Materialized outputs) {
    if (a.dim() == 2 || a.size(1) == 1) {
      return new OuterProducts(Tensors.rows(a), outputs);
    }
    return gramIsCheaper(a.size(1), a.size(2), g.size(2))
        ? new SequenceProducts(a, g)
        : new Materialized(torch.bmm(g.transpose(1, 2), a)); // [B, p, d]
  }

  /**
   * Returns whether Gram matrices and a sum in float64 are cheaper than writing p d numbers and
   * reading them twice. At the threshold, both took the same time on the machine where they were
   * measured. The choice depends on shapes only, so a resumed run makes the same choice.
   */
  static boolean gramIsCheaper(double t, double d, double p) {
    return t * t * (d + p) < 2 * d * p;
  }
}
