package org.sordino.ledger;

import java.util.List;

/**
 * How far a run has come, and with that which entries may follow. The writer and the reader apply
 * the same rules, so no ledger is written that cannot be read.
 *
 * @param start the first step of the current attempt
 * @param reserved the first step that is not reserved
 * @param realized the values of the last step that had new ones in this attempt, or none
 * @param executed the current attempt is known to have executed the steps before this one
 * @param finished the number of steps of a run that is over, otherwise {@link #OPEN}
 */
record LedgerState(long start, long reserved, List<Realized> realized, long executed, long finished)
    implements Entry.Visitor<LedgerState> {

  static final long OPEN = -1;

  /** Behind the header. */
  static final LedgerState START = new LedgerState(0, 0, List.of(), 0, OPEN);

  /**
   * Where the run stands after one more entry.
   *
   * @throws IllegalArgumentException if this entry cannot follow
   */
  LedgerState after(Entry entry) {
    if (isFinished()) {
      throw new IllegalArgumentException(
          "nothing may follow the end of a run, which came after " + finished + " steps");
    }
    return entry.accept(this);
  }

  boolean isFinished() {
    return finished != OPEN;
  }

  /** Whether these values are the last written ones; allocates nothing. */
  boolean isRealized(List<Realized> groups) {
    int size = groups.size();
    if (size != realized.size()) {
      return false;
    }
    for (int i = 0; i < size; i++) {
      if (!groups.get(i).equals(realized.get(i))) {
        return false;
      }
    }
    return true;
  }

  /** A step that was not reserved must not have happened. */
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
              + "; to run steps again, restart");
    }
    return new LedgerState(start, entry.end(), realized, executed, OPEN);
  }

  @Override
  public LedgerState query(Entry.Query entry) {
    return this;
  }

  @Override
  public LedgerState realized(Entry.RealizedEntry entry) {
    requireReserved(entry.step());
    long known = Math.max(executed, entry.step() + 1);
    return new LedgerState(start, reserved, entry.groups(), known, OPEN);
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
    return new LedgerState(entry.from(), entry.from(), List.of(), 0, OPEN);
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
              + "], from what was executed to what was reserved, got "
              + entry.steps());
    }
    return new LedgerState(start, reserved, realized, executed, entry.steps());
  }
}
