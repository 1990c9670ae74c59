package org.sordino.accounting;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.sordino.Neighboring;
import org.sordino.PrivacyEvent;

/**
 * Gaussian differential privacy by the central limit theorem (Bu, Dong, Long and Su 2019,
 * arXiv:1911.11607, corollary 4): many sampled steps approach a mu-GDP mechanism with mu^2 = sum T
 * q^2 (e^(1/sigma^2) - 1). Plain Gaussians enter exactly, with T / sigma^2.
 *
 * <p>This is an approximation, and in practice it errs downward, for example by one eighth at q =
 * 0.01, sigma = 4, T = 10,000 and delta = 1e-10. It is exact if there are no sampled steps.
 */
public final class GdpAccountant extends StepAccountant {

  private GdpAccountant(Neighboring neighboring) {
    super(neighboring);
  }

  /** Creates an accountant for this relation; under REPLACE_ONE it supports no event. */
  public static GdpAccountant of(Neighboring neighboring) {
    return new GdpAccountant(neighboring);
  }

  @Override
  public String name() {
    return "gdp";
  }

  @Override
  public Evidence evidence() {
    return Evidence.APPROXIMATION;
  }

  /**
   * Returns mu of the Gaussian mechanism that approximates these events; infinite without noise.
   */
  public double mu(PrivacyEvent event) {
    return mu(supportedSteps(event));
  }

  @Override
  @Nullable String refusal(List<Step> steps) {
    return refusalOfReplacement(steps, "tight or rdp");
  }

  @Override
  double epsilon(List<Step> steps, double delta) {
    return GaussianCurve.epsilon(mu(steps), delta);
  }

  @Override
  double delta(List<Step> steps, double epsilon) {
    return GaussianCurve.gaussian(mu(steps)).delta(epsilon).upper();
  }

  private static double mu(List<Step> steps) {
    double squared = 0;
    for (Step step : steps) {
      squared += step.count() * muSquared(step.samplingRate(), step.noiseMultiplier());
    }
    return Math.sqrt(squared);
  }

  private static double muSquared(double q, double sigma) {
    double inverse = 1 / sigma / sigma;
    if (q == 1) {
      return inverse;
    }
    // A single exponential, because the two factors could overflow and underflow.
    return inverse > 1
        ? Math.exp(inverse + 2 * Math.log(q) + Math.log1p(-Math.exp(-inverse)))
        : q * q * Math.expm1(inverse);
  }
}
