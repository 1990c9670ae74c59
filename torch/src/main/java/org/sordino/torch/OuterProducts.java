package org.sordino.torch;

import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;
import org.bytedeco.pytorch.global.torch.ScalarType;

/**
 * Gradients g a^T of a linear map with one position: |g a^T| = |g| |a|, without a cancelling term.
 */
final class OuterProducts implements RecordGradients {

  /** So many bytes of a sum are worked on at a time. */
  private static final long CACHED = 1 << 20;

  private final Tensor a; // [B, d]
  private final Tensor g; // [B, p]

  OuterProducts(Tensor a, Tensor g) {
    this.a = a;
    this.g = g;
  }

  @Override
  public Tensor squaredNorms() {
    return Materialised.squares(a).mul_(Materialised.squares(g));
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
    Tensor sum = Tensors.empty(a.scalar_type(), g.size(1) * a.size(1));
    weightedSum(weights, (from, part) -> sum.narrow(0, from, part.numel()).copy_(part));
    return sum;
  }

  @Override
  public void weightedSum(Tensor weights, Parts parts) {
    Tensor scaled = g.mul(weights.to(g.scalar_type()).unsqueeze(1)); // [B, p]
    long p = g.size(1);
    long d = a.size(1);
    long few = Math.min(p, Math.max(1, CACHED / (d * a.element_size())));
    Tensor some = Tensors.empty(a.scalar_type(), few, d);
    for (long row = 0; row < p; row += few) {
      long count = Math.min(few, p - row);
      Tensor rows = some.narrow(0, 0, count);
      product(scaled.narrow(1, row, count), rows);
      parts.add(Math.toIntExact(row * d), rows.view(-1));
    }
  }

  private void product(Tensor scaled, Tensor rows) {
    for (long from = 0; from < a.size(0); from += BLOCK) {
      long count = Math.min(BLOCK, a.size(0) - from);
      Tensor left = scaled.narrow(0, from, count).t(); // [rows, count]
      Tensor right = a.narrow(0, from, count); // [count, d]
      if (from == 0) {
        torch.mm_out(rows, left, right);
      } else {
        rows.addmm_(left, right);
      }
    }
  }
}
