package org.sordino.torch;

import java.util.Arrays;
import java.util.Map;
import org.bytedeco.pytorch.Tensor;
import org.jspecify.annotations.Nullable;

/**
 * Clips and sums the records of a batch in float32, and adds the sums exactly to those of other
 * batches. Records are taped a few at a time, so that the taped values are still in the cache when
 * gradients are computed from them. Every tape has the same number of rows; see {@link TapeCheck}.
 *
 * @param decay theta in float64 if weight decay is applied inside the clip, otherwise null
 * @param exact whether all gradients are computed in float64
 */
record BatchSum(EngineStep step, int[] records, @Nullable Map<String, Tensor> decay, boolean exact)
    implements Runnable {

  @Override
  public void run() {
    Scopes.run(
        () -> {
          Architecture architecture = step.network().architecture();
          FloatSums floats =
              new FloatSums(architecture.layout().size(), step.clipping(), step.sums());
          int rows = step.rows();
          for (int from = 0; from < records.length; from += rows) {
            int[] some = Arrays.copyOfRange(records, from, Math.min(records.length, from + rows));
            Scopes.run(() -> new TapeSum(this, some, floats).run());
          }
          Scopes.withoutGradients(floats::finish);
        });
  }
}
