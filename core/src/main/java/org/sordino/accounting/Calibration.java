package org.sordino.accounting;

import java.util.HashMap;
import java.util.Map;
import java.util.function.DoubleFunction;
import java.util.function.DoubleUnaryOperator;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;
import org.sordino.PrivacyBudget;
import org.sordino.PrivacyEvent;

/**
 * Solves for the noise multiplier, the sampling rate or the number of steps at which a run just
 * meets a target. The accountant verifies every result: noise is rounded up, rate and steps are
 * rounded down.
 */
public final class Calibration {

  /**
   * Relative distance to the target within which a result is accepted, unless the accountant is
   * less exact.
   */
  private static final double CLOSE = 1e-11;

  /** The same distance for the rough result from which another search starts. */
  private static final double ROUGH = 1e-2;

  private static final double LEAST_NOISE = 1e-3;
  private static final double LARGEST_NOISE = 1e9;
  private static final double LEAST_RATE = 1e-15;

  private final Accountant accountant;
  private final PrivacyBudget target;
  private final double close;

  /** Calibration by a faster accountant, which provides the starting point; null if not needed. */
  private final @Nullable Calibration rough;

  private Calibration(
      Accountant accountant, PrivacyBudget target, double close, @Nullable Calibration rough) {
    this.accountant = accountant;
    this.target = target;
    this.close = close;
    this.rough = rough;
  }

  /**
   * Creates a calibration to a target by an accountant.
   *
   * @param target epsilon above 0 and finite, delta strictly between 0 and 1
   */
  public static Calibration of(Accountant accountant, PrivacyBudget target) {
    if (!(target.epsilon() > 0 && target.epsilon() < Double.POSITIVE_INFINITY)) {
      throw new IllegalArgumentException(
          "epsilon must be above 0 and finite, got " + target.epsilon());
    }
    if (!(target.delta() > 0 && target.delta() < 1)) {
      throw new IllegalArgumentException(
          "delta must be strictly between 0 and 1, got " + target.delta());
    }
    Calibration rough = null;
    if (accountant instanceof TightAccountant) {
      rough = new Calibration(RdpAccountant.of(accountant.neighboring()), target, ROUGH, null);
    }
    return new Calibration(accountant, target, CLOSE, rough);
  }

  /** Returns the smallest noise multiplier for {@code steps} Poisson samples at this rate. */
  public double noiseMultiplier(double samplingRate, long steps) {
    return noiseMultiplier(
        sigma -> new PrivacyEvent.SampledGaussian(samplingRate, sigma).times(steps));
  }

  /**
   * Returns the smallest noise multiplier that meets the target.
   *
   * @param run events of a run with the given noise multiplier; more noise must not cost more
   * @throws IllegalArgumentException if no amount of noise is enough for this accountant
   */
  public double noiseMultiplier(DoubleFunction<PrivacyEvent> run) {
    if (accountant.epsilon(run.apply(0), target.delta()) <= target.epsilon()) {
      return 0;
    }
    return Math.exp(orUnreachable(logNoise(run), "noise multiplier"));
  }

  private double logNoise(DoubleFunction<PrivacyEvent> run) {
    double start = rough == null ? Double.NaN : rough.logNoise(run);
    DoubleUnaryOperator excess = log -> excess(run.apply(Math.exp(log)));
    return leastRoot(excess, Math.log(LEAST_NOISE), start, Math.log(LARGEST_NOISE));
  }

  /** Returns the largest sampling rate for {@code steps} steps with this noise. */
  public double samplingRate(double noiseMultiplier, long steps) {
    return samplingRate(q -> new PrivacyEvent.SampledGaussian(q, noiseMultiplier).times(steps));
  }

  /**
   * Returns the largest sampling rate that meets the target.
   *
   * @param run events of a run at the given sampling rate in (0, 1]; a larger rate must not cost
   *     less
   * @throws IllegalArgumentException if no rate is small enough for this accountant
   */
  public double samplingRate(DoubleFunction<PrivacyEvent> run) {
    if (accountant.epsilon(run.apply(1), target.delta()) <= target.epsilon()) {
      return 1;
    }
    return Math.exp(-orUnreachable(minusLogRate(run), "sampling rate"));
  }

  private double minusLogRate(DoubleFunction<PrivacyEvent> run) {
    double start = rough == null ? Double.NaN : rough.minusLogRate(run);
    if (start > -Math.log(TightAccountant.LEAST_LATTICE_RATE)) {
      start = Double.NaN; // tight has no bracket there, and much larger rates may suffice
    }
    DoubleUnaryOperator excess = log -> excess(run.apply(Math.exp(-log)));
    return leastRoot(excess, 0, start, -Math.log(LEAST_RATE));
  }

