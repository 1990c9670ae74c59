package org.sordino;

/**
 * Which pairs of data sets must look alike: the meaning of "one record" in a guarantee.
 *
 * <p>In both relations a <em>record</em> is the protected unit (an example, a microbatch, a user).
 */
public enum Neighboring {
  /**
   * One data set has one record more than the other. The default, and what papers on DP-SGD use.
   */
  ADD_OR_REMOVE_ONE,

  /**
   * Both have the same number of records and differ in one. A record of norm S replaced by its
   * opposite moves a sum by 2 S, so at the same noise this costs about twice the epsilon.
   */
  REPLACE_ONE
}
