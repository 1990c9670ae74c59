package org.sordino.training;

import org.sordino.mechanism.Clipping;
import org.sordino.mechanism.Layout;
import org.sordino.random.RandomKey;
import org.sordino.sampling.PoissonSample;

/**
 * The seam between the private step and whatever computes on the records: it turns a sample into
 * the exact sum of the clipped vectors of its records. An engine neither adds noise nor sees the
 * ledger; which records are in is fixed by the sample, how much each may contribute by the clipping
 * rule. Implementations keep the records to themselves: nothing but the sums leaves them, no
 * message, counter or exception depends on a record's values.
 */
public interface GradientEngine extends AutoCloseable {

  /** The vectors that a record yields. */
  Layout layout();

  /** What a record is; a plan is executed by engines of its own kind of records only. */
  default Unit unit() {
    return Unit.example();
  }

  /**
   * Adds up the clipped vectors of the sampled records.
   *
   * <p>For record i with vectors v_ij (plus lambda theta_j where {@link Clipping#insideDecay} asks
   * for it) the engine finds an upper bound on every squared norm |v_ij|^2, lets the rule turn them
   * into weights w_ij, and adds w_ij v_ij to {@code sums} in units of {@link Clipping#unit}. A
   * record that is not finite contributes zero. The result depends on the arguments and the records
   * only, bit for bit, not on threads or timing.
   *
   * @param sample which records
   * @param theta the current parameters, in the order of the layout
   * @param clipping the rule
   * @param sums the flat array to add to
   * @throws ArithmeticException if a sum overflows: more records than the population declared
   */
  void sum(PoissonSample sample, double[] theta, Clipping clipping, long[] sums);

  /**
   * How much the rounding inside {@link #sum} may add to one record's contribution, relative to its
   * bound. The step clips that much tighter. Zero where every record is added exactly.
   */
  default double roundingSlack() {
    return 0;
  }

  /**
   * A keyed digest of the records and of every choice that may change a bit of a sum. A resumed run
   * replays steps under the old key only if it finds the same.
   */
  byte[] fingerprint(RandomKey key);

  @Override
  default void close() {}
}