  /** Returns the largest number of steps at this rate with this noise. */
  public long steps(double samplingRate, double noiseMultiplier) {
    PrivacyEvent step = new PrivacyEvent.SampledGaussian(samplingRate, noiseMultiplier);
    return steps(step::times);
  }

  /**
   * Returns the largest number of steps that meets the target. The result may be 0, and it is
   * {@link PrivacyEvent#MAX_COUNT} if that many steps meet the target.
   *
   * @param run events of a run with the given number of steps; more steps must not cost less
   */
  public long steps(LongFunction<PrivacyEvent> run) {
    long good = 0;
    double atGood = Double.NEGATIVE_INFINITY;
    long bad = rough == null ? 1 : Math.max(1, rough.steps(run));
    double atBad = excess(run.apply(bad));
    while (atBad <= 0) {
      good = bad;
      atGood = atBad;
      if (bad == PrivacyEvent.MAX_COUNT) {
        return bad;
      }
      bad = Math.min(PrivacyEvent.MAX_COUNT, 2 * bad);
      atBad = excess(run.apply(bad));
    }
    for (int i = 0; bad - good > Math.max(1, (close - CLOSE) * good); i++) {
      long middle = between(good, atGood, bad, atBad, i);
      double atMiddle = excess(run.apply(middle));
      if (atMiddle <= 0) {
        good = middle;
        atGood = atMiddle;
      } else {
        bad = middle;
        atBad = atMiddle;
      }
    }
    return good;
  }

  /**
   * Returns the number of steps at which log epsilon meets the target if it is a linear function of
   * log steps, which is nearly true. Every third round returns the midpoint instead.
   */
  private static long between(long good, double atGood, long bad, double atBad, int round) {
    double share = atGood / (atGood - atBad);
    if (good == 0 || round % 3 == 2 || !(share >= 0 && share <= 1)) {
      return good + (bad - good) / 2;
    }
    double guess = good * Math.pow((double) bad / good, share);
    return Math.min(bad - 1, Math.max(good + 1, (long) guess));
  }

  /**
   * Returns the smallest argument from {@code least} to {@code largest} that meets the target, or
   * NaN if there is none.
   *
   * @param start where to begin; NaN if unknown
   */
  private double leastRoot(
      DoubleUnaryOperator function, double least, double start, double largest) {
    Map<Double, Double> answers = new HashMap<>(); // the searches below reuse their ends
    DoubleUnaryOperator excess = x -> answers.computeIfAbsent(x, function::applyAsDouble);
    double low = Double.isNaN(start) ? 0 : start;
    double high = low;
    double stride = Double.isNaN(start) ? Math.log(2) : 0.05;
    while (low > least && excess.applyAsDouble(low) <= 0) {
      high = low;
      low = Math.max(least, low - stride);
      stride *= 2;
    }
    while (excess.applyAsDouble(high) > 0) {
      if (high == largest) {
        return Double.NaN;
      }
      low = high;
      high = Math.min(largest, high + stride);
      stride *= 2;
    }
    return low == high ? high : Monotone.leastRoot(excess, low, high, close / 100);
  }

  private double orUnreachable(double found, String what) {
    if (!Double.isNaN(found)) {
      return found;
    }
    throw new IllegalArgumentException(
        "the "
            + accountant.name()
            + " accountant cannot reach epsilon "
            + target.epsilon()
            + " at delta "
            + target.delta()
            + " with any "
            + what
            + "; try a larger epsilon"
            + (accountant instanceof TightAccountant ? "" : ", or use the tight accountant"));
  }

  /**
   * Returns the logarithm of epsilon over the target epsilon. The result is 0 where the event meets
   * the target so closely that the accountant cannot resolve the difference.
   */
  private double excess(PrivacyEvent event) {
    double epsilon;
    double slack = close;
    if (accountant instanceof TightAccountant tight) {
      Bracket bracket = tight.epsilonBracket(event, target.delta());
      epsilon = bracket.upper();
      slack = Math.max(slack, 0.25 * bracket.width() / epsilon);
    } else {
      epsilon = accountant.epsilon(event, target.delta());
    }
    double excess = Math.log(epsilon / target.epsilon());
    return excess <= 0 && excess > -slack ? 0 : excess;
  }
}
