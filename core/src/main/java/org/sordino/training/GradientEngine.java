package org.sordino.training;

import org.sordino.mechanism.Clipping;
import org.sordino.mechanism.Layout;
import org.sordino.random.RandomKey;
import org.sordino.sampling.PoissonSample;

/**
 * The interface between the private step and the code that computes on the records. An engine turns
 * a sample into the exact sum of the clipped vectors of its records. It does not add noise and has
 * no access to the ledger. The sample determines which records are included, and the clipping rule
 * how much each may contribute. Implementations must not disclose anything but the sums: no
 * message, counter or exception may depend on the values of a record.
 */
public interface GradientEngine extends AutoCloseable {

  /** Returns the vectors that a record contributes. */
  Layout layout();

  /**
   * Returns the unit of protection: what one record represents. A plan can be executed only by
   * engines with the same unit.
   */
  default Unit unit() {
    return Unit.example();
  }

  /**
   * Adds the clipped vectors of the sampled records to an array.
   *
   * <p>For record i with vectors v_ij (plus lambda theta_j if {@link Clipping#insideDecay} is above
   * 0), the engine computes an upper bound on every squared norm |v_ij|^2, obtains the weights w_ij
   * from the clipping rule, and adds w_ij v_ij to {@code sums} in units of {@link Clipping#unit}. A
   * record with values that are not finite contributes zero. The result is determined bit for bit
   * by the arguments and the records; it does not depend on threads or timing.
   *
   * @param sample the sampled records
   * @param theta current parameters, in the order of the layout
   * @param clipping the clipping rule
   * @param sums flat array to add to
   * @throws ArithmeticException if a sum overflows because there are more records than the declared
   *     population
   */
  void sum(PoissonSample sample, double[] theta, Clipping clipping, long[] sums);

  /**
   * Returns by how much rounding inside {@link #sum} may increase the contribution of one record,
   * relative to its bound. The step lowers the clipping bound accordingly. The value is 0 if every
   * record is added exactly. An engine with a value above 0 adds records in float32, and {@link
   * org.sordino.mechanism.Mechanism#clipping} refuses bounds that are too small for that.
   */
  default double roundingSlack() {
    return 0;
  }

  /**
   * Computes a keyed digest of the records and of every choice that may change a bit of a sum. A
   * resumed run replays steps under its old key only if this digest is unchanged.
   */
  byte[] fingerprint(RandomKey key);

  @Override
  default void close() {}
}
