package org.sordino.ledger;

import java.util.List;
import org.sordino.PrivacyEvent;

/**
 * A line of a ledger after the header. As with {@link PrivacyEvent}, the meaning of a kind never
 * changes once released. Anything that the existing kinds cannot express gets a new kind, which
 * older readers reject.
 */
public sealed interface Entry {

  /**
   * A reservation: each of the steps {@code from} to {@code from + count - 1} will apply {@code
   * perStep} to the records.
   *
   * @param from first of the steps, and the first step that was not yet reserved
   * @param count number of steps
   * @param perStep privacy event of each step
   */
  record Reserve(long from, long count, PrivacyEvent perStep) implements Entry {

    public Reserve {
      requireStep("from", from);
      requireStep("count", count);
      requireStep("from + count", from + count);
    }

    /** Returns the first step after the reserved ones. */
    public long end() {
      return from + count;
    }

    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.reserve(this);
    }
  }

  /**
   * A query outside the steps, answered once.
   *
   * @param name description of the query, for human readers
   * @param event privacy event of the query
   */
  record Query(String name, PrivacyEvent event) implements Entry {

    public Query {
      if (name.isBlank()) {
        throw new IllegalArgumentException("the name of a query must not be blank");
      }
    }

    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.query(this);
    }
  }

  /**
   * The bounds and noise of a step, and of all later steps until the next such entry. If they imply
   * a smaller noise multiplier than the reservation of a step, the step costs as much as one with
   * the smaller multiplier. They never lower the cost.
   *
   * @param step first step with these values
   * @param groups values of each group of vectors
   */
  record RealizedEntry(long step, List<Realized> groups) implements Entry {

    public RealizedEntry {
      requireStep("step", step);
      groups = List.copyOf(groups);
    }

    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.realized(this);
    }
  }

  /**
   * A new attempt: from this step on, the run is repeated with fresh randomness. Earlier
   * reservations remain spent.
   *
   * @param from first step that is repeated
   * @param reason reason, for human readers
   */
  record Restart(long from, String reason) implements Entry {

    public Restart {
      requireStep("from", from);
    }

    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.restart(this);
    }
  }

  /**
   * The end of the run. Steps that the last attempt reserved from step {@code steps} on were not
   * used and are not spent.
   *
   * @param steps number of steps of the run
   */
  record Finish(long steps) implements Entry {

    public Finish {
      requireStep("steps", steps);
    }

    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.finish(this);
    }
  }

  /** Handles every kind of entry. */
  interface Visitor<R> {
    R reserve(Reserve entry);

    R query(Query entry);

    R realized(RealizedEntry entry);

    R restart(Restart entry);

    R finish(Finish entry);
  }

  /** Calls the visitor's method for this kind. */
  <R> R accept(Visitor<R> visitor);

  private static void requireStep(String name, long value) {
    if (value < 0 || value > PrivacyEvent.MAX_COUNT) {
      throw new IllegalArgumentException(
          name + " must be in [0, " + PrivacyEvent.MAX_COUNT + "], got " + value);
    }
  }
}
