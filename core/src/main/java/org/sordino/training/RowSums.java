package org.sordino.training;

import java.util.stream.IntStream;
import org.sordino.mechanism.Clipping;
import org.sordino.mechanism.Layout;
import org.sordino.random.RandomKey;
import org.sordino.sampling.PoissonSample;

/**
 * Base class of engines that sum over rows. Each example is bounded separately and added with
 * weight 1 / m, where m is the number of examples of its record. The mean of vectors within a bound
 * is also within it, so records with several examples are bounded, too.
 */
abstract class RowSums implements GradientEngine {

  private final String name;
  private final Layout layout;
  private final Rows rows;
  private final Records records;

  RowSums(String name, Layout layout, Rows rows, Records records) {
    this.name = name;
    this.layout = layout;
    this.rows = rows;
    this.records = records;
  }

  /** Adds examples to sums; used by one thread only. */
  interface Adder {

    /** Adds the bounded vectors of a row, times a factor in (0, 1], each rounded toward zero. */
    void add(float[] row, double factor);
  }

  abstract Adder adder(Clipping clipping, long[] sums);

  @Override
  public Layout layout() {
    return layout;
  }

  @Override
  public void sum(PoissonSample sample, double[] theta, Clipping clipping, long[] sums) {
    int parts = Math.min(Runtime.getRuntime().availableProcessors(), 1 + records.size() / 256);
    long[][] found =
        IntStream.range(0, parts)
            .parallel()
            .mapToObj(part -> part(part, parts, sample, clipping))
            .toArray(long[][]::new);
    LinearEngine.addExactly(found, sums);
  }

  private long[] part(int part, int parts, PoissonSample sample, Clipping clipping) {
    long from = (long) records.size() * part / parts;
    long to = (long) records.size() * (part + 1) / parts;
    long[] sums = new long[layout.dimension()];
    Adder adder = adder(clipping, sums);
    float[] row = new float[rows.width()];
    sample.forEach(
        from,
        to,
        record -> {
          int[] members = records.members((int) record);
          for (int example : members) {
            rows.read(example, row);
            adder.add(row, 1.0 / members.length);
          }
        });
    return sums;
  }

  @Override
  public byte[] fingerprint(RandomKey key) {
    Fingerprint fingerprint = Fingerprint.of(key).add(name).add(records.bytes());
    float[] row = new float[rows.width()];
    for (int example = 0; example < rows.size(); example++) {
      rows.read(example, row);
      fingerprint.add(row);
    }
    return fingerprint.digest();
  }
}
