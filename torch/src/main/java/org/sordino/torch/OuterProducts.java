package org.sordino.torch;

import org.bytedeco.pytorch.Scalar;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.TensorVector;
import org.bytedeco.pytorch.global.torch;
import org.bytedeco.pytorch.global.torch.ScalarType;
import org.sordino.torch.Tensors.Matrix;

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
    this.a = a.contiguous();
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
    Tensor y = Tensors.each(a.to(ScalarType.Double).unsqueeze(1), theta.t()).squeeze(1); // [B, p]
    return y.mul_(g.to(ScalarType.Double)).sum(1);
  }

  @Override
  public void discard(boolean[] unusable) {
    Finite.clear(a, unusable);
    Finite.clear(g, unusable);
  }

  @Override
  public Tensor weightedSum(Tensor weights) {
    long records = weights.size(0);
    Tensor w = weights.to(g.scalar_type()).unsqueeze(1);
    Tensor scaled = g.narrow(0, 0, records).mul(w); // [records, p]
    if (Tensors.is(a, ScalarType.Double)) {
      return scaled.t().mm(a.narrow(0, 0, records)).reshape(-1);
    }
    int outputs = Math.toIntExact(g.size(1));
    int inputs = Math.toIntExact(a.size(1));
    Tensor sum = torch.empty(outputs, inputs);
    for (long from = 0; from < records; from += BLOCK) {
      long count = Math.min(BLOCK, records - from);
      Tensors.multiply(
          Matrix.of(scaled.narrow(0, from, count), true),
          Matrix.of(a.narrow(0, from, count), false),
          Matrix.of(sum, false),
          outputs,
          Math.toIntExact(count),
          inputs,
          from > 0);
    }
    return sum.reshape(-1);
  }

  @Override
  public Tensor numbers(int record) {
    return torch.cat(new TensorVector(a.select(0, record), g.select(0, record)));
  }
}
