package org.sordino.accounting;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.sordino.Neighboring;

/**
 * Formulas as they are printed or plotted in papers, kept to reproduce those numbers. They are
 * <b>not valid bounds</b> and are labeled {@link Accountant.Evidence#NOT_A_BOUND}.
 *
 * <p>Both start from the classical Gaussian mechanism, eps0 = sqrt(2 ln(1.25/delta0)) / sigma,
 * whose proof (Dwork and Roth 2014, theorem A.1) needs eps0 &lt; 1; in Abadi and others (2016,
 * arXiv:1607.00133, section 5.1, sigma = 4) it is 1.46. And both take q eps0 for the epsilon of a
 * sampled step, which is only the first-order term of the true log(1 + q (e^eps0 - 1)): at q = 0.01
 * that is 0.0325 in place of 0.0146. A valid counterpart is {@link StrongComposition}.
 */
public final class AsPrinted extends StepAccountant {

  private final String name;
  private final Formula formula;

  /** Epsilon of T equal steps. */
  private interface Formula {
    double epsilon(double q, double sigma, double steps, double delta);
  }

  private AsPrinted(String name, Formula formula) {
    super(Neighboring.ADD_OR_REMOVE_ONE);
    this.name = name;
    this.formula = formula;
  }

  /**
   * The strong composition that Abadi and others compare with (their figure 2): T q delta0 = d' =
   * delta/2 and eps = sqrt(2 T ln(1/d')) (q eps0) + T (q eps0)^2.
   */
  public static AsPrinted strong() {
    return new AsPrinted("strongPaper", AsPrinted::strong);
  }

  /** Plain addition: T q delta0 = delta and eps = T q eps0. */
  public static AsPrinted naive() {
    return new AsPrinted("naiveFormula", AsPrinted::naive);
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public Evidence evidence() {
    return Evidence.NOT_A_BOUND;
  }

  @Override
  @Nullable String refusal(List<Step> steps) {
    return steps.size() <= 1
        ? null
        : event(steps.get(0)) + " together with " + event(steps.get(1)) + "; use tight or strong";
  }

  @Override
  double epsilon(List<Step> steps, double delta) {
    Step step = steps.get(0);
    return formula.epsilon(
        step.samplingRate(), step.noiseMultiplier(), (double) step.count(), delta);
  }

  private static double strong(double q, double sigma, double steps, double delta) {
    double slack = delta / 2;
    double scaled = q * classicalEpsilon(slack / (steps * q), sigma);
    return Math.sqrt(-2 * steps * Math.log(slack)) * scaled + steps * scaled * scaled;
  }

  private static double naive(double q, double sigma, double steps, double delta) {
    return steps * q * classicalEpsilon(delta / (steps * q), sigma);
  }

  /** sqrt(2 ln(1.25/delta)) / sigma, and 0 where the logarithm is negative. */
  private static double classicalEpsilon(double delta, double sigma) {
    return Math.sqrt(2 * Math.max(0, Math.log(1.25) - Math.log(delta))) / sigma;
  }
}
