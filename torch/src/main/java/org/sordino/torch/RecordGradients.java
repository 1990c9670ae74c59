package org.sordino.torch;

import org.bytedeco.pytorch.Tensor;

/**
 * The gradients of one parameter tensor, one per record of a batch, in whatever form makes their
 * norms and their weighted sum cheap.
 *
 * <p><b>Rounding.</b> What bounds a record must hold for the numbers that are really summed. A form
 * therefore either measures the very numbers that it sums (a record's contribution is w times the
 * measured vector), or adds to the norm what the difference can amount to. u is the unit round-off
 * of the arithmetic, gamma_n = n u / (1 - n u) the bound on the relative error of n roundings
 * (Higham, <i>Accuracy and Stability of Numerical Algorithms</i>, 2002, chapter 3), for any order
 * of summation.
 */
interface RecordGradients {

  /** For sums of squares in float64, and a few roundings in float32: (2^31 + 8) 2^-53 + 8 2^-24. */
  double SQUARES = 1 + 0x1p-20;

  /** A record with a squared norm that is not below contributes nothing. */
  double LARGEST = 1e30;

  /** This many records are summed in one go in float32, so that roundings do not pile up. */
  int BLOCK = 64;

  /**
   * Upper bounds on the squared norms: [B], float64. Not finite, or not below {@link #LARGEST},
   * where a number of the record's gradient is.
   */
  Tensor squaredNorms();

  /**
   * Upper bounds on the inner products with the parameter: [B], float64.
   *
   * @param theta the parameter in float64, as its layer shapes it
   */
  Tensor innerProducts(Tensor theta);

  /**
   * Overwrites gradients with zeros, because 0 * NaN is NaN and would spoil the sum of the others.
   * Whatever the records are, as much memory is written.
   *
   * @param unusable which records
   */
  void discard(boolean[] unusable);

  /**
   * The sum of the gradients, each times its weight.
   *
   * @param weights [B], float64
   * @return as many numbers as the parameter has, in its order
   */
  Tensor weightedSum(Tensor weights);
}
