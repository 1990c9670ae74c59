package org.sordino.accounting;

import org.sordino.Neighboring;
import org.sordino.PrivacyEvent;

/**
 * Prices events. An accountant is immutable and keeps no running total: it is asked about a whole
 * ledger (a {@link PrivacyEvent.Composition}) at once.
 *
 * <p>Contract of every accountant, held by one test: answers are never NaN or negative; nothing
 * done costs 0 and anything released without noise costs infinity; an event repeated n times in one
 * entry costs what n entries cost; the order of events does not matter; epsilon does not rise when
 * delta does. Where {@link #evidence} is {@link Evidence#BOUND}, rounding errs upwards.
 */
public interface Accountant {

  /** How far an answer may be relied upon. */
  enum Evidence {
    /** A proven upper bound. */
    BOUND,
    /** Close to the truth in a limit, below it in general: never a guarantee. */
    APPROXIMATION,
    /** Printed in a paper and kept to reproduce it; not a valid bound. */
    NOT_A_BOUND
  }

  /** Short name, as in the JSON of {@code sordino account}. */
  String name();

  /** Which data sets the answers are about. */
  Neighboring neighboring();

  /** How far the answers may be relied upon. */
  Evidence evidence();

  /** Whether {@link #epsilon} and {@link #delta} answer for this event and all it is made of. */
  boolean supports(PrivacyEvent event);

  /**
   * The smallest epsilon this accountant can vouch for.
   *
   * @param delta in [0, 1]
   * @return at least 0, possibly infinite
   * @throws IllegalArgumentException if the event is not supported; the message names it
   */
  double epsilon(PrivacyEvent event, double delta);

  /**
   * The smallest delta this accountant can vouch for.
   *
   * @param epsilon at least 0
   * @return in [0, 1]
   * @throws IllegalArgumentException if the event is not supported; the message names it
   */
  double delta(PrivacyEvent event, double epsilon);
}
