package org.sordino.training;

import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import org.sordino.ledger.LedgerContents;
import org.sordino.random.RandomKey;

/**
 * Decision on how to resume a run. A step may be replayed under its old key only if the replay is
 * identical bit for bit. Otherwise two different sums would get the same noise.
 */
sealed interface ResumeDecision {

  /** The run is finished; nothing is left to do. */
  record Finished() implements ResumeDecision {

    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.finished();
    }
  }

  /**
   * No step was reserved and there is no checkpoint. The run starts at its first step and nothing
   * is counted again.
   */
  record Begin() implements ResumeDecision {

    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.begin();
    }
  }

  /**
   * Nothing has changed. The run continues from its checkpoint under its old key, and the replayed
   * steps cost nothing.
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
   * A replay would differ. The run continues under a fresh key, and its steps are counted again.
   *
   * @param reason reason shown to users and recorded in the ledger
   */
  record Restart(String reason) implements ResumeDecision {

    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.restart(reason);
    }
  }

  /** Visitor with one method for every decision. */
  interface Visitor<R> {
    R finished();

    R begin();

    R replay(RandomKey key, String pins);

    R restart(String reason);
  }

  /** Calls the visitor's method for this decision. */
  <R> R accept(Visitor<R> visitor);

  /**
   * Decides how to resume a run.
   *
   * @param ledger contents of the ledger
   * @param saved the last checkpoint, if it was found
   * @param key finds the key of the run; called only if the decision depends on it
   * @param pins computes, under a key, everything that must be unchanged for a replay; called only
   *     if the decision depends on it, because it reads all records
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
