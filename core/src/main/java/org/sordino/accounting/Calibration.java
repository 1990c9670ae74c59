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
 * Solves for what is not given of noise, sampling rate and steps, so that a run just meets a
 * target. Every answer is one that the accountant was seen to accept: noise is rounded up, rate and
 * steps down.
 */
public final class Calibration {

  /** How close to the target, relatively, an answer comes unless the accountant is less exact. */
  private static final double CLOSE = 1e-11;

  /** The same for a rough answer that another search starts from. */
  private static final double ROUGH = 1e-2;

  private static final double LEAST_NOISE = 1e-3;
  private static final double LARGEST_NOISE = 1e9;
  private static final double LEAST_RATE = 1e-15;

  private final Accountant accountant;
  private final PrivacyBudget target;
  private final double close;

  /** A quick accountant that says where to look, for one that is not quick everywhere. */
  private final @Nullable Calibration rough;

  private Calibration(
      Accountant accountant, PrivacyBudget target, double close, @Nullable Calibration rough) {
    this.accountant = accountant;
    this.target = target;
    this.close = close;
    this.rough = rough;
  }

  /**
   * Calibration to a target by an accountant.
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

  /** The least noise multiplier for Poisson samples at this rate, so many times. */
  public double noiseMultiplier(double samplingRate, long steps) {
    return noiseMultiplier(
        sigma -> new PrivacyEvent.SampledGaussian(samplingRate, sigma).times(steps));
  }

  /**
   * The least noise multiplier that meets the target.
   *
   * @param run what happens at a given noise multiplier; costs less the larger that is
   * @throws IllegalArgumentException if no noise is enough for this accountant
   */
  public double noiseMultiplier(DoubleFunction<PrivacyEvent> run) {
    if (accountant.epsilon(run.apply(0), target.delta()) <= target.epsilon()) {
      return 0;
    }
    return Math.exp(orUnreachable(logNoise(run), "noise"));
  }

  private double logNoise(DoubleFunction<PrivacyEvent> run) {
    double start = rough == null ? Double.NaN : rough.logNoise(run);
    DoubleUnaryOperator excess = log -> excess(run.apply(Math.exp(log)));
    return leastRoot(excess, Math.log(LEAST_NOISE), start, Math.log(LARGEST_NOISE));
  }

  /** The largest sampling rate for so many steps with this noise. */
  public double samplingRate(double noiseMultiplier, long steps) {
    return samplingRate(q -> new PrivacyEvent.SampledGaussian(q, noiseMultiplier).times(steps));
  }

  /**
   * The largest sampling rate that meets the target.
   *
   * @param run what happens at a given sampling rate in (0, 1]; costs more the larger that is
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
      start = Double.NaN; // tight has no bracket there, and much larger rates may do
    }
    DoubleUnaryOperator excess = log -> excess(run.apply(Math.exp(-log)));
    return leastRoot(excess, 0, start, -Math.log(LEAST_RATE));
  }

  /** The largest number of steps at this rate with this noise. */
  public long steps(double samplingRate, double noiseMultiplier) {
    PrivacyEvent step = new PrivacyEvent.SampledGaussian(samplingRate, noiseMultiplier);
    return steps(step::times);
  }

  /**
   * The largest number of steps that meets the target, possibly 0; {@link PrivacyEvent#MAX_COUNT}
   * if even that does.
   *
   * @param run what happens in so many steps; costs more the more there are
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
   * Where log epsilon over log steps, nearly a line, meets the target; every third time halfway.
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
   * The least argument from {@code least} to {@code largest} that meets the target; NaN if none.
   *
   * @param start where to begin; NaN if nothing is known
   */
  private double leastRoot(DoubleUnaryOperator asked, double least, double start, double largest) {
    Map<Double, Double> answers = new HashMap<>(); // the searches below ask for their ends again
    DoubleUnaryOperator excess = x -> answers.computeIfAbsent(x, asked::applyAsDouble);
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
        "epsilon "
            + target.epsilon()
            + " at delta "
            + target.delta()
            + " must be within reach of the "
            + accountant.name()
            + " accountant, but no "
            + what
            + " is enough for it; ask for more, or use the tight accountant");
  }

  /**
   * By how much the event costs too much, as a logarithm; 0 where it meets the target so closely
   * that the accountant cannot tell the difference.
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
