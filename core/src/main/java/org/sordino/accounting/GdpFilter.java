package org.sordino.accounting;

import static org.sordino.accounting.Bracket.U;

import java.util.ArrayList;
import java.util.List;
import java.util.function.DoublePredicate;
import java.util.function.Predicate;
import org.sordino.Neighboring;
import org.sordino.PrivacyBudget;
import org.sordino.PrivacyEvent;

/**
 * A privacy filter that compares every run with a Gaussian mechanism. A run is one mechanism, with
 * a plan that is fixed before it starts; which run comes next may depend on all earlier results.
 *
 * <p>The i-th sampled run has a share delta_i = delta / (20 i (i + 1)) of delta and costs the
 * smallest mu_i with
 *
 * <pre>
 *   delta(epsilon) - delta_i &lt;= deltaGauss(epsilon, mu_i)      for all epsilon &gt;= 0
 * </pre>
 *
 * A release of another tool that is (e, d)-differentially private costs e of the epsilon and d of
 * the delta that the budget reserves for such releases. As long as
 *
 * <pre>
 *   deltaGauss(epsilon - foreign.epsilon, sqrt(sum mu_i^2)) &lt;= delta - delta / 20 - foreign.delta,
 *   sum e &lt;= foreign.epsilon   and   sum d &lt;= foreign.delta
 * </pre>
 *
 * everything together is (epsilon, delta)-differentially private. docs/explanation/budget-filter.md
 * contains the proof. Despite the name, no central limit theorem is involved: every mu is a
 * certified upper bound, computed from the exact delta curve of the run.
 *
 * <p>The cost of a run must never be lowered afterwards. Whether a run was stopped may depend on
 * its results, so it costs what was planned.
 *
 * @param limit the epsilon and delta that everything together must not exceed
 * @param neighboring the neighboring relation that the limit refers to
 * @param foreign the part of the limit reserved for releases of other tools; may be zero
 */
