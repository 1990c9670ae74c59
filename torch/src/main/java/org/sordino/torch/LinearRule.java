package org.sordino.torch;

import java.util.List;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;
import org.jspecify.annotations.Nullable;

/** Of y = W a + b, at one position or at T. */
record LinearRule(String weight, @Nullable String bias) implements Rule {

  @Override
  public List<String> parameters() {
    return bias == null ? List.of(weight) : List.of(weight, bias);
  }

  @Override
  public List<RecordGradients> gradients(Tensor a, Tensor g) {
    Materialized outputs = new Materialized(g.dim() == 2 ? g : g.sum(1));
    RecordGradients weights = weights(a, g, outputs);
    return bias == null ? List.of(weights) : List.of(weights, outputs);
  }

  /** Where there are several positions, the cheaper of two ways. */
  private static RecordGradients weights(Tensor a, Tensor g, Materialized outputs) {
    if (a.dim() == 2 || a.size(1) == 1) {
      return new OuterProducts(Tensors.rows(a), outputs);
    }
    return gramIsCheaper(a.size(1), a.size(2), g.size(2))
        ? new SequenceProducts(a, g)
        : new Materialized(torch.bmm(g.transpose(1, 2), a)); // [B, p, d]
  }

  /**
   * Gram matrices in float64 and a float64 sum against writing p d numbers and reading them twice;
   * equal on the machine it was measured on. It depends on shapes only, so that a resumed run makes
   * the same choice.
   */
  static boolean gramIsCheaper(double t, double d, double p) {
    return t * t * (d + p) < 2 * d * p;
  }
}
