package org.sordino.torch;

import org.bytedeco.pytorch.Tensor;
import org.sordino.random.RandomKey;
import org.sordino.random.RandomStream;

/**
 * Dropout masks of one batch. The key is public. The mask of an example depends on the key, the
 * step and the content of the example, but not on its index: removing an example shifts the indices
 * of later ones, which would change their masks. A step can therefore be repeated bit for bit, and
 * a mask depends neither on other examples nor on how the table is partitioned. Equal examples have
 * equal masks.
 */
final class Masks {

  private final RandomStream[] streams;

  /**
   * Creates the masks of some examples.
   *
   * @param places content hashes of the examples, below 2^48
   */
  Masks(RandomKey key, long step, long[] places) {
    streams = new RandomStream[places.length];
    for (int i = 0; i < places.length; i++) {
      streams[i] = key.stream(step, places[i]);
    }
  }

  /** Returns a mask in the shape of x: 0 with the given probability, otherwise 1 / (1 - rate). */
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
