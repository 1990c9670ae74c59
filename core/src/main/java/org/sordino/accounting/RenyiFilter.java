package org.sordino.accounting;

import org.sordino.Neighboring;
import org.sordino.PrivacyBudget;
import org.sordino.PrivacyEvent;

/**
 * A privacy filter: determines whether another event still fits into a budget when each event is
 * chosen after seeing the results of the earlier ones.
 *
 * <p>Ordinary composition requires events that are fixed in advance. A Renyi filter does not
 * (Feldman and Zrnic 2021, arXiv:2008.11193; Lecuyer 2021, arXiv:2103.01379): as long as the Renyi
 * divergences of one fixed order alpha add up to at most
 *
 * <pre>
 *   epsilon - log(1 - 1/alpha) + (ln delta + ln alpha) / (alpha - 1)
 * </pre>
 *
 * <p>the whole sequence is (epsilon, delta)-differentially private (conversion: Canonne, Kamath and
 * Steinke 2020, arXiv:2004.00010, proposition 12). The order must not depend on any result, so
 * {@link #of} computes it from the budget alone.
 *
 * <p>{@link #spent} is rounded up, so {@link #admits} never accepts an event that does not fit.
 * {@link #shareLeft} and {@link #fittingShare} are rounded to nearest; they are for information
 * only.
 *
 * @param limit the epsilon and delta that all events together must not exceed
 * @param neighboring the neighboring relation that the limit refers to
 * @param order alpha, above 1 and finite
 */
public record RenyiFilter(PrivacyBudget limit, Neighboring neighboring, double order)
    implements PrivacyFilter {

  /** Candidate orders are 1 + 10^(i/200 - 2), from 1.01 to 10,001. */
  private static final int CANDIDATES = 1200;

  public RenyiFilter {
    if (!(order > 1 && order < Double.POSITIVE_INFINITY)) {
      throw new IllegalArgumentException("order must be above 1 and finite, got " + order);
    }
  }

  /**
   * Creates the filter of a budget. Its order leaves the most room for many small steps. These
   * behave like plain Gaussians, whose divergence is alpha rho, so the order with the largest
   * admissible rho is chosen and rounded to three decimals.
   *
   * @throws IllegalArgumentException if the budget is too small for any event
   */
  public static RenyiFilter of(PrivacyBudget limit, Neighboring neighboring) {
    double order = bestOrder(limit);
    if (Double.isNaN(order)) {
      throw new IllegalArgumentException(
          "epsilon of a budget must be larger at this delta, got "
              + limit.epsilon()
              + "; no event fits into this budget");
    }
    return new RenyiFilter(limit, neighboring, order);
  }

  /** Returns whether a filter exists for this budget. */
  public static boolean fits(PrivacyBudget limit) {
    return !Double.isNaN(bestOrder(limit));
  }

  /** Returns the order with the most room, rounded; NaN if no order has any. */
  private static double bestOrder(PrivacyBudget limit) {
    double best = 2;
    double most = Double.NEGATIVE_INFINITY;
    for (int i = 1; i <= CANDIDATES; i++) {
      double order = 1 + Math.pow(10, i / 200.0 - 2);
      double rho = allowed(limit, order) / order;
      if (rho > most) {
        most = rho;
        best = order;
      }
    }
    return most > 0 ? Math.rint(best * 1000) / 1000 : Double.NaN;
  }

  /**
   * Returns the epsilon that the filter counts for all events so far, rounded up; 0 if there are no
   * events.
   *
   * @param all everything that was done or may be done to the records
   */
  public double spent(PrivacyEvent all) {
    return accountant().epsilonAtOrder(all, limit.delta(), order);
  }

  /**
   * Returns whether the limit covers all these events.
   *
   * @param all everything so far, including the event that is about to happen
   */
  public boolean admits(PrivacyEvent all) {
    return spent(all) <= limit.epsilon();
  }

  /**
   * Returns the share of the limit that is left, in [0, 1]. Shares are proportional to Renyi
   * divergence, so the shares of several events add up; epsilons do not.
   *
   * @param all everything so far
   */
  public double shareLeft(PrivacyEvent all) {
    return room(all) / allowed(limit, order);
  }

  /**
   * Returns which share of an event still fits: 0.5 if about half of its steps do, 1 or more if all
   * of it does, 0 if nothing is left.
   *
   * @param all everything so far, without {@code next}
   * @param next the event to add
   */
  public double fittingShare(PrivacyEvent all, PrivacyEvent next) {
    double room = room(all);
    return room == 0 ? 0 : room / accountant().rdp(next, order);
  }

  /** Returns the divergence that further events may have; at least 0. */
  private double room(PrivacyEvent all) {
    return Math.max(0, allowed(limit, order) - accountant().rdp(all, order));
  }

  /** Returns the largest divergence of this order that the limit allows. */
  private static double allowed(PrivacyBudget limit, double order) {
    return limit.epsilon() - conversion(order, limit.delta());
  }

  /** Returns the difference between epsilon and the divergence. */
  private static double conversion(double order, double delta) {
    return Math.log1p(-1 / order) - (Math.log(delta) + Math.log(order)) / (order - 1);
  }

  private RdpAccountant accountant() {
    return RdpAccountant.of(neighboring);
  }
}
