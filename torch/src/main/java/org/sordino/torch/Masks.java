package org.sordino.torch;

import org.bytedeco.pytorch.Tensor;
import org.sordino.random.RandomKey;
import org.sordino.random.RandomStream;

/**
 * Dropout of one batch. A record's mask depends on the key, the step and the record's number, so
 * that a step can be repeated bit for bit, and no record changes another's mask.
 */
final class Masks {

  private final RandomStream[] streams;

  Masks(RandomKey key, long step, int[] records) {
    streams = new RandomStream[records.length];
    for (int i = 0; i < records.length; i++) {
      streams[i] = key.stream(step, records[i]);
    }
  }

  /** Zeros with the given probability, else 1 / (1 - rate), in the shape of x. */
  Tensor next(Tensor x, double rate) {
    int width = Math.toIntExact(x.numel() / x.size(0));
    float[] mask = new float[Math.toIntExact(x.numel())];
    float kept = (float) (1 / (1 - rate));
    for (int i = 0; i < mask.length; i++) {
      mask[i] = streams[i / width].nextDouble() < rate ? 0 : kept;
    }
    return Tensors.of(mask, 0, mask.length).reshape_as(x);
  }
}
