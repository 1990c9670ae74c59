package org.sordino.torch;

import java.util.Arrays;
import java.util.Map;
import org.bytedeco.pytorch.Tensor;
import org.jspecify.annotations.Nullable;

/**
 * Clips and sums the records of a batch in float32, and adds the sums exactly to those of other
 * batches. Records are taped a few at a time, so that the taped values are still in the cache when
 * gradients are computed from them. Tapes have one of few {@link TapeSizes}.
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
          int from = 0;
          while (from < records.length) {
            int rows = step.sizes().next(records.length - from);
            int[] some = Arrays.copyOfRange(records, from, Math.min(records.length, from + rows));
            Scopes.run(() -> new TapeSum(this, some, rows, floats).run());
            from += some.length;
          }
          Scopes.withoutGradients(floats::finish);
        });
  }
}
