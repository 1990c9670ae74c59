package org.sordino.torch;

import org.bytedeco.pytorch.Scalar;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.TensorOptions;
import org.bytedeco.pytorch.TensorVector;
import org.bytedeco.pytorch.global.torch;
import org.bytedeco.pytorch.global.torch.ScalarType;

/**
 * Gradients of an embedding: position t adds g_t to the row of its token. A token may occur at
 * several positions, so the squared norm is the sum of &lt;g_t, g_t'&gt; over all pairs of
 * positions with equal tokens. These terms may cancel; the margin for rounding is that of {@link
 * SequenceProducts}.
 */
final class EmbeddingRows implements RecordGradients {

  private static final double U = 0x1p-53;
  private static final double ROOM = 1 << 10;

  private final Tensor tokens; // [B, T]
  private final Tensor g; // [B, T, d]
  private final long vocabulary;

  EmbeddingRows(Tensor tokens, Tensor g, long vocabulary) {
    this.tokens = tokens;
    this.g = g.to(ScalarType.Double);
    this.vocabulary = vocabulary;
  }

  private double roundings() {
    double t = g.size(1);
    return g.size(2) + t * t + 8;
  }

  @Override
  public Tensor squaredNorms() {
    Tensor equal = tokens.unsqueeze(1).eq(tokens.unsqueeze(2)).to(ScalarType.Double); // [B, T, T]
    Tensor gram = torch.bmm(g, g.transpose(1, 2)); // [B, T, T]
    Tensor squares = gram.mul_(equal).sum(1, 2).clamp_min_(new Scalar(0.0));
    Tensor room = lengths().square_().mul_(new Scalar(ROOM * roundings() * U));
    return squares.add_(room).mul_(new Scalar(SQUARES));
  }

  private Tensor lengths() {
    return Tensors.norms(g).sum(1).mul_(new Scalar(SQUARES)); // [B]
  }

  @Override
  public Tensor innerProducts(Tensor theta) {
    Tensor y = theta.index_select(0, tokens.reshape(-1)).reshape_as(g); // [B, T, d]
    double room = 4 * roundings() * U * theta.norm().item_double();
    return y.mul_(g).sum(1, 2).add_(lengths().mul_(new Scalar(room)));
  }

  @Override
  public void discard(boolean[] unusable) {
    Finite.clear(g, unusable);
  }

  @Override
  public Tensor weightedSum(Tensor weights) {
    long records = weights.size(0);
    Tensor scaled = g.narrow(0, 0, records).mul(weights.reshape(-1, 1, 1));
    long[] dims = {vocabulary, g.size(2)};
    Tensor sum = torch.zeros(dims, new TensorOptions(ScalarType.Double));
    Tensor rows = tokens.narrow(0, 0, records).reshape(-1);
    return sum.index_add_(0, rows, scaled.reshape(-1, g.size(2))).reshape(-1);
  }

  @Override
  public Tensor numbers(int record) {
    return torch.cat(
        new TensorVector(
            tokens.select(0, record).to(ScalarType.Double), g.select(0, record).reshape(-1)));
  }
}
