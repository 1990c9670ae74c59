package org.sordino.torch;

import org.bytedeco.pytorch.Scalar;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.TensorVector;
import org.bytedeco.pytorch.global.torch;
import org.bytedeco.pytorch.global.torch.ScalarType;
import org.jspecify.annotations.Nullable;

/**
 * Materialized gradients, one row per record. The measured numbers are the summed numbers, so
 * rounding in the computation of a row is part of the record's vector. The norm of a row is
 * computed from the norms of pieces of at most 128 numbers, each with an error of up to gamma_136
 * in float32; the pieces are summed in float64.
 */
final class Materialized implements RecordGradients {

  private static final int PIECE = 128;

  /** Squares below 2^-149 underflow in float32. */
  private static final double UNDERFLOW = 0x1p-148;

  /** Bytes of rows that are converted together, so that they are still in the cache. */
  private static final long CONVERTED = 1 << 20;

  private final Tensor rows; // [B, n]
  private @Nullable Tensor squares; // computed on first use

  Materialized(Tensor gradients) {
    this.rows = Tensors.rows(gradients).contiguous();
  }

  @Override
  public Tensor squaredNorms() {
    if (squares == null) {
      squares = squares(rows);
    }
    return squares;
  }

  Tensor rows() {
    return rows;
  }

  @Override
  public void discard(boolean[] unusable) {
    Finite.clear(rows, unusable);
  }

  /** Returns upper bounds on the squared norms of rows. */
  static Tensor squares(Tensor rows) {
    long n = rows.size(1);
    long piece = Tensors.is(rows, ScalarType.Double) ? 1 : piece(n);
    if (piece == 1) {
      return Tensors.norms(rows.to(ScalarType.Double)).square_().mul_(new Scalar(SQUARES));
    }
    Tensor pieces = rows.reshape(rows.size(0), -1, piece);
    return Tensors.norms(pieces)
        .to(ScalarType.Double)
        .square_()
        .sum(1)
        .mul_(new Scalar(SQUARES * (1 + (piece + 8) * 0x1p-24)))
        .add_(new Scalar(n * UNDERFLOW));
  }

  /** Returns the largest divisor of n from 8 to 128, or 1 if n has no such divisor. */
  private static long piece(long n) {
    for (long piece = Math.min(PIECE, n); piece >= 8; piece--) {
      if (n % piece == 0) {
        return piece;
      }
    }
    return 1;
  }

  /** Returns the number of rows that stay in the cache. */
  private static int few(Tensor rows) {
    return (int) Math.max(1, CONVERTED / (rows.size(1) * rows.element_size()));
  }

  @Override
  public Tensor innerProducts(Tensor theta) {
    TensorVector products = new TensorVector();
    int few = few(rows);
    for (long from = 0; from < rows.size(0); from += few) {
      Tensor some = rows.narrow(0, from, Math.min(few, rows.size(0) - from));
      Tensor values = some.to(ScalarType.Double).unsqueeze(1); // [few, 1, n]
      products.push_back(Tensors.each(values, theta.reshape(-1, 1)).reshape(-1));
    }
    return torch.cat(products);
  }

  @Override
  public Tensor weightedSum(Tensor weights) {
    Tensor w = weights.to(rows.scalar_type());
    Tensor sum = block(w, 0);
    for (long from = BLOCK; from < w.size(0); from += BLOCK) {
      sum.add_(block(w, from));
    }
    return sum;
  }

  private Tensor block(Tensor w, long from) {
    long count = Math.min(BLOCK, w.size(0) - from);
    return rows.narrow(0, from, count).t().mv(w.narrow(0, from, count));
  }

  @Override
  public Tensor numbers(int record) {
    return rows.select(0, record);
  }
}
