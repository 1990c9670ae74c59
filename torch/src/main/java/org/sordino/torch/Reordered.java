package org.sordino.torch;

import org.bytedeco.pytorch.Tensor;

/**
 * Gradients whose order is that of a convolution's patches, given back in that of its weights.
 *
 * @param order [p, kh, kw, c]
 */
record Reordered(RecordGradients gradients, long[] order) implements RecordGradients {

  @Override
  public Tensor squaredNorms() {
    return gradients.squaredNorms();
  }

  @Override
  public Tensor innerProducts(Tensor theta) {
    return gradients.innerProducts(
        theta
            .reshape(order[0], order[3], order[1], order[2])
            .permute(0, 2, 3, 1)
            .reshape(order[0], -1));
  }

  @Override
  public Tensor weightedSum(Tensor weights) {
    return gradients.weightedSum(weights).reshape(order).permute(0, 3, 1, 2).reshape(-1);
  }
}