public record GdpFilter(PrivacyBudget limit, Neighboring neighboring, PrivacyBudget foreign)
    implements PrivacyFilter {

  /** All shares of runs together are at most this fraction of delta. */
  private static final double SHARES = 1.0 / 20;

  /**
   * Relative slack of the part reserved for foreign releases, so that three releases of 0.1 fit
   * into 0.3. The runs get less by as much.
   */
  private static final double SLACK = 1e-12;

  /** A larger mu is not private in any useful sense, and its epsilon is infinite. */
  private static final double LARGEST_MU = 1e100;

  public GdpFilter {
    if (!(limit.epsilon() > 0 && limit.epsilon() < Double.POSITIVE_INFINITY)) {
      throw new IllegalArgumentException(
          "epsilon of a budget must be above 0 and finite, got " + limit.epsilon());
    }
    if (!(limit.delta() > 0 && limit.delta() < 1)) {
      throw new IllegalArgumentException(
          "delta of a budget must be above 0 and below 1, got " + limit.delta());
    }
    if (!(foreign.epsilon() < limit.epsilon())) {
      throw new IllegalArgumentException(
          "epsilon for foreign releases must be below that of the budget, got "
              + foreign.epsilon());
    }
    if (!(foreign.delta() <= limit.delta() / 2)) {
      throw new IllegalArgumentException(
          "delta for foreign releases must be at most half of that of the budget, got "
              + foreign.delta());
    }
  }

  /** Creates a filter that reserves nothing for releases of other tools. */
  public static GdpFilter of(PrivacyBudget limit, Neighboring neighboring) {
    return new GdpFilter(limit, neighboring, new PrivacyBudget(0, 0));
  }

  /**
   * Returns whether an event needs a share of delta. Plain Gaussians do not: they are exactly
   * mu-GDP with mu^2 = sum count / sigma^2.
   */
  public static boolean needsShare(PrivacyEvent event) {
    return Step.of(event).stream()
        .anyMatch(step -> step.samplingRate() < 1 && step.noiseMultiplier() > 0);
  }

  /**
   * Returns the share of delta of the i-th event that needs one, rounded down. All shares together
   * are below delta / 20, because 1 / (i (i + 1)) adds up to 1.
   *
   * @param index i, at least 1
   */
  public double share(long index) {
    if (!(index >= 1)) {
      throw new IllegalArgumentException("index must be at least 1, got " + index);
    }
    double i = index;
    return limit.delta() * SHARES / i / (i + 1) * (1 - 8 * U);
  }

  /**
   * Returns the mu of an event, rounded up; infinite without noise.
   *
   * @param event a whole run, fixed before it starts
   * @param index which of the shares of delta the event gets; ignored if it {@linkplain #needsShare
   *     needs} none
   */
  public double mu(PrivacyEvent event, long index) {
    List<Step> steps = Step.of(event);
    if (StepAccountant.isNoiseless(steps)) {
      return Double.POSITIVE_INFINITY;
    }
    if (needsShare(event)) {
      return GaussianBound.mu(steps, neighboring, share(index));
    }
    double factor = neighboring == Neighboring.REPLACE_ONE ? 2 : 1;
    return factor * GaussianCurve.mu(steps) * (1 + (8 + steps.size()) * U);
  }

  /** Returns the mu of several mechanisms together, rounded up. */
  public static double total(List<Double> mus) {
    double root = 0;
    for (double mu : mus) {
      if (!(mu >= 0)) {
        throw new IllegalArgumentException("mu must be at least 0, got " + mu);
      }
      root = Math.hypot(root, mu); // neither overflows nor underflows; within 1 ulp
    }
    return root * (1 + 4 * (mus.size() + 1) * U);
  }

  /**
   * Returns the epsilon of runs at the delta that the limit leaves for them, rounded up. The limit
   * covers the runs if this is at most {@link #epsilonOfRuns()}.
   *
   * @param mu total of all runs
   */
  public double epsilon(double mu) {
    if (mu == 0) {
      return 0;
    }
    return mu < LARGEST_MU ? GaussianCurve.epsilon(mu, deltaOfRuns()) : Double.POSITIVE_INFINITY;
  }

  /** Returns the part of the limit's epsilon that is not reserved for foreign releases. */
  public double epsilonOfRuns() {
    return (limit.epsilon() - foreign.epsilon() * (1 + SLACK)) * (1 - 2 * U);
  }

  /** Returns the delta at which the runs are accounted, rounded down. */
  private double deltaOfRuns() {
    return (limit.delta() * (1 - SHARES) - foreign.delta() * (1 + SLACK)) * (1 - 16 * U);
  }

  /** Returns whether the limit covers runs with this total. */
  public boolean admits(double mu) {
    return epsilon(mu) <= epsilonOfRuns();
  }

  /**
   * Returns whether the reserved part covers foreign releases.
   *
   * @param used sums of their epsilons and of their deltas, within 1e-13 of the exact sums
   */
  public boolean admitsForeign(PrivacyBudget used) {
    return used.epsilon() <= foreign.epsilon() * (1 + SLACK / 2)
        && used.delta() <= foreign.delta() * (1 + SLACK / 2);
  }

  /** Returns the largest mu of all runs together, rounded down. */
  public double capacity() {
    return largest(Double.MAX_VALUE, this::admits);
  }

  /**
   * Returns the epsilon, as in {@link #epsilon}, of the largest run that still fits; rounded down.
   *
   * @param mu total of all runs so far
   */
  public double epsilonLeft(double mu) {
    double capacity = capacity();
    double left = largest(capacity, next -> admits(total(List.of(mu, next))));
    return Math.min(epsilonOfRuns(), epsilon(left) * (1 - 1e-12));
  }

  /**
   * Returns the share of the limit on runs that is left, in [0, 1]. Squares of mu add up, so the
   * shares of several runs do; epsilons do not.
   *
   * @param mu total of all runs so far
   */
  public double shareLeft(double mu) {
    double used = mu / capacity();
    return used < 1 ? (1 - used) * (1 + used) : 0;
  }

  /** Returns the largest number, to within 1e-12, up to which a condition holds; 0 if none. */
  private static double largest(double bound, DoublePredicate holds) {
    double high = Math.min(1, bound);
    while (holds.test(high)) {
      if (high >= bound) {
        return bound;
      }
      high = Math.min(2 * high, bound);
    }
    double low = 0;
    while (high - low > 1e-12 * high && high > Double.MIN_NORMAL) {
      double middle = (low + high) / 2;
      if (holds.test(middle)) {
        low = middle;
      } else {
        high = middle;
      }
    }
    return low;
  }

  /**
   * Returns the steps of an event that other events do not cover: for a run that repeats steps, the
   * repeated ones. A step is covered by one of at least the same sampling rate and at most the same
   * noise multiplier, which reveals at least as much; each step covers one other.
   *
   * @param all everything that a run has executed and will execute
   * @param charged what has been charged for it
   */
  public static PrivacyEvent uncovered(PrivacyEvent all, PrivacyEvent charged) {
    List<Step> covers = new ArrayList<>(Step.of(charged));
    List<PrivacyEvent> rest = new ArrayList<>();
    List<Step> unmatched = new ArrayList<>();
    for (Step step : Step.of(all)) { // equal steps first, so that they do not cover others
      unmatched.add(remaining(step, covers, cover -> isSame(cover, step)));
    }
    for (Step step : unmatched) {
      Step left = remaining(step, covers, cover -> isCovered(step, cover));
      if (left.count() > 0) {
        rest.add(StepAccountant.event(left).times(left.count()));
      }
    }
    return new PrivacyEvent.Composition(rest);
  }

  /** Returns the step with the count that no cover is left for, and takes the covers used. */
  private static Step remaining(Step step, List<Step> covers, Predicate<Step> covered) {
    long count = step.count();
    for (int i = 0; i < covers.size() && count > 0; i++) {
      Step cover = covers.get(i);
      if (covered.test(cover)) {
        long used = Math.min(count, cover.count());
        count -= used;
        covers.set(
            i, new Step(cover.samplingRate(), cover.noiseMultiplier(), cover.count() - used));
      }
    }
    return new Step(step.samplingRate(), step.noiseMultiplier(), count);
  }

  private static boolean isSame(Step a, Step b) {
    return a.samplingRate() == b.samplingRate() && a.noiseMultiplier() == b.noiseMultiplier();
  }

  private static boolean isCovered(Step step, Step cover) {
    return cover.samplingRate() >= step.samplingRate()
        && cover.noiseMultiplier() <= step.noiseMultiplier();
  }
}
