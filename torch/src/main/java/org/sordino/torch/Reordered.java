package org.sordino.torch;

import org.bytedeco.pytorch.Tensor;

/**
 * Gradients in another order than that of the parameter, which is [p, c, kh, kw].
 *
 * @param dims the shape of a gradient as it is
 * @param axes which of these axes are those of the parameter
 */
record Reordered(RecordGradients gradients, long[] dims, long[] axes) implements RecordGradients {

  @Override
  public Tensor squaredNorms() {
    return gradients.squaredNorms();
  }

  @Override
  public Tensor innerProducts(Tensor theta) {
    long[] shape = new long[axes.length];
    long[] inverse = new long[axes.length];
    for (int k = 0; k < axes.length; k++) {
      shape[k] = dims[(int) axes[k]];
      inverse[(int) axes[k]] = k;
    }
    Tensor same = theta.reshape(shape).permute(inverse);
    return gradients.innerProducts(same.reshape(dims[0], -1));
  }

  @Override
  public void discard(boolean[] unusable) {
    gradients.discard(unusable);
  }

  @Override
  public Tensor weightedSum(Tensor weights) {
    return gradients.weightedSum(weights).reshape(dims).permute(axes).reshape(-1);
  }
}
