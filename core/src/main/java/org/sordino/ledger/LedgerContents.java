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
   * All that was or may have been done to the records: every query, and every step that was ever
   * reserved, except what the last attempt of a finished run did not use. Equal events are merged;
   * a plain run of T steps is its event T times.
   *
   * @throws ArithmeticException if an event happened more often than a {@code long} can count
   */
  public PrivacyEvent event() {
    return Tally.of(entries);
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
