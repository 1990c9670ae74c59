package org.sordino.accounting;

import java.util.function.DoubleUnaryOperator;
import org.sordino.PrivacyEvent;

/**
 * What an attacker can do at best, which people understand better than epsilon: at a given rate of
 * false alarms, how often does he recognize that a record was used? (f-differential privacy: Dong,
 * Roth &amp; Su 2022, arXiv:1905.02383.)
 *
 * <p>The curve is the convex conjugate of delta(epsilon): for every epsilon &gt;= 0 and either
 * direction, TPR &lt;= e^epsilon FPR + delta and TPR &lt;= 1 - e^-epsilon (1 - delta - FPR). Any
 * epsilon gives a valid bound, so the search for the best can only cost tightness.
 */
public final class TradeOffCurve {

  /** The least epsilon besides 0 that is tried. */
  private static final double LEAST = 1e-4;

  /** The bound is flat at its best: 3 % off in epsilon is about 0.1 % off in the rate. */
  private static final double TOLERANCE = 0.03;

  private final Accountant accountant;
  private final PrivacyEvent event;

  private TradeOffCurve(Accountant accountant, PrivacyEvent event) {
    this.accountant = accountant;
    this.event = event;
  }

  /**
   * The curve of an event.
   *
   * @param accountant one whose answers are bounds
   */
  public static TradeOffCurve of(Accountant accountant, PrivacyEvent event) {
    if (accountant.evidence() != Accountant.Evidence.BOUND) {
      throw new IllegalArgumentException(
          "accountant must give bounds, got " + accountant.name() + ": " + accountant.evidence());
    }
    return new TradeOffCurve(accountant, event);
  }

  /**
   * An upper bound on the attacker's true-positive rate.
   *
   * @param falsePositiveRate the rate of false alarms he accepts, in [0, 1]
   */
  public double truePositiveRate(double falsePositiveRate) {
    if (!(falsePositiveRate >= 0 && falsePositiveRate <= 1)) {
      throw new IllegalArgumentException(
          "falsePositiveRate must be in [0, 1], got " + falsePositiveRate);
    }
    DoubleUnaryOperator bound = log -> at(Math.exp(log), falsePositiveRate);
    double largest = Math.min(100, 5 - Math.log(falsePositiveRate)); // e^epsilon FPR > 1 is no use
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
