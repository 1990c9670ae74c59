package org.sordino.accounting;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.sordino.Neighboring;

/**
 * Formulas as printed or plotted in papers, kept to reproduce those numbers. They are <b>not valid
 * bounds</b> and are labeled {@link Accountant.Evidence#NOT_A_BOUND}.
 *
 * <p>Both start from the classical Gaussian mechanism, eps0 = sqrt(2 ln(1.25/delta0)) / sigma. Its
 * proof (Dwork and Roth 2014, theorem A.1) requires eps0 &lt; 1, but in Abadi et al. (2016,
 * arXiv:1607.00133, section 5.1, sigma = 4) eps0 is 1.46. Both also use q eps0 as the epsilon of a
 * sampled step. That is only the first-order term of the true value, log(1 + q (e^eps0 - 1)): at q
 * = 0.01 the true value is 0.0325, not 0.0146. {@link StrongComposition} is a valid counterpart.
 */
public final class AsPrinted extends StepAccountant {

  private final String name;
  private final Formula formula;

  /** Computes the epsilon of T equal steps. */
  private interface Formula {
    double epsilon(double q, double sigma, double steps, double delta);
  }

  private AsPrinted(String name, Formula formula) {
    super(Neighboring.ADD_OR_REMOVE_ONE);
    this.name = name;
    this.formula = formula;
  }

  /**
   * Returns the strong composition that Abadi et al. compare with (figure 2): T q delta0 = d' =
   * delta/2 and eps = sqrt(2 T ln(1/d')) (q eps0) + T (q eps0)^2.
   */
  public static AsPrinted strong() {
    return new AsPrinted("strongPaper", AsPrinted::strong);
  }

  /** Returns plain addition: T q delta0 = delta and eps = T q eps0. */
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

  /** Returns sqrt(2 ln(1.25/delta)) / sigma, or 0 where the logarithm is negative. */
  private static double classicalEpsilon(double delta, double sigma) {
    return Math.sqrt(2 * Math.max(0, Math.log(1.25) - Math.log(delta))) / sigma;
  }
}
