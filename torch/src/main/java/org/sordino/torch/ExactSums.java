package org.sordino.torch;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch.ScalarType;
import org.sordino.mechanism.Clipping;
import org.sordino.mechanism.Layout;
import org.sordino.training.RecordMetrics;

/**
 * Adds the sums of batches as integer multiples of a unit, so that the result does not depend on
 * their order. For models with many parameters this is slow. A thread that has finished a batch
 * therefore adds its sums while other threads are still computing. The sums of the last batch are
 * added by all threads together.
 */
final class ExactSums implements AutoCloseable {

  /** Elements per lock. Two threads wait for each other only while they add to the same piece. */
  private static final int PIECE = 1 << 12;

  /** Upper limit of the sums, in units; the noise has headroom above it. */
  private static final double LARGEST = 0x1p62;

  /** Buffers reused per thread; allocating arrays for every sum would produce too much garbage. */
  private static final ThreadLocal<double[]> DOUBLES =
      ThreadLocal.withInitial(() -> new double[PIECE]);

  private static final ThreadLocal<float[]> FLOATS =
      ThreadLocal.withInitial(() -> new float[PIECE]);

  /** A pending addition of {@code values + decay * theta} to a vector. */
  private record Part(int vector, Tensor values, double decay) {}

  private final Layout layout;
  private final Clipping clipping;
  private final double[] theta;
  private final long[] sums;
  private final Object[] locks;
  private final double[] reach; // per vector: upper bound on its sum, in units
  private final AtomicInteger unfinished = new AtomicInteger();
  private final List<Part> waiting = new ArrayList<>();

  ExactSums(Layout layout, Clipping clipping, double[] theta, long[] sums) {
    this.layout = layout;
    this.clipping = clipping;
    this.theta = theta;
    this.sums = sums;
    this.reach = new double[layout.size()];
    this.locks = new Object[sums.length / PIECE + 1];
    Arrays.setAll(locks, piece -> new Object());
  }

  /** Sets the number of batches. */
  void expect(int batches) {
    unfinished.set(batches);
  }

  /**
   * Returns whether the calling batch is the last to be computed. Must be called once per batch.
   */
  boolean isLast() {
    return unfinished.decrementAndGet() == 0;
  }

  /**
   * Adds {@code values + decay * theta} to a vector.
   *
   * @param norms sum of the norms of the records' contributions
   * @param wait whether to defer the addition to {@link #finish}
   */
  void add(int vector, Tensor values, double decay, double norms, boolean wait) {
    claim(vector, norms);
    Tensor exact = decay == 0 ? values : values.to(ScalarType.Double);
    Part part = new Part(vector, exact.contiguous(), decay);
    if (wait) {
      part.values.retainReference(); // must outlive the scope of the batch
      waiting.add(part);
    } else {
      add(part, layout.offset(vector), layout.offset(vector + 1));
    }
  }

  /** Performs all deferred additions. */
  void finish(Slices slices) {
    for (Part part : waiting) {
      int first = layout.offset(part.vector);
      int length = layout.offset(part.vector + 1) - first;
      slices.forEach(length, (from, to) -> add(part, first + from, first + to));
    }
  }

  /** Frees the tensors of deferred additions. */
  @Override
  public void close() {
    waiting.forEach(part -> part.values.releaseReference());
  }

  private void add(Part part, int first, int end) {
    for (int from = first; from < end; ) {
      int to =
          Math.min(
              end, (from / PIECE + 1) * PIECE); // pieces are aligned to all sums, not to the vector
      if (Tensors.is(part.values, ScalarType.Double)) {
        addDoubles(part, from, to);
      } else {
        addFloats(part, from, to);
      }
      from = to;
    }
  }

  /**
   * Adds float32 values. The result is the same as in float64, because the scale is a power of two.
   */
  private void addFloats(Part part, int from, int to) {
    float[] piece = FLOATS.get();
    int at = from - layout.offset(part.vector);
    part.values.data_ptr_float().position(at).get(piece, 0, to - from);
    double scale = 1 / clipping.unit(part.vector);
    synchronized (locks[from / PIECE]) {
      for (int k = 0; k < to - from; k++) {
        sums[from + k] += (long) (piece[k] * scale);
      }
    }
  }

  private void addDoubles(Part part, int from, int to) {
    double[] piece = DOUBLES.get();
    int at = from - layout.offset(part.vector);
    part.values.data_ptr_double().position(at).get(piece, 0, to - from);
    for (int k = 0; part.decay != 0 && k < to - from; k++) {
      piece[k] += part.decay * theta[from + k];
    }
    add(piece, 0, from, to, 1 / clipping.unit(part.vector));
  }

  /** Adds the contribution of one record, which has the given norm, to a vector. */
  void add(int vector, double[] values, double norm) {
    claim(vector, norm);
    int first = layout.offset(vector);
    int end = layout.offset(vector + 1);
    for (int from = first; from < end; ) {
      int to = Math.min(end, (from / PIECE + 1) * PIECE);
      add(values, from - first, from, to, 1 / clipping.unit(vector));
      from = to;
    }
  }

  private void add(double[] values, int at, int from, int to, double scale) {
    synchronized (locks[from / PIECE]) {
      for (int k = 0; k < to - from; k++) {
        sums[from + k] += (long) (values[at + k] * scale); // the cast turns NaN into 0
      }
    }
  }

  /**
   * Throws if a sum could overflow. No element is larger than the sum of the norms, so only that
   * sum is checked. Checking every element would take longer than adding them.
   */
  private void claim(int vector, double norms) {
    synchronized (reach) {
      reach[vector] += norms / clipping.unit(vector);
      if (!(reach[vector] < LARGEST)) {
        throw new ArithmeticException(
            "the clipped sum must fit into 62 bits, but the data has more records than the declared"
                + " population; correct the population");
      }
    }
  }

  /** Adds the metrics of some records. */
  void add(RecordMetrics metrics, double[] weights) {
    if (!metrics.isEmpty()) {
      synchronized (this) {
        metrics.add(weights, sums);
      }
    }
  }
}
