package org.sordino.ledger;

import java.util.List;

/**
 * The state of a run, which determines the entries that may follow. Writer and reader apply the
 * same rules, so every written ledger can be read.
 *
 * @param start first step of the current attempt
 * @param reserved first step that is not reserved
 * @param realized last recorded values of this attempt; empty before the first ones
 * @param since step for which they were recorded
 * @param executed the steps before this one are known to have been executed in the current attempt
 * @param finished number of steps of a finished run, otherwise {@link #OPEN}
 */
record LedgerState(
    long start, long reserved, List<Realized> realized, long since, long executed, long finished)
    implements Entry.Visitor<LedgerState> {

  static final long OPEN = -1;

  /** The state after the header. */
  static final LedgerState START = new LedgerState(0, 0, List.of(), 0, 0, OPEN);

  /**
   * Returns the state after one more entry.
   *
   * @throws IllegalArgumentException if this entry cannot follow
   */
  LedgerState after(Entry entry) {
    if (isFinished()) {
      throw new IllegalArgumentException(
          "no entry may follow the end of the run (" + finished + " steps)");
    }
    return entry.accept(this);
  }

  boolean isFinished() {
    return finished != OPEN;
  }

  /**
   * Returns whether the last recorded values cover a step: they are equal and were not recorded for
   * a later step. Allocates no memory.
   */
  boolean isRealized(long step, List<Realized> groups) {
    int size = groups.size();
    if (step < since || size != realized.size()) {
      return false;
    }
    for (int i = 0; i < size; i++) {
      if (!groups.get(i).equals(realized.get(i))) {
        return false;
      }
    }
    return true;
  }

  /** Throws if a step is not reserved in this attempt: it must not have been executed. */
  void requireReserved(long step) {
    if (!(step >= start && step < reserved)) {
      throw new IllegalArgumentException(
          "step must be reserved in this attempt, in ["
              + start
              + ", "
              + reserved
              + "), got "
              + step);
    }
  }

  @Override
  public LedgerState reserve(Entry.Reserve entry) {
    if (entry.from() != reserved) {
      throw new IllegalArgumentException(
          "from must be the first step that is not reserved, "
              + reserved
              + ", got "
              + entry.from()
              + "; to run steps again, use restart");
    }
    return new LedgerState(start, entry.end(), realized, since, executed, OPEN);
  }

  @Override
  public LedgerState query(Entry.Query entry) {
    return this;
  }

  @Override
  public LedgerState realized(Entry.RealizedEntry entry) {
    requireReserved(entry.step());
    long known = Math.max(executed, entry.step() + 1);
    return new LedgerState(start, reserved, entry.groups(), entry.step(), known, OPEN);
  }

  @Override
  public LedgerState restart(Entry.Restart entry) {
    if (entry.from() > reserved) {
      throw new IllegalArgumentException(
          "from must be at most the number of reserved steps, "
              + reserved
              + ", got "
              + entry.from());
    }
    return new LedgerState(entry.from(), entry.from(), List.of(), entry.from(), 0, OPEN);
  }

  @Override
  public LedgerState finish(Entry.Finish entry) {
    long least = Math.max(start, executed);
    if (!(entry.steps() >= least && entry.steps() <= reserved)) {
      throw new IllegalArgumentException(
          "steps must be in ["
              + least
              + ", "
              + reserved
              + "], between the executed and the reserved steps, got "
              + entry.steps());
    }
    return new LedgerState(start, reserved, realized, since, executed, entry.steps());
  }
}
