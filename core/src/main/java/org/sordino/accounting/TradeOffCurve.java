package org.sordino.accounting;

import java.util.function.DoubleUnaryOperator;
import org.sordino.PrivacyEvent;

/**
 * Bounds the best membership inference attack: the largest true positive rate at a given false
 * positive rate. This is easier to interpret than epsilon. (f-differential privacy: Dong, Roth
 * &amp; Su 2022, arXiv:1905.02383.)
 *
 * <p>The curve is the convex conjugate of delta(epsilon): for every epsilon &gt;= 0 and either
 * direction, TPR &lt;= e^epsilon FPR + delta and TPR &lt;= 1 - e^-epsilon (1 - delta - FPR). Any
 * epsilon gives a valid bound, so a poor search for the best epsilon only costs tightness.
 */
public final class TradeOffCurve {

  /** Smallest positive epsilon in the search, which also covers 0. */
  private static final double LEAST = 1e-4;

  /** The bound is flat near its optimum: 3% off in epsilon is about 0.1% off in the rate. */
  private static final double TOLERANCE = 0.03;

  private final Accountant accountant;
  private final PrivacyEvent event;

  private TradeOffCurve(Accountant accountant, PrivacyEvent event) {
    this.accountant = accountant;
    this.event = event;
  }

  /**
   * Returns the curve of an event.
   *
   * @param accountant an accountant whose results are bounds
   */
  public static TradeOffCurve of(Accountant accountant, PrivacyEvent event) {
    if (accountant.evidence() != Accountant.Evidence.BOUND) {
      throw new IllegalArgumentException(
          "accountant must give bounds, got " + accountant.name() + ": " + accountant.evidence());
    }
    return new TradeOffCurve(accountant, event);
  }

  /**
   * Returns an upper bound on the attacker's true positive rate.
   *
   * @param falsePositiveRate the attacker's false positive rate, in [0, 1]
   */
  public double truePositiveRate(double falsePositiveRate) {
    if (!(falsePositiveRate >= 0 && falsePositiveRate <= 1)) {
      throw new IllegalArgumentException(
          "falsePositiveRate must be in [0, 1], got " + falsePositiveRate);
    }
    DoubleUnaryOperator bound = log -> at(Math.exp(log), falsePositiveRate);
    double largest = Math.min(100, 5 - Math.log(falsePositiveRate)); // beyond it, e^epsilon FPR > 1
    Minimum best = Minimum.ofValley(bound, Math.log(LEAST), Math.log(largest), 1, TOLERANCE);
    double rate = Math.min(at(0, falsePositiveRate), best.value());
    return Math.max(falsePositiveRate, Math.min(1, rate));
  }

  private double at(double epsilon, double falsePositiveRate) {
    double delta = accountant.delta(event, epsilon);
    double up = Math.exp(epsilon) * falsePositiveRate + delta;
    double down = 1 - Math.exp(-epsilon) * Math.max(0, 1 - delta - falsePositiveRate);
    return Math.min(up, down) + 8 * Bracket.U; // a few roundings of numbers below 2
  }
}
