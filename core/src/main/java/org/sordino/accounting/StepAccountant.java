package org.sordino.accounting;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.sordino.Neighboring;
import org.sordino.PrivacyEvent;

/**
 * Base class of all accountants of flat step lists: checks arguments, flattens events, handles
 * trivial cases, and rejects unsupported events.
 */
abstract class StepAccountant implements Accountant {

  /** Logarithm of the smallest delta in searches; below it only the trivial results remain. */
  private static final double LEAST_LOG_DELTA = Math.log(1e-300);

  private final Neighboring neighboring;

  StepAccountant(Neighboring neighboring) {
    this.neighboring = neighboring;
  }

  /**
   * Returns the epsilon of these steps.
   *
   * @param steps at least one, every one with noise, all supported
   * @param delta strictly between 0 and 1
   */
  abstract double epsilon(List<Step> steps, double delta);

  /**
   * Returns the delta of these steps, by numeric inversion of {@link #epsilon(List, double)} unless
   * overridden with a formula. Epsilon has been verified at the returned delta, so the result errs
   * upward.
   *
   * @param steps as above
   * @param epsilon at least 0, finite
   */
  double delta(List<Step> steps, double epsilon) {
    double least = Math.exp(LEAST_LOG_DELTA);
    if (epsilon(steps, least) <= epsilon) {
      return least;
    }
    if (!(epsilon(steps, Math.nextDown(1.0)) <= epsilon)) {
      return 1;
    }
    return Math.exp(
        Monotone.leastRoot(
            log -> log == 0 ? -epsilon : epsilon(steps, Math.exp(log)) - epsilon,
            LEAST_LOG_DELTA,
            0));
  }

  /**
   * Returns the reason why these steps are not supported, as the end of a sentence that begins with
   * "does not support"; null if they are supported.
   */
  @Nullable String refusal(List<Step> steps) {
    return null;
  }

  /**
   * Returns the reason for an accountant that supports only the addition and removal of records.
   */
  final @Nullable String refusalOfReplacement(List<Step> steps, String alternatives) {
    return neighboring == Neighboring.REPLACE_ONE && !steps.isEmpty()
        ? event(steps.get(0)) + " under REPLACE_ONE; use " + alternatives
        : null;
  }

  @Override
  public final Neighboring neighboring() {
    return neighboring;
  }

  @Override
  public final boolean supports(PrivacyEvent event) {
    return refusal(Step.of(event)) == null;
  }

  @Override
  public final double epsilon(PrivacyEvent event, double delta) {
    requireDelta(delta);
    List<Step> steps = supportedSteps(event);
    if (steps.isEmpty()) {
      return 0;
    }
    if (isNoiseless(steps)) {
      return Double.POSITIVE_INFINITY;
    }
    if (delta == 0 || delta == 1) {
      return delta == 1 ? 0 : Double.POSITIVE_INFINITY;
    }
    return Math.max(0, epsilon(steps, delta));
  }

  @Override
  public final double delta(PrivacyEvent event, double epsilon) {
    requireEpsilon(epsilon);
    List<Step> steps = supportedSteps(event);
    if (steps.isEmpty()) {
      return 0;
    }
    if (isNoiseless(steps)) {
      return 1;
    }
    return epsilon == Double.POSITIVE_INFINITY ? 0 : Math.min(1, delta(steps, epsilon));
  }

  @Override
  public final String toString() {
    return name() + " accountant (" + neighboring + ")";
  }

  /**
   * Returns the steps of an event; rejects events that are not {@linkplain #supports supported}.
   */
  final List<Step> supportedSteps(PrivacyEvent event) {
    List<Step> steps = Step.of(event);
    String refusal = refusal(steps);
    if (refusal != null) {
      throw new IllegalArgumentException(name() + " accountant does not support " + refusal);
    }
    return steps;
  }

  /** Returns the total number of steps. */
  static double count(List<Step> steps) {
    return steps.stream().mapToDouble(Step::count).sum();
  }

  /** Returns the event that a step represents, for messages. */
  static PrivacyEvent event(Step step) {
    return step.samplingRate() == 1
        ? new PrivacyEvent.Gaussian(step.noiseMultiplier())
        : new PrivacyEvent.SampledGaussian(step.samplingRate(), step.noiseMultiplier());
  }

  static void requireDelta(double delta) {
    if (!(delta >= 0 && delta <= 1)) { // written so that NaN fails
      throw new IllegalArgumentException("delta must be in [0, 1], got " + delta);
    }
  }

  static void requireEpsilon(double epsilon) {
    if (!(epsilon >= 0)) {
      throw new IllegalArgumentException("epsilon must be at least 0, got " + epsilon);
    }
  }

  /** Returns whether some step has no noise, in which case there is no guarantee. */
  static boolean isNoiseless(List<Step> steps) {
    return steps.stream().anyMatch(step -> step.noiseMultiplier() == 0);
  }
}
