package org.sordino.accounting;

import java.util.List;
import java.util.function.DoubleUnaryOperator;
import org.sordino.Neighboring;

/**
 * Strong composition (Dwork, Rothblum and Vadhan 2010, theorem III.3) as a valid bound: T steps of
 * (eps_i, delta_i) cost
 *
 * <pre>
 *   eps = sqrt(2 ln(1/d') sum eps_i^2) + sum eps_i (e^eps_i - 1),    delta = sum delta_i + d'
 * </pre>
 *
 * where one step is the analytic Gaussian (Balle and Wang 2018, arXiv:1805.06530) at (eps0,
 * delta0), amplified by sampling to eps_i = log(1 + q (e^eps0 - 1)), delta_i = q delta0 (Balle,
 * Barthe and Gaboardi 2018, arXiv:1807.01647, theorem 8). The share of d' in delta is optimized.
 * Plain addition of the eps_i is used where it is better, as it is for few steps.
 *
 * <p>When a record is replaced, the drawn batches differ by up to twice the bound, so (eps0,
 * delta0) is that of mu = 2/sigma; the advanced joint convexity of the same paper (theorem 2) then
 * gives the same amplification.
 *
 * <p>{@link AsPrinted#strong} is the formula printed in the literature as strong composition.
 */
public final class StrongComposition extends StepAccountant {

  /** Largest absolute log odds of d' against the rest of delta in the search for the best split. */
  private static final double LARGEST_LOG_ODDS = 12;

  private StrongComposition(Neighboring neighboring) {
    super(neighboring);
  }

  /** Creates an accountant for this relation. */
  public static StrongComposition of(Neighboring neighboring) {
    return new StrongComposition(neighboring);
  }

  @Override
  public String name() {
    return "strong";
  }

  @Override
  public Evidence evidence() {
    return Evidence.BOUND;
  }

  @Override
  double epsilon(List<Step> steps, double delta) {
    double added = added(steps, delta);
    if (added == 0) {
      return 0;
    }
    DoubleUnaryOperator atLogOdds = log -> strong(steps, delta, delta / (1 + Math.exp(-log)));
    double best = Minimum.of(atLogOdds, -LARGEST_LOG_ODDS, LARGEST_LOG_ODDS, 9).value();
    double rounding = 1 + (16 + steps.size()) * Bracket.U;
    return Math.min(best, added) * rounding;
  }

  /** Evaluates the theorem with the given d'. */
  private double strong(List<Step> steps, double delta, double slack) {
    double[] epsilons = amplified(steps, delta - slack);
    double squares = 0;
    double linear = 0;
    for (int i = 0; i < epsilons.length; i++) {
      double epsilon = epsilons[i];
      squares += steps.get(i).count() * epsilon * epsilon;
      linear += steps.get(i).count() * epsilon * Math.expm1(epsilon);
    }
    return Math.sqrt(-2 * Math.log(slack) * squares) + linear;
  }

  /** Returns the plain sum of the same guarantees, which needs no d'. */
  private double added(List<Step> steps, double delta) {
    double[] epsilons = amplified(steps, delta);
    double sum = 0;
    for (int i = 0; i < epsilons.length; i++) {
      sum += steps.get(i).count() * epsilons[i];
    }
    return sum;
  }

  /** Returns all eps_i, with all q_i delta0_i equal and adding up to no more than {@code delta}. */
  private double[] amplified(List<Step> steps, double delta) {
    double share = delta / count(steps) * (1 - 16 * Bracket.U); // rounded down, so epsilon rises
    double distance = neighboring() == Neighboring.REPLACE_ONE ? 2 : 1;
    return steps.stream().mapToDouble(step -> amplified(step, distance, share)).toArray();
  }

  private static double amplified(Step step, double distance, double share) {
    double q = step.samplingRate();
    double delta0 = share / q;
    if (delta0 >= 1) {
      return 0;
    }
    double mu = distance / step.noiseMultiplier() * (1 + 2 * Bracket.U);
    double epsilon0 = GaussianCurve.epsilon(mu, delta0);
    if (epsilon0 < 700) {
      return Math.log1p(q * Math.expm1(epsilon0));
    }
    return Math.min(epsilon0, epsilon0 + Math.log(q) + Math.exp(-epsilon0 - Math.log(q)));
  }
}
