package org.sordino.ledger;

import java.util.List;
import org.sordino.PrivacyEvent;

/**
 * A ledger that was read and verified.
 *
 * @param header what holds for all entries
 * @param entries all entries, in the order of the file
 * @param head how far the file goes
 * @param finished whether the run has ended; otherwise it runs, was killed, or can be resumed
 */
public record LedgerContents(Header header, List<Entry> entries, Head head, boolean finished) {

  public LedgerContents {
    entries = List.copyOf(entries);
  }

  /**
   * A query, or consecutive steps that all did the same.
   *
   * @param event what the query or each of the steps did to the records
   * @param steps the number of steps; 0 for a query, which happened once
   */
  public record Part(PrivacyEvent event, long steps) {

    public Part {
      if (steps < 0) {
        throw new IllegalArgumentException("steps must be at least 0, got " + steps);
      }
    }

    /** Returns how often the event happened: 1 for a query, otherwise the number of steps. */
    public long times() {
      return steps == 0 ? 1 : steps;
    }
  }

  /**
   * Returns what was or may have been done to the records, in order: every query, and every step
   * that was ever reserved, except what the last attempt of a finished run did not use. A query is
   * at its place; the reserved steps of an attempt follow where the attempt ends. Steps that were
   * run again appear again.
   *
   * @throws ArithmeticException if a {@code long} cannot count the steps
   */
  public List<Part> parts() {
    return LedgerParts.of(entries);
  }

  /**
   * Returns all {@link #parts} as one event. Equal events are merged; a plain run of T steps is its
   * event T times.
   *
   * @throws ArithmeticException if a {@code long} cannot count how often an event happened
   */
  public PrivacyEvent event() {
    return LedgerParts.compose(parts());
  }

  /** The first step that the last attempt has not reserved; its end gives none of them back. */
  public long reserved() {
    return state().reserved();
  }

  /** The steps of the run: executed ones if it is finished, otherwise all that may have been. */
  public long steps() {
    LedgerState state = state();
    return state.isFinished() ? state.finished() : state.reserved();
  }

  private LedgerState state() {
    LedgerState state = LedgerState.START;
    for (Entry entry : entries) {
      state = state.after(entry);
    }
    return state;
  }
}
