package org.sordino.accounting;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.sordino.Neighboring;
import org.sordino.PrivacyEvent;

/**
 * What all accountants of flat step lists share: the checks, the flattening, the answers that need
 * no mathematics, and the refusal of what is not supported.
 */
abstract class StepAccountant implements Accountant {

  /** The smallest delta that is searched for; below it only the trivial answers remain. */
  private static final double LEAST_LOG_DELTA = Math.log(1e-300);

  private final Neighboring neighboring;

  StepAccountant(Neighboring neighboring) {
    this.neighboring = neighboring;
  }

  /**
   * Epsilon of these steps.
   *
   * @param steps at least one, every one with noise, all supported
   * @param delta strictly between 0 and 1
   */
  abstract double epsilon(List<Step> steps, double delta);

  /**
   * Delta of these steps; by numeric inversion of {@link #epsilon(List, double)} unless a formula
   * is at hand. The answer is a delta for which epsilon was seen to suffice, so it errs upwards.
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
   * Why these steps cannot be priced, as the rest of a sentence that begins "does not support";
   * null if they can.
   */
  @Nullable String refusal(List<Step> steps) {
    return null;
  }

  /** The refusal of an accountant that knows only the addition and removal of records. */
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

  /** The steps of an event; refuses what {@link #supports} denies. */
  final List<Step> supportedSteps(PrivacyEvent event) {
    List<Step> steps = Step.of(event);
    String refusal = refusal(steps);
    if (refusal != null) {
      throw new IllegalArgumentException(name() + " accountant does not support " + refusal);
    }
    return steps;
  }

  /** All steps, counted. */
  static double count(List<Step> steps) {
    return steps.stream().mapToDouble(Step::count).sum();
  }

  /** A step as the event it came from, for messages. */
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

  /** Whether some step has no noise: nothing can be promised then. */
  static boolean isNoiseless(List<Step> steps) {
    return steps.stream().anyMatch(step -> step.noiseMultiplier() == 0);
  }
}
