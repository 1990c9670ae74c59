package org.sordino.accounting;

import static org.sordino.accounting.Bracket.U;

import org.sordino.Neighboring;
import org.sordino.PrivacyBudget;
import org.sordino.PrivacyEvent;

/**
 * The cost of a release of another tool in a budget with a {@link GdpFilter}, relative to the
 * neighboring relation of the budget.
 *
 * @param epsilon epsilon that the release uses of the part reserved for such releases
 * @param delta delta that it uses of that part
 * @param mu mu that it uses like a run
 */
public record ForeignRelease(double epsilon, double delta, double mu) {

  public ForeignRelease {
    require("epsilon", epsilon);
    require("mu", mu);
    if (!(delta >= 0 && delta < 1)) {
      throw new IllegalArgumentException("delta must be at least 0 and below 1, got " + delta);
    }
  }

  private static void require(String name, double value) {
    if (!(value >= 0 && value < Double.POSITIVE_INFINITY)) {
      throw new IllegalArgumentException(name + " must be at least 0 and finite, got " + value);
    }
  }

  /** Returns the cost of a release that is (epsilon, delta)-differentially private. */
  public static ForeignRelease of(PrivacyBudget cost) {
    return new ForeignRelease(cost.epsilon(), cost.delta(), 0);
  }

  /**
   * Returns the cost of a release that is rho-zCDP (Bun and Steinke 2016, arXiv:1605.02635): Renyi
   * divergence of at most rho alpha at every order alpha. It is converted to epsilon, rounded up,
   * at the best order (Canonne, Kamath and Steinke 2020, arXiv:2004.00010, proposition 12).
   *
   * @param rho above 0 and finite
   * @param delta delta to convert at, above 0 and below 1
   */
  public static ForeignRelease zcdp(double rho, double delta) {
    require("rho", rho);
    if (!(rho > 0 && delta > 0)) {
      throw new IllegalArgumentException(
          "rho and delta must be above 0, got " + rho + " and " + delta);
    }
    // A Gaussian with this noise multiplier has the same divergences.
    PrivacyEvent same = new PrivacyEvent.Gaussian(Math.sqrt(0.5 / rho) * (1 - 4 * U));
    double epsilon = RdpAccountant.of(Neighboring.ADD_OR_REMOVE_ONE).epsilon(same, delta);
    return new ForeignRelease(epsilon, delta, 0);
  }

  /**
   * Returns the cost of a Gaussian mechanism.
   *
   * @param noiseMultiplier standard deviation of the noise divided by the largest change, in L2
   *     norm, between neighbors in the relation of the budget
   */
  public static ForeignRelease gaussian(double noiseMultiplier) {
    if (!(noiseMultiplier > 0)) {
      throw new IllegalArgumentException(
          "noise multiplier must be above 0, got " + noiseMultiplier);
    }
    return new ForeignRelease(0, 0, 1 / noiseMultiplier * (1 + 2 * U));
  }
}
