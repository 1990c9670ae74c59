package org.sordino.torch;

import java.util.List;

/**
 * A custom layer in plain Java, written for one record at a time. {@link #backward} is its
 * per-example gradient rule: the engine computes the gradient of each record separately and
 * measures the result, so a wrong derivative may harm training but cannot violate the clipping
 * bound. Custom layers are slower than the built-in ones, but can compute any function of a record.
 *
 * <p>Implementations must be stateless, because several threads call them. An architecture refers
 * to them by name: {@code {"type": "own", "layer": "my-layer"}}.
 */
public interface CustomLayer {

  /**
   * One parameter tensor.
   *
   * @param name name such as {@code weight}
   * @param dims shape
   * @param halfWidth initial values are uniform in [-halfWidth, halfWidth]
   */
  @SuppressWarnings("ArrayRecordComponent") // a shape, only read
  record Tensor(String name, long[] dims, double halfWidth) {}

  /** Returns the shape of the output; throws IllegalArgumentException if the input does not fit. */
  int[] output(int[] input);

  /** Returns the parameters, at least one. */
  List<Tensor> parameters(int[] input);

  /**
   * Computes the output of one record.
   *
   * @param x input, in row-major order
   * @param parameters values in the order of {@link #parameters}
   * @param y array to fill with the output
   */
  void forward(float[] x, float[][] parameters, float[] y);

  /**
   * Computes the derivatives of one record's loss.
   *
   * @param x input
   * @param parameters values in the order of {@link #parameters}
   * @param gy derivative with respect to y
   * @param gx array to fill with the derivative with respect to x
   * @param gParameters arrays to fill with the derivatives with respect to the parameters
   */
  void backward(float[] x, float[][] parameters, float[] gy, float[] gx, float[][] gParameters);
}
