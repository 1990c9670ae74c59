package org.sordino.torch;

import org.bytedeco.pytorch.Scalar;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch.ScalarType;

/**
 * Gradients written out, one row per record. What is measured is what is summed: rounding on the
 * way to a row is part of the record's vector. The norm of a row is found from those of pieces of
 * at most 128 numbers, each off by gamma_136 in float32, and the sum over pieces in float64.
 */
final class Materialised implements RecordGradients {

  private static final int PIECE = 128;

  /** Squares below 2^-149 vanish in float32. */
  private static final double UNDERFLOW = 0x1p-148;

  private final Tensor rows; // [B, n]

  Materialised(Tensor gradients) {
    this.rows = Tensors.rows(gradients);
  }

  @Override
  public Tensor squaredNorms() {
    long n = rows.size(1);
    long piece = Tensors.is(rows, ScalarType.Double) ? n : piece(n);
    Tensor values = piece == 1 ? rows.to(ScalarType.Double) : rows;
    Tensor pieces = values.reshape(rows.size(0), -1, piece == 1 ? n : piece);
    Tensor squares = Tensors.norms(pieces).to(ScalarType.Double).square_().sum(1);
    return squares
        .mul_(new Scalar(SQUARES * (1 + (PIECE + 8) * 0x1p-24)))
        .add_(new Scalar(n * UNDERFLOW));
  }

  /** The largest divisor of n up to 128, or 1 if there is none worth while. */
  private static long piece(long n) {
    for (long piece = Math.min(PIECE, n); piece >= 8; piece--) {
      if (n % piece == 0) {
        return piece;
      }
    }
    return 1;
  }

  @Override
  public Tensor innerProducts(Tensor theta) {
    return rows.to(ScalarType.Double).mv(theta.reshape(-1));
  }

  @Override
  public Tensor weightedSum(Tensor weights) {
    Tensor w = weights.to(rows.scalar_type());
    Tensor sum = block(w, 0);
    for (long from = BLOCK; from < rows.size(0); from += BLOCK) {
      sum.add_(block(w, from));
    }
    return sum;
  }

  private Tensor block(Tensor w, long from) {
    long count = Math.min(BLOCK, rows.size(0) - from);
    return rows.narrow(0, from, count).t().mv(w.narrow(0, from, count));
  }
}
