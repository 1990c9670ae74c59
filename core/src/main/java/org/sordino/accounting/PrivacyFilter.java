package org.sordino.accounting;

import org.sordino.Neighboring;
import org.sordino.PrivacyBudget;

/**
 * A rule that determines whether another event still fits into a budget when each event is chosen
 * after seeing the results of the earlier ones. Ordinary composition does not cover that case.
 */
public sealed interface PrivacyFilter permits GdpFilter, RenyiFilter {

  /** Returns the epsilon and delta that all events together must not exceed. */
  PrivacyBudget limit();

  /** Returns the neighboring relation that the limit refers to. */
  Neighboring neighboring();
}
