package org.sordino.torch;

import java.util.List;

/**
 * A layer written by the user, one record at a time, in plain Java. Its {@link #backward} is its
 * per-example rule: the engine asks it for the gradient of each record by itself and measures what
 * it gets, so that a wrong derivative may spoil the learning but never the bound. It is slower than
 * the layers that come along, and always works.
 *
 * <p>Implementations have no state and are called by several threads. An architecture refers to
 * them by a name: {@code {"type": "own", "layer": "my-layer"}}.
 */
public interface OwnLayer {

  /**
   * One parameter tensor.
   *
   * @param name such as {@code weight}
   * @param dims its shape
   * @param halfWidth first values are uniform in [-halfWidth, halfWidth]
   */
  @SuppressWarnings("ArrayRecordComponent") // a shape, only read
  record Tensor(String name, long[] dims, double halfWidth) {}

  /** The shape that comes out; throws IllegalArgumentException if the input does not fit. */
  int[] output(int[] input);

  /** The parameters, at least one. */
  List<Tensor> parameters(int[] input);

  /**
   * Computes one record.
   *
   * @param x the input, row by row
   * @param parameters in the order of {@link #parameters}
   * @param y to be filled
   */
  void forward(float[] x, float[][] parameters, float[] y);

  /**
   * The derivatives of one record.
   *
   * @param x the input
   * @param parameters in the order of {@link #parameters}
   * @param gy the derivative of the record's loss by y
   * @param gx to be filled with that by x
   * @param gParameters to be filled with that by the parameters
   */
  void backward(float[] x, float[][] parameters, float[] gy, float[] gx, float[][] gParameters);
}
