package org.sordino.torch;

import org.bytedeco.pytorch.Tensor;

/**
 * The element order of a gradient if it differs from that of the parameter.
 *
 * @param dims shape of the gradient in its current order
 * @param axes for each axis of the parameter, the corresponding axis in {@code dims}
 */
record Order(long[] dims, long[] axes) {

  /** Returns the order of the parameter itself. */
  static Order same(long size) {
    return new Order(new long[] {size}, new long[] {0});
  }

  /** Returns a gradient in the order of the parameter, flattened. */
  Tensor parameter(Tensor gradient) {
    return gradient.reshape(dims).permute(axes).reshape(-1);
  }

  /** Returns a parameter in the order of the gradient, in the shape {@link #dims}. */
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
