package org.sordino.torch;

import org.bytedeco.pytorch.Tensor;

/**
 * The gradients of one parameter tensor, one per record of a batch, in a representation that makes
 * their norms and their weighted sum cheap to compute.
 *
 * <p><b>Rounding.</b> The bound on a record must hold for the numbers that are actually summed. An
 * implementation therefore either measures exactly the numbers that it sums (a record's
 * contribution is w times the measured vector), or adds an upper bound on the difference to the
 * norm. u is the unit round-off of the arithmetic, gamma_n = n u / (1 - n u) the bound on the
 * relative error of n roundings (Higham, <i>Accuracy and Stability of Numerical Algorithms</i>,
 * 2002, chapter 3), for any order of summation.
 */
interface RecordGradients {

  /**
   * Margin for sums of squares in float64 and a few roundings in float32: (2^31 + 8) 2^-53 + 8
   * 2^-24.
   */
  double SQUARES = 1 + 0x1p-20;

  /** A record contributes nothing unless its squared norm is below this limit. */
  double LARGEST = 1e30;

  /**
   * Number of records summed in one pass in float32, which limits the accumulation of rounding
   * errors.
   */
  int BLOCK = 64;

  /**
   * Returns upper bounds on the squared norms: [B], float64, padding included. If an element of a
   * record's gradient is not finite or not below {@link #LARGEST}, neither is the bound.
   */
  Tensor squaredNorms();

  /**
   * Returns upper bounds on the inner products with the parameter: [B], float64.
   *
   * @param theta parameter in float64, in the shape of its layer
   */
  Tensor innerProducts(Tensor theta);

  /**
   * Overwrites gradients with zeros, because 0 * NaN is NaN and would corrupt the sum. The amount
   * of memory written does not depend on the records.
   *
   * @param unusable true for each record to overwrite; padding is not included
   */
  void discard(boolean[] unusable);

  /**
   * Returns the weighted sum of the gradients.
   *
   * @param weights one weight per record, float64; rows beyond them are padding and not added
   * @return one number per element of the parameter, in its order
   */
  Tensor weightedSum(Tensor weights);

  /**
   * Returns all numbers of a record from which {@link #weightedSum} computes its contribution, in
   * any order. {@link TapeCheck} compares them.
   */
  Tensor numbers(int record);
}
