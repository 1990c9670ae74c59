package org.sordino.torch;

/** Estimates the memory per record and derives batch sizes from it. Depends on shapes only. */
final class Footprint {

  /** Taped values should still be in the cache when gradients are computed from them. */
  private static final long CACHED = 32L << 20;

  private static final int FEWEST = 16;

  /** Larger tapes are hardly faster, and checking them takes longer ({@link TapeCheck}). */
  private static final int MOST = 64;

  /** Half of the default of {@link Shards#most}, so that a range is cut into two parts. */
  private static final int LARGEST = 160;

  /**
   * Limit for plain features. They have few activations and many weights, so fewer and larger
   * batches are faster.
   */
  private static final int LARGEST_PLAIN = 512;

  private Footprint() {}

  /** Returns the maximum number of records that share a float32 sum. */
  static int largestBatch(Architecture architecture) {
    return architecture.input().length == 1 ? LARGEST_PLAIN : LARGEST;
  }

  /** Returns the number of records taped at a time: a power of two, at least 16. */
  static int taped(Architecture architecture) {
    long bytes = 4 * numbers(architecture.layers(), architecture.input());
    long fitting = Long.highestOneBit(Math.max(1, CACHED / Math.max(1, bytes)));
    return (int) Math.max(FEWEST, Math.min(MOST, fitting));
  }

  /** Counts activations with their derivatives, and gradients, as if all were materialized. */
  private static long numbers(Layers layers, int[] input) {
    long numbers = 0;
    int[] shape = input;
    for (Layer layer : layers.list()) {
      int[] out = layer.output(shape);
      numbers += 3L * Shapes.size(out);
      if (layer instanceof Residual residual) {
        numbers += numbers(residual.body(), shape) + numbers(residual.shortcut(), shape);
      } else if (shape.length > 1) {
        numbers += layer.parameters(shape).stream().mapToLong(Parameter::size).sum();
      }
      shape = out;
    }
    return numbers;
  }
}
