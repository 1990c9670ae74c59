package org.sordino.torch;

import org.bytedeco.pytorch.Tensor;
import org.sordino.random.RandomKey;
import org.sordino.random.RandomStream;

/**
 * Dropout of one batch. The key is public. An example's mask depends on it, on the step and on the
 * content of the example, and not on its number: where one is taken out, the others move up, and
 * would get other masks. So a step can be repeated bit for bit, and nobody's mask depends on other
 * examples or on how the table is cut into parts. Equal examples have equal masks.
 */
final class Masks {

  private final RandomStream[] streams;

  /**
   * The masks of some examples.
   *
   * @param places numbers below 2^48 that follow from the content of the examples
   */
  Masks(RandomKey key, long step, long[] places) {
    streams = new RandomStream[places.length];
    for (int i = 0; i < places.length; i++) {
      streams[i] = key.stream(step, places[i]);
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
