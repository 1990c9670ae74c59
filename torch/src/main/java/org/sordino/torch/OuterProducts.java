package org.sordino.torch;

import org.bytedeco.pytorch.Scalar;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;
import org.bytedeco.pytorch.global.torch.ScalarType;

/**
 * Gradients g a^T of a linear map at one position. Their norm, |g a^T| = |g| |a|, has no canceling
 * terms. The product may be moderate although one factor is huge and the other is tiny. Weighted
 * factors could then overflow or underflow in float32, so each factor must be below {@link
 * #LARGEST}, too.
 */
final class OuterProducts implements RecordGradients {

  private final Tensor a; // [B, d]
  private final Tensor g; // [B, p]
  private final Materialized outputs; // g as the gradient of a bias

  OuterProducts(Tensor a, Materialized outputs) {
    this.a = a;
    this.g = outputs.rows();
    this.outputs = outputs;
  }

  @Override
  public Tensor squaredNorms() {
    Tensor inputs = Materialized.squares(a);
    Tensor derivatives = outputs.squaredNorms();
    Tensor huge = torch.maximum(inputs, derivatives).lt(new Scalar(LARGEST)).logical_not();
    return inputs.mul_(derivatives).masked_fill_(huge, new Scalar(Double.POSITIVE_INFINITY));
  }

  @Override
  public Tensor innerProducts(Tensor theta) {
    Tensor y = a.to(ScalarType.Double).matmul(theta.t()); // [B, p]
    return y.mul_(g.to(ScalarType.Double)).sum(1);
  }

  @Override
  public void discard(boolean[] unusable) {
    Finite.clear(a, unusable);
    Finite.clear(g, unusable);
  }

  @Override
  public Tensor weightedSum(Tensor weights) {
    Tensor scaled = g.mul(weights.to(g.scalar_type()).unsqueeze(1)); // [B, p]
    Tensor sum = Tensors.empty(a.scalar_type(), g.size(1), a.size(1));
    for (long from = 0; from < a.size(0); from += BLOCK) {
      long count = Math.min(BLOCK, a.size(0) - from);
      Tensor left = scaled.narrow(0, from, count).t(); // [p, count]
      Tensor right = a.narrow(0, from, count); // [count, d]
      if (from == 0) {
        torch.mm_out(sum, left, right);
      } else {
        sum.addmm_(left, right);
      }
    }
    return sum.reshape(-1);
  }
}
