package org.sordino.ledger;

import java.util.List;
import org.sordino.PrivacyEvent;

/**
 * One line of a ledger behind its header. As with {@link PrivacyEvent}, the meaning of a kind never
 * changes once released, and what cannot be said gets a new kind, which older readers refuse.
 */
public sealed interface Entry {

  /**
   * Steps {@code from} to {@code from + count - 1} will each do {@code perStep} to the records.
   *
   * @param from the first of the steps, which is the first that was not yet reserved
   * @param count how many
   * @param perStep what each of them does
   */
  record Reserve(long from, long count, PrivacyEvent perStep) implements Entry {

    public Reserve {
      requireStep("from", from);
      requireStep("count", count);
      requireStep("from + count", from + count);
    }

    /** The first step behind the reserved ones. */
    public long end() {
      return from + count;
    }

    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.reserve(this);
    }
  }

  /**
   * A query outside the steps was answered, once.
   *
   * @param name what was asked, for people
   * @param event what was done to the records
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
   * The bounds and deviations of a step, and of all steps behind it until the next such entry. It
   * informs; the cost is in the reservations.
   *
   * @param step the step
   * @param groups one per group of vectors
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
   * A new attempt: from this step on, the run is done again with fresh randomness. What was
   * reserved before stays spent.
   *
   * @param from the first step that is run again
   * @param reason why, for people
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
   * The run is over. What the last attempt had reserved from step {@code steps} on was not used and
   * is not spent.
   *
   * @param steps how many steps the run has
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

  /** Answers for every kind of entry. */
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
