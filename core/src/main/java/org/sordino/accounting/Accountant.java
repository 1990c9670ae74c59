package org.sordino.accounting;

import org.sordino.Neighboring;
import org.sordino.PrivacyEvent;

/**
 * Computes the privacy cost of events. An accountant is immutable and keeps no running total: each
 * call takes the whole ledger (a {@link PrivacyEvent.Composition}).
 *
 * <p>Every accountant satisfies the same contract, which one shared test checks:
 *
 * <ul>
 *   <li>results are never NaN or negative;
 *   <li>an empty ledger costs 0, and a release without noise costs infinity;
 *   <li>an event repeated n times costs the same as n separate entries;
 *   <li>the order of events does not matter;
 *   <li>epsilon does not rise when delta does.
 * </ul>
 *
 * Where {@link #evidence} is {@link Evidence#BOUND}, results are rounded up.
 */
public interface Accountant {

  /** How far a result can be relied on. */
  enum Evidence {
    /** A proven upper bound. */
    BOUND,
    /** Exact in a limit, but in general below the true value: not a guarantee. */
    APPROXIMATION,
    /** A formula printed in a paper, kept for reproduction; not a valid bound. */
    NOT_A_BOUND
  }

  /** Returns the short name, as used in the JSON output of {@code sordino account}. */
  String name();

  /** Returns the neighboring relation that the results refer to. */
  Neighboring neighboring();

  /** Returns how far the results can be relied on. */
  Evidence evidence();

  /**
   * Returns whether {@link #epsilon} and {@link #delta} support this event and all of its parts.
   */
  boolean supports(PrivacyEvent event);

  /**
   * Returns the smallest epsilon that this accountant can establish.
   *
   * @param delta in [0, 1]
   * @return at least 0, possibly infinite
   * @throws IllegalArgumentException if the event is not supported; the message names it
   */
  double epsilon(PrivacyEvent event, double delta);

  /**
   * Returns the smallest delta that this accountant can establish.
   *
   * @param epsilon at least 0
   * @return in [0, 1]
   * @throws IllegalArgumentException if the event is not supported; the message names it
   */
  double delta(PrivacyEvent event, double epsilon);
}
