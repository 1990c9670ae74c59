package org.sordino.torch;

import org.bytedeco.pytorch.Scalar;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.TensorVector;
import org.bytedeco.pytorch.global.torch;
import org.bytedeco.pytorch.global.torch.ScalarType;

/**
 * Gradients sum_t g_t a_t^T of a map that is used at T positions. They are never materialized: the
 * squared norm is the inner product of the Gram matrices, sum over t, t' of &lt;a_t, a_t'&gt;
 * &lt;g_t, g_t'&gt;. Terms of different positions may cancel, so everything is computed in float64,
 * and the bound includes a margin for rounding: with P = sum_t |a_t| |g_t|, c = d + p + T^2 + 8 and
 * u = 2^-53, the error of the computed square is at most c u P^2, and {@link #ROOM} times that is
 * added.
 *
 * <p>The margin also bounds the rounding error of the sum. A weight w keeps w sqrt(ROOM c u) P
 * within the bound S. Therefore w P is at most S / sqrt(ROOM c u), and the error of the float64 sum
 * over B T positions is at most gamma_(BT) B times that; see {@link #slack}.
 */
final class SequenceProducts implements RecordGradients {

  private static final double U = 0x1p-53;

  /**
   * The factor of the margin. It increases the squared norm by a fraction of 2^-43 c (P / norm)^2
   * and makes the rounding error of the sum negligible.
   */
  private static final double ROOM = 1 << 10;

  private final Tensor a; // [B, T, d]
  private final Tensor g; // [B, T, p]

  SequenceProducts(Tensor a, Tensor g) {
    this.a = a.to(ScalarType.Double);
    this.g = g.to(ScalarType.Double);
  }

  /**
   * Returns how much rounding in the sum may add to a record's contribution, relative to its bound:
   * with n records, gamma_(nT) n / sqrt(ROOM T^2 u), in which T cancels.
   *
   * @param records maximum number of records in a sum
   */
  static double slack(double records) {
    return 2 * records * records * Math.sqrt(U / ROOM);
  }

  private double roundings() {
    double t = a.size(1);
    return a.size(2) + g.size(2) + t * t + 8;
  }

  @Override
  public Tensor squaredNorms() {
    Tensor inputs = torch.bmm(a, a.transpose(1, 2)); // [B, T, T]
    Tensor outputs = torch.bmm(g, g.transpose(1, 2)); // [B, T, T]
    Tensor squares = inputs.mul_(outputs).sum(1, 2).clamp_min_(new Scalar(0.0));
    Tensor room = lengths().square_().mul_(new Scalar(ROOM * roundings() * U));
    return squares.add_(room).mul_(new Scalar(SQUARES));
  }

  /** Returns an upper bound on P for each record. */
  private Tensor lengths() {
    return Tensors.norms(a).mul_(Tensors.norms(g)).sum(1).mul_(new Scalar(SQUARES)); // [B]
  }

  @Override
  public Tensor innerProducts(Tensor theta) {
    Tensor y = Tensors.each(a, theta.t()); // [B, T, p]
    double room = 4 * roundings() * U * theta.norm().item_double();
    return y.mul_(g).sum(1, 2).add_(lengths().mul_(new Scalar(room)));
  }

  @Override
  public void discard(boolean[] unusable) {
    Finite.clear(a, unusable);
    Finite.clear(g, unusable);
  }

  @Override
  public Tensor weightedSum(Tensor weights) {
    long records = weights.size(0);
    Tensor scaled = g.narrow(0, 0, records).mul(weights.reshape(-1, 1, 1));
    Tensor left = scaled.reshape(-1, g.size(2)); // [records T, p]
    Tensor right = a.narrow(0, 0, records).reshape(-1, a.size(2)); // [records T, d]
    return left.t().mm(right).reshape(-1);
  }

  @Override
  public Tensor numbers(int record) {
    Tensor inputs = a.select(0, record).reshape(-1);
    return torch.cat(new TensorVector(inputs, g.select(0, record).reshape(-1)));
  }
}
