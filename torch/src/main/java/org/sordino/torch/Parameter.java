package org.sordino.torch;

import org.sordino.random.RandomStream;

/**
 * One parameter tensor of a layer.
 *
 * @param name such as {@code conv1.weight}
 * @param dims its shape, as PyTorch has it
 * @param init how its first value is drawn
 * @param scale the half width, the deviation, or the constant itself
 */
record Parameter(String name, long[] dims, Init init, double scale) {

  /** How a first value is drawn; the scales are PyTorch's defaults. */
  enum Init {
    UNIFORM,
    NORMAL,
    CONSTANT
  }

  static Parameter uniform(String name, double halfWidth, long... dims) {
    return new Parameter(name, dims, Init.UNIFORM, halfWidth);
  }

  static Parameter constant(String name, double value, long... dims) {
    return new Parameter(name, dims, Init.CONSTANT, value);
  }

  /** How many numbers it has. */
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

  /** Draws first values. */
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

  /** Box and Muller; these values are public, so nothing depends on their last bits. */
  private static double normal(RandomStream stream) {
    double radius = Math.sqrt(-2 * Math.log(1 - stream.nextDouble()));
    return radius * Math.cos(2 * Math.PI * stream.nextDouble());
  }
}
