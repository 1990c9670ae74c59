package org.sordino.accounting;

import static org.sordino.accounting.Bracket.U;

import java.util.ArrayList;
import java.util.List;
import org.sordino.Neighboring;

/**
 * The smallest mu, rounded up, for which a mechanism is mu-GDP except for a given share of delta:
 *
 * <pre>
 *   delta(epsilon) - share &lt;= deltaGauss(epsilon, mu)      for all epsilon &gt;= 0
 * </pre>
 *
 * <p>The condition is checked on cells that cover all epsilons where delta exceeds the share. With
 * a = e^epsilon, both sides are convex in a. In each cell, the chord through certified upper values
 * at both ends bounds the left side, and the tangent in the middle bounds the right side. Both are
 * linear, so it suffices to compare them at the ends of the cell. Every rounding is outward.
 */
final class GaussianBound {

  /** Cells are halved until delta falls by at most this fraction from one end to the other. */
  private static final double LARGEST_FALL = 0.1;

  /** Cells are halved until they are at most this wide, because e^epsilon grows so fast. */
  private static final double LARGEST_WIDTH = 0.25;

  /** Numbers of cells beyond which they are not halved: for width and for the fall of delta. */
  private static final double MAX_CELLS = 500;

  private static final double MAX_FINE_CELLS = 1e5;

  /** Resolution of mu, relative. */
  private static final double RESOLUTION = 1e-7;

  /** Mechanisms beyond this are not private in any useful sense, and mu is infinite. */
  private static final double LARGEST_MU = 1e4;

  private static final double SMALLEST_MU = 1e-12;

  private final double share;

  /** An epsilon where delta is at most the share. */
  private final double last;

  private final List<Node> nodes = new ArrayList<>();

  /**
   * An epsilon and an upper bound of delta there.
   *
   * @param epsilon end of one or two cells
   * @param delta at least delta(epsilon)
   */
  private record Node(double epsilon, double delta) {}

  private GaussianBound(double share, double last) {
    this.share = share;
    this.last = last;
  }

  /**
   * Returns mu of these steps under a neighboring relation, rounded up; infinite if nothing can be
   * certified. Both directions count: if the condition holds in both for epsilon &gt;= 0, it also
   * holds in both for negative epsilon, because H_a(P||Q) = 1 - a + a H_(1/a)(Q||P).
   *
   * @param steps at least one, all with noise
   * @param share above 0 and below 1
   */
  static double mu(List<Step> steps, Neighboring neighboring, double share) {
    return Direction.of(neighboring).parallelStream()
        .mapToDouble(direction -> mu(new UpperCurve(steps, neighboring, direction), share))
        .max()
        .orElseThrow();
  }

  private static double mu(UpperCurve curve, double share) {
    double last = curve.epsilon(share);
    if (last == 0 || last == Double.POSITIVE_INFINITY) {
      return last; // delta never exceeds the share, or nothing is known
    }
    GaussianBound bound = new GaussianBound(share, last);
    Node left = new Node(0, curve.delta(0));
    bound.nodes.add(left);
    bound.add(curve, left, new Node(last, share));

    return bound.mu();
  }

  /** Returns the smallest mu for which the condition is certified, up to the resolution. */
  private double mu() {
    double high = 1;
    while (!isAbove(high)) {
      high *= 2;
      if (high > LARGEST_MU) {
        return Double.POSITIVE_INFINITY;
      }
    }
    double low = high / 2;
    while (isAbove(low) && low > SMALLEST_MU) {
      high = low;
      low /= 2;
    }
    while (high - low > RESOLUTION * high) {
      double middle = (low + high) / 2;
      if (isAbove(middle)) {
        high = middle;
      } else {
        low = middle;
      }
    }
    return high;
  }

  /** Adds the right ends of all cells from {@code left} to {@code right}. */
  private void add(UpperCurve curve, Node left, Node right) {
    double width = right.epsilon - left.epsilon;
    boolean flat = right.delta >= (1 - LARGEST_FALL) * left.delta;
    boolean narrow = width <= Math.max(LARGEST_WIDTH, last / MAX_CELLS);
    if (flat && narrow || width <= last / MAX_FINE_CELLS) {
      nodes.add(right);
      return;
    }
    double epsilon = (left.epsilon + right.epsilon) / 2;
    Node middle = new Node(epsilon, Math.min(left.delta, curve.delta(epsilon)));
    add(curve, left, middle);
    add(curve, middle, right);
  }

  /** Returns whether a Gaussian mechanism with this mu is certified to satisfy the condition. */
  private boolean isAbove(double mu) {
    for (int i = 1; i < nodes.size(); i++) {
      Node left = nodes.get(i - 1);
      Node right = nodes.get(i);
      if (!isAbove(left.epsilon, excess(left), right.epsilon, excess(right), mu)) {
        return false;
      }
    }
    return true;
  }

  private double excess(Node node) {
    return Math.nextUp(node.delta - share);
  }

  /**
   * Returns whether deltaGauss is certified to be above the chord of one cell, by its tangent in
   * the middle.
   *
   * @param left left end of the cell
   * @param atLeft value of the chord there
   * @param right right end of the cell
   * @param atRight value of the chord there
   */
  static boolean isAbove(double left, double atLeft, double right, double atRight, double mu) {
    double middle = (left + right) / 2;
    double value = GaussianCurve.gaussian(mu).delta(middle).lower();
    Bracket slope = slope(middle, mu);
    double rise = -Math.expm1(left - middle) * slope.lower();
    double fall = Math.expm1(right - middle) * slope.upper();
    // 16 U covers the exponentials, the products and the sums.
    return atLeft <= (value + rise) * (1 - 16 * U)
        && atRight <= value * (1 - 16 * U) - fall * (1 + 16 * U);
  }

  /**
   * Returns -a times the derivative of deltaGauss with respect to a, which is e^epsilon
   * Phi(-epsilon/mu - mu/2) = phi(x) R(x + mu) with x = epsilon/mu - mu/2 and Mills' ratio R.
   */
  private static Bracket slope(double epsilon, double mu) {
    double x = epsilon / mu - mu / 2;
    // x has an error of (2 |x| + mu) U, which changes the density by |x| and R by at most 1 as
    // much.
    double error =
        4 * MillsRatio.allowance(Math.abs(x)) + 4 * (Math.abs(x) + 1) * (Math.abs(x) + mu) * U;
    double slope = Math.exp(Normal.logDensity(x)) * Normal.mills(x + mu);
    return new Bracket(
        Math.max(0, slope * (1 - error)),
        slope * (1 + error) + Double.MIN_NORMAL,
        Bracket.Method.CLOSED_FORM);
  }
}
