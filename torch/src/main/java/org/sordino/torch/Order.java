package org.sordino.torch;

import org.bytedeco.pytorch.Tensor;

/**
 * The order of the numbers of a gradient, where it is not that of the parameter.
 *
 * @param dims the shape of a gradient as it is
 * @param axes which of these axes are those of the parameter
 */
record Order(long[] dims, long[] axes) {

  /** As the parameter has it. */
  static Order same(long size) {
    return new Order(new long[] {size}, new long[] {0});
  }

  /** A gradient in the order of the parameter, flat. */
  Tensor parameter(Tensor gradient) {
    return gradient.reshape(dims).permute(axes).reshape(-1);
  }

  /** A parameter in the order of the gradient; of the shape {@link #dims}. */
  Tensor row(Tensor parameter) {
    long[] shape = new long[axes.length];
    long[] inverse = new long[axes.length];
    for (int k = 0; k < axes.length; k++) {
      shape[k] = dims[(int) axes[k]];
      inverse[(int) axes[k]] = k;
    }
    return parameter.reshape(shape).permute(inverse);
  }
}
