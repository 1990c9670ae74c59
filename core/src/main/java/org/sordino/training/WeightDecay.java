package org.sordino.training;

/**
 * L2 regularization with strength lambda, and the place in a step where it is applied. The privacy
 * cost is the same for all places, because the parameters are public. The solution to which
 * training converges depends on the place (Guo 2024).
 *
 * @param lambda strength, at least 0; inside the clip, 0 or in [10^-30, 10^30]
 * @param place where the decay is applied
 */
public record WeightDecay(double lambda, Place place) {

  /** Place in a step where the decay is applied. */
  public enum Place {
    /**
     * lambda theta is added to the noisy gradient, as in SGD of PyTorch and Opacus. Clipped
     * gradients have a norm of at most S, so the parameters stop growing at lambda |theta| = S,
     * regardless of the data.
     */
    AFTER_NOISE,

    /**
     * theta shrinks by eta lambda theta in every step, separately from the optimizer, as in AdamW.
     */
    DECOUPLED,

    /**
     * lambda theta is added to the gradient of every record before clipping: the regularized loss.
     */
    INSIDE_CLIP
  }

  public WeightDecay {
    if (!(lambda >= 0 && lambda < Double.POSITIVE_INFINITY)) {
      throw new IllegalArgumentException(
          "weight decay must be finite and at least 0, got " + lambda);
    }
    if (place == Place.INSIDE_CLIP && !(lambda == 0 || lambda >= 1e-30 && lambda <= 1e30)) {
      throw new IllegalArgumentException(
          "weight decay inside the clip must be 0 or in [1e-30, 1e30], got " + lambda);
    }
  }

  /** Returns no regularization. */
  public static WeightDecay none() {
    return new WeightDecay(0, Place.INSIDE_CLIP);
  }

  /** Returns lambda if the decay is applied in this place, otherwise 0. */
  double at(Place other) {
    return place == other ? lambda : 0;
  }
}
