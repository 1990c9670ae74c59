package org.sordino.accounting;

import java.util.List;
import org.sordino.Neighboring;

/**
 * Adds up the epsilons and deltas of the individual steps (Dwork et al. 2006), the accounting that
 * all others improve on. Each step uses its exact closed form, and delta is split evenly.
 */
public final class NaiveComposition extends StepAccountant {

  private NaiveComposition(Neighboring neighboring) {
    super(neighboring);
  }

  /** Creates an accountant for this relation. */
  public static NaiveComposition of(Neighboring neighboring) {
    return new NaiveComposition(neighboring);
  }

  @Override
  public String name() {
    return "naive";
  }

  @Override
  public Evidence evidence() {
    return Evidence.BOUND;
  }

  @Override
  double epsilon(List<Step> steps, double delta) {
    double share = delta / count(steps) * (1 - 8 * Bracket.U); // rounded down, so epsilon rises
    double sum = 0;
    for (Step step : steps) {
      sum += step.count() * epsilonOfOne(step, share);
    }
    return sum * (1 + (4 + steps.size()) * Bracket.U);
  }

  private double epsilonOfOne(Step step, double delta) {
    double epsilon = 0;
    for (Direction direction : Direction.of(neighboring())) {
      DeltaCurve curve = GaussianCurve.singleStep(step, direction);
      epsilon = Math.max(epsilon, GaussianCurve.epsilon(curve, delta));
    }
    return epsilon;
  }
}
