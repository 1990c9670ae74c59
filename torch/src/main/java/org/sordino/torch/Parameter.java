package org.sordino.torch;

import org.sordino.mechanism.Layout;
import org.sordino.random.RandomStream;

/**
 * One parameter tensor of a layer.
 *
 * @param name name such as {@code conv1.weight}
 * @param dims shape, as in PyTorch
 * @param init distribution of the initial values
 * @param scale half-width, standard deviation or constant, depending on {@code init}
 * @param role whether the tensor is trained or is a moving average over the data
 */
record Parameter(String name, long[] dims, Init init, double scale, Layout.Role role) {

  /** Distribution of initial values; the scales are the defaults of PyTorch. */
  enum Init {
    UNIFORM,
    NORMAL,
    CONSTANT
  }

  static Parameter uniform(String name, double halfWidth, long... dims) {
    return new Parameter(name, dims, Init.UNIFORM, halfWidth, Layout.Role.GRADIENT);
  }

  static Parameter normal(String name, double deviation, long... dims) {
    return new Parameter(name, dims, Init.NORMAL, deviation, Layout.Role.GRADIENT);
  }

  static Parameter constant(String name, double value, long... dims) {
    return new Parameter(name, dims, Init.CONSTANT, value, Layout.Role.GRADIENT);
  }

  /** Returns a moving average of a statistic of the data, with its initial value. */
  static Parameter following(String name, double value, long... dims) {
    return new Parameter(name, dims, Init.CONSTANT, value, Layout.Role.MOVING_AVERAGE);
  }

  /** Returns the number of elements. */
  int size() {
    long size = 1;
    for (long dim : dims) {
      size = Math.multiplyExact(size, dim);
    }
    if (size > Integer.MAX_VALUE - 8) {
      throw new IllegalArgumentException(
          name + " must have fewer than 2^31 numbers, got " + size + "; make the layer smaller");
    }
    return (int) size;
  }

  /** Draws initial values. */
  void fill(RandomStream stream, double[] theta, int offset) {
    int end = offset + size();
    for (int i = offset; i < end; i++) {
      theta[i] =
          switch (init) {
            case UNIFORM -> scale * (2 * stream.nextDouble() - 1);
            case NORMAL -> scale * normal(stream);
            case CONSTANT -> scale;
          };
    }
  }

  /** Box-Muller transform. These values are public, so nothing depends on their last bits. */
  private static double normal(RandomStream stream) {
    double radius = Math.sqrt(-2 * Math.log(1 - stream.nextDouble()));
    return radius * Math.cos(2 * Math.PI * stream.nextDouble());
  }
}
