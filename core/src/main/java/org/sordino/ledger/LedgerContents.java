package org.sordino.ledger;

import java.util.List;
import org.sordino.PrivacyEvent;

/**
 * The verified contents of a ledger.
 *
 * @param header facts that apply to all entries
 * @param entries all entries, in the order of the file
 * @param head extent of the file
 * @param finished whether the run has ended; otherwise it is still running, or was stopped or
 *     killed and can be resumed
 */
public record LedgerContents(Header header, List<Entry> entries, Head head, boolean finished) {

  public LedgerContents {
    entries = List.copyOf(entries);
  }

  /**
   * A query, or consecutive steps with the same privacy event.
   *
   * @param event privacy event of the query or of each step
   * @param steps number of steps; 0 for a query, which happened once
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
   * Returns everything that was or may have been done to the records, in order: every query, and
   * every step that was ever reserved, except those that the last attempt of a finished run did not
   * use. A query appears at its position in the ledger, the reserved steps of an attempt at the end
   * of the attempt. Steps that were run again appear again.
   *
   * <p>If the recorded bounds and standard deviations of a step ({@link Entry.RealizedEntry}) imply
   * a smaller noise multiplier than the reserved one, the event of the step has the smaller one.
   *
   * @throws ArithmeticException if a {@code long} cannot count the steps
   */
  public List<Part> parts() {
    return LedgerParts.of(entries);
  }

  /**
   * Returns all {@link #parts} as one event. Equal events are merged; an uninterrupted run of T
   * steps is its event T times.
   *
   * @throws ArithmeticException if a {@code long} cannot count how often an event happened
   */
  public PrivacyEvent event() {
    return LedgerParts.compose(parts());
  }

  /**
   * Returns the first step that the last attempt has not reserved. The end of a run does not change
   * it.
   */
  public long reserved() {
    return state().reserved();
  }

  /**
   * Returns the number of steps of the run: all executed steps if it is finished, otherwise all
   * steps that may have been executed.
   */
  public long steps() {
    LedgerState state = state();
    return state.isFinished() ? state.finished() : state.reserved();
  }

  /**
   * Returns the event of further steps of the last attempt, for a run that is charged for steps
   * that it has not reserved yet. The last recorded bounds and standard deviations apply to them as
   * to all later steps.
   *
   * @param planned event of a step according to the plan
   */
  public PrivacyEvent later(PrivacyEvent planned) {
    return LedgerParts.last(entries).limit(planned);
  }

  private LedgerState state() {
    LedgerState state = LedgerState.START;
    for (Entry entry : entries) {
      state = state.after(entry);
    }
    return state;
  }
}
