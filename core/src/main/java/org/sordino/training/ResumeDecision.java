package org.sordino.training;

import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import org.sordino.ledger.LedgerContents;
import org.sordino.random.RandomKey;

/**
 * What to do with a run that is resumed. A step may be replayed under its old key only if the
 * replay is the same bit for bit; otherwise two different sums would get the same noise.
 */
sealed interface ResumeDecision {

  /** The run is over; nothing is left to do. */
  record Finished() implements ResumeDecision {

    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.finished();
    }
  }

  /** No step was reserved and there is no checkpoint: the run begins, and nothing counts again. */
  record Begin() implements ResumeDecision {

    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.begin();
    }
  }

  /**
   * Nothing has changed: the run continues from its checkpoint under its old key, and what is
   * replayed costs nothing.
   *
   * @param key the old key
   * @param pins the pins of the checkpoint
   */
  record Replay(RandomKey key, String pins) implements ResumeDecision {

    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.replay(key, pins);
    }
  }

  /**
   * A replay would differ: the run continues under a fresh key, and its steps count again.
   *
   * @param reason why, for people
   */
  record Restart(String reason) implements ResumeDecision {

    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.restart(reason);
    }
  }

  /** One method for every decision. */
  interface Visitor<R> {
    R finished();

    R begin();

    R replay(RandomKey key, String pins);

    R restart(String reason);
  }

  /** Calls the visitor's method for this decision. */
  <R> R accept(Visitor<R> visitor);

  /**
   * Decides.
   *
   * @param ledger the contents of the run's ledger
   * @param saved the last checkpoint, if it was found
   * @param key finds the key of the run; called only if the answer depends on it
   * @param pins computes under a key what must be unchanged for a replay; called only if the answer
   *     depends on it, because it reads all records
   */
  static ResumeDecision of(
      LedgerContents ledger,
      Optional<Checkpoint> saved,
      Supplier<Optional<RandomKey>> key,
      Function<RandomKey, String> pins) {
    if (ledger.finished()) {
      return new Finished();
    }
    if (saved.isEmpty() && ledger.reserved() == 0) {
      return new Begin();
    }
    Optional<RandomKey> found = key.get();
    if (found.isEmpty()) {
      return new Restart("the key of the run was not found");
    }
    if (saved.isEmpty()) {
      return new Restart("the checkpoint was not found");
    }
    String current = pins.apply(found.get());
    return saved.get().pins().equals(current)
        ? new Replay(found.get(), current)
        : new Restart("records, plan, program, Java or processor have changed");
  }
}
