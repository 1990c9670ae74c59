package org.sordino.mechanism;

import java.util.List;

/**
 * The numbers for which the clipping rules are proven to hold whatever a record contains. A plan
 * outside is refused before any record is read. Below, u is 2^-53, S a bound, alpha a scale, and
 * every record has fewer than 2^31 numbers.
 *
 * <p><b>Records that are added one by one in float64</b> (linear models, users, microbatches,
 * metrics, private queries). S, alpha and gamma lie in [10^-30, 10^30], and gamma may also be 0.
 * {@link Clipping} covers rounding errors that are relative to a number. Squares below 2^-1022 also
 * have absolute errors, which it does not cover:
 *
 * <ul>
 *   <li>Each square is wrong by at most 2^-1075. Divided by alpha^2 >= 2^-200 and summed over 2^31
 *       numbers, this is less than 2^-843. A product with 1 / alpha^2 adds at most 2^-1075 per
 *       vector. If s is the norm of the scaled vectors and n the computed one, then s &lt;= n (1 +
 *       relative errors) + 2^-421.
 *   <li>Clipping: if w = 1, n is at most the lowered bound, which leaves S 16 u > 2^-149 for the
 *       2^-421. Otherwise n > S / 2 > 2^-101, and 2^-421 is less than 2^-320 of n.
 *   <li>Automatic clipping: w s &lt;= S (n + 2^-421) / (n + gamma) &lt;= S, because gamma >=
 *       2^-100. With gamma below 2^-421, s could exceed n + gamma by any factor.
 *   <li>No quotient overflows: w / unit is at most 2^200 2^240, because a unit is at least 2^-240.
 *       Squares that overflow are infinite, and the weight is 0.
 * </ul>
 *
 * <p>The learning rate of local training and the strength of weight decay need no range here. The
 * vector that they lead to is measured after it has been computed, and the measured numbers are
 * those that are added. If they are not finite, the record contributes nothing.
 *
 * <p><b>Standard deviations</b> sigma are 0 or lie in [10^-100, 10^100]. All (S / sigma)^2 are then
 * between 10^-260 and 10^260, and sigma alpha / unit is a normal number. The rounding errors in
 * equation (1) of McMahan &amp; Andrew are therefore relative, as {@link Mechanism} assumes, and
 * the conversion to units is exact.
 *
 * <p><b>Records that are added together in float32</b> (networks without users or microbatches;
 * their engines have a rounding slack above 0). Numbers below 2^-126 have absolute errors of up to
 * 2^-150. An engine ignores records with a vector, or a factor of an outer product, of norm 10^15
 * &lt; 2^50 or more.
 *
 * <ul>
 *   <li>In a vector with d numbers, for a layer with p outputs, absolute errors change the
 *       contribution of a record by at most 2^-150 (2^50 + sqrt(p) 2^50 + sqrt(d)): the weight
 *       times the vector; for outer products, the weighted output derivative times the input; and
 *       the products that are added. Sums have no such errors. All d together are below 2^31, so
 *       over all vectors, the root of the sum of squares is less than 2^-84.
 *   <li>At most 2^17 records share a sum, and it is compared with one other sum. The difference is
 *       at most 2^-66. S alpha >= 10^-12 > 2^-40 for every vector, so in the scaled norm it is less
 *       than 2^-26 S. The slack counts at least one rounding error of 2^-24 S per record and sum
 *       more than occur, which is more.
 *   <li>Squares that underflow are covered where they are computed: their largest sum is added.
 *   <li>w &lt;= max(1, S / gamma) &lt;= 10^20, and w times an output derivative below 10^15 does
 *       not overflow in float32. No other product exceeds S or 10^15.
 *   <li>The slack assumes units of at most 2^-28 S alpha. This holds if 4 population + 16 sigma / S
 *       is below 2^34.
 *   <li>The strength lambda of weight decay inside the clip is 0 or lies in [10^-30, 10^30]. The
 *       products of lambda with weights are then normal numbers.
 * </ul>
 */
final class ProvenRange {

  static final double LEAST = 1e-30;
  static final double LARGEST = 1e30;

  private static final double LEAST_DEVIATION = 1e-100;
  private static final double LARGEST_DEVIATION = 1e100;

  private static final double LEAST_IN_FLOAT32 = 1e-12;
  private static final double LARGEST_WEIGHT_IN_FLOAT32 = 1e20;
  private static final double LARGEST_UNIT_IN_FLOAT32 = 0x1p-28;

  private ProvenRange() {}

  static boolean contains(double value) {
    return value >= LEAST && value <= LARGEST;
  }

  /** Returns the smallest product of bound and scale for an engine with this rounding slack. */
  static double least(double slack) {
    return slack > 0 ? LEAST_IN_FLOAT32 : 0;
  }

  static void requireDeviation(VectorGroup group, double deviation) {
    if (!(deviation == 0 || deviation >= LEAST_DEVIATION && deviation <= LARGEST_DEVIATION)) {
      throw new IllegalArgumentException(
          "standard deviation of group "
              + group.name()
              + " must be 0 or in [1e-100, 1e100], got "
              + deviation
              + "; use another noise multiplier or bound");
    }
  }

  static void requireDecay(double lambda) {
    if (!(lambda == 0 || contains(lambda))) {
      throw new IllegalArgumentException(
          "weight decay inside the clip must be 0 or in [1e-30, 1e30], got " + lambda);
    }
  }

  /** Throws if the rule of a group is not proven for sums in float32. */
  static void requireFloat32(VectorGroup group) {
    List<Double> scales = group.scales();
    for (int k = 0; k < scales.size(); k++) {
      double bound = group.bound() * scales.get(k);
      if (!(bound >= LEAST_IN_FLOAT32)) {
        throw new IllegalArgumentException(
            "bound of group "
                + group.name()
                + " times the scale of vector "
                + group.vectors().get(k)
                + " must be at least 1e-12 for sums in float32, got "
                + bound
                + "; use a larger bound");
      }
    }
    if (group.gamma() > 0 && !(group.bound() / group.gamma() <= LARGEST_WEIGHT_IN_FLOAT32)) {
      throw new IllegalArgumentException(
          "gamma of group "
              + group.name()
              + " must be at least 1e-20 times the bound for sums in float32, got "
              + group.gamma()
              + "; use a larger gamma");
    }
  }

  /** Throws if the unit of an exact sum is too coarse for sums in float32. */
  static void requireFloat32(VectorGroup group, double bound, double unit) {
    if (!(unit <= LARGEST_UNIT_IN_FLOAT32 * bound)) {
      throw new IllegalArgumentException(
          "unit of the exact sums of group "
              + group.name()
              + " must be at most 2^-28 of the bound for sums in float32, got "
              + unit / bound
              + " of the bound; use less noise or a population below 2^31");
    }
  }
}
