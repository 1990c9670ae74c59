package org.sordino;

/**
 * The neighboring relation: the pairs of data sets that a guarantee compares.
 *
 * <p>In both relations a <em>record</em> is the protected unit (an example, a microbatch, a user).
 */
public enum Neighboring {
  /**
   * One data set contains one record more than the other. This is the default, and the relation
   * used in papers on DP-SGD.
   */
  ADD_OR_REMOVE_ONE,

  /**
   * Both data sets have the same number of records and differ in one of them. Replacing a record of
   * norm S by its negative changes a sum by 2 S, so, with the same noise, epsilon is about twice as
   * large.
   */
  REPLACE_ONE
}
