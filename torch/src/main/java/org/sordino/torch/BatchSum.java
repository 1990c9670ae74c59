package org.sordino.torch;

import java.util.Arrays;
import java.util.Map;
import org.bytedeco.pytorch.Tensor;
import org.jspecify.annotations.Nullable;

/**
 * Clips and sums the records of a batch in float32, and adds the sums exactly to those of other
 * batches. The records are taped a few at a time, so few that what the tape holds is still in the
 * cache when gradients are made of it.
 *
 * @param decay theta in float64, if it is inside the clip
 * @param exact whether all gradients are in float64
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
          int few = Footprint.taped(architecture);
          for (int from = 0; from < records.length; from += few) {
            int[] some = Arrays.copyOfRange(records, from, Math.min(records.length, from + few));
            Scopes.run(() -> new TapeSum(this, some, floats).run());
          }
          Scopes.withoutGradients(floats::finish);
        });
  }
}
