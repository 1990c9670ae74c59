package org.sordino.torch;

/** How much memory a record takes, roughly, and what follows from it. Depends on shapes only. */
final class Footprint {

  /** What is taped should still be in the cache when gradients are made of it. */
  private static final long CACHED = 32L << 20;

  private static final int FEWEST = 8;

  /** Half of what {@link Shards#most} allows by default, so that a range has two parts. */
  private static final int LARGEST = 160;

  /** Plain features have few activations and many weights: fewer, larger sums. */
  private static final int LARGEST_PLAIN = 512;

  private Footprint() {}

  /** How many records share a sum in float32. */
  static int largestBatch(Architecture architecture) {
    return architecture.input().length == 1 ? LARGEST_PLAIN : LARGEST;
  }

  /** How many records are taped at a time. */
  static int taped(Architecture architecture) {
    long bytes = 4 * numbers(architecture.layers(), architecture.input());
    long fitting = Long.highestOneBit(Math.max(1, CACHED / Math.max(1, bytes)));
    return (int) Math.max(FEWEST, Math.min(largestBatch(architecture), fitting));
  }

  /** Activations with their derivatives, and gradients, as if all were written out. */
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
