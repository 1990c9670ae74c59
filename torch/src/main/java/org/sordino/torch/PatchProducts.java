package org.sordino.torch;

import org.bytedeco.javacpp.FloatPointer;
import org.bytedeco.pytorch.Scalar;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.TensorVector;
import org.bytedeco.pytorch.global.torch;
import org.bytedeco.pytorch.global.torch.ScalarType;

/**
 * Gradients of a convolution with many weights and few positions. They are written out one at a
 * time, and only to be added; their norms come from Gram matrices, as in {@link SequenceProducts},
 * but that of the patches from that of the pixels: the inner product of two patches is the sum,
 * over the places of the kernel, of those of the pixels that lie there.
 *
 * <p><b>Rounding.</b> In float64, with P = sum_t |a_t| |g_t|, u = 2^-53 and k places, the computed
 * square is off by at most c u P^2, c = C + k + p + T^2 + 8: a pixel product has C roundings, a
 * patch product k more, an output product p, and their product is summed over T^2 pairs. What is
 * added is the gradient in float32, each number of it a sum over T positions, and so off by at most
 * gamma_(T+1) P in norm, u = 2^-24. Both are added to the norm, so a record whose positions cancel
 * stays within its bound.
 */
final class PatchProducts implements RecordGradients {

  private static final double U = 0x1p-53;
  private static final double UNDERFLOW = 0x1p-140;

  /** With more, the room for the rounding of the gradient becomes visible. */
  private static final int MOST_POSITIONS = 25;

  private final MovedImages images;

  PatchProducts(MovedImages images) {
    this.images = images;
  }

  /**
   * Whether it is faster than to write all gradients out and read them again; by shapes only, so
   * that a resumed run makes the same choice.
   */
  static boolean pay(MovedImages images, double p) {
    double pixels = images.pixels().size(1);
    double t = images.positions();
    double products = pixels * pixels * images.channels() + t * t * (images.places() + p);
    return t <= MOST_POSITIONS && products < 4 * images.size();
  }

  @Override
  public Tensor squaredNorms() {
    int t = images.positions();
    Tensor x = images.pixels().to(ScalarType.Double);
    Tensor g = images.outputs().to(ScalarType.Double);
    Tensor patches = images.patches(torch.bmm(x, x.transpose(1, 2))); // [B, T, T]
    Tensor outputs = torch.bmm(g, g.transpose(1, 2)); // [B, T, T]
    Tensor lengths = roots(patches).mul_(roots(outputs)).sum(1).mul_(new Scalar(SQUARES)); // P
    double c = images.channels() + images.places() + g.size(2) + (double) t * t + 8;
    return patches
        .mul_(outputs)
        .sum(1, 2)
        .clamp_min_(new Scalar(0.0))
        .add_(lengths.square().mul_(new Scalar(c * U)))
        .sqrt_()
        .add_(lengths.mul_(new Scalar((t + 8) * 0x1p-24)))
        .square_()
        .mul_(new Scalar(SQUARES))
        .add_(new Scalar(images.size() * UNDERFLOW));
  }

  /** Norms, from the diagonals of Gram matrices. */
  private static Tensor roots(Tensor gram) {
    return gram.diagonal(0, 1, 2).sqrt();
  }

  @Override
  public Tensor innerProducts(Tensor theta) {
    Tensor row = torch.empty(1, images.size());
    FloatPointer place = row.data_ptr_float();
    TensorVector products = new TensorVector();
    for (int i = 0; i < images.records(); i++) {
      images.write(i, place, 0);
      products.push_back(row.to(ScalarType.Double).mv(theta.reshape(-1)));
    }
    return torch.cat(products);
  }

  @Override
  public void discard(boolean[] unusable) {
    images.discard(unusable);
  }

  @Override
  public Tensor weightedSum(Tensor weights) {
    double[] w = Tensors.doubles(weights);
    Tensor row = torch.empty(images.size());
    FloatPointer place = row.data_ptr_float();
    Tensor sum = torch.zeros(images.size());
    for (int from = 0; from < w.length; from += BLOCK) {
      Tensor block = from == 0 ? sum : torch.zeros(images.size());
      for (int i = from; i < Math.min(w.length, from + BLOCK); i++) {
        images.write(i, place, 0);
        block.add_(row, new Scalar((float) w[i]));
      }
      if (from > 0) {
        sum.add_(block);
      }
    }
    return sum;
  }
}
