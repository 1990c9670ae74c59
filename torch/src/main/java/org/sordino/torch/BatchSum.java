package org.sordino.torch;

import java.util.Arrays;
import java.util.Map;
import org.bytedeco.pytorch.Tensor;
import org.jspecify.annotations.Nullable;
import org.sordino.mechanism.Clipping;
import org.sordino.sampling.PoissonSample;

/**
 * Clips and sums the records of a batch in float32, and adds the sums exactly to those of other
 * batches. The records are taped a few at a time, so few that what the tape holds is still in the
 * cache when gradients are made of it.
 *
 * @param weights all parameters
 * @param decay theta in float64, if it is inside the clip
 * @param exact whether all gradients are in float64
 */
record BatchSum(
    TorchEngine engine,
    int[] records,
    PoissonSample sample,
    Map<String, Tensor> weights,
    @Nullable Map<String, Tensor> decay,
    boolean exact,
    Clipping clipping,
    ExactSums sums)
    implements Runnable {

  @Override
  public void run() {
    Scopes.run(
        () -> {
          FloatSums floats = new FloatSums(engine.architecture().layout().size());
          int few = Footprint.taped(engine.architecture());
          for (int from = 0; from < records.length; from += few) {
            int[] some = Arrays.copyOfRange(records, from, Math.min(records.length, from + few));
            Scopes.run(() -> new TapeSum(this, some, floats).run());
          }
          Scopes.withoutGradients(() -> floats.addTo(sums, clipping));
        });
  }
}
