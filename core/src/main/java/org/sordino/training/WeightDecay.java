package org.sordino.training;

/**
 * L2 regularization with strength lambda, and where in the step it acts. The cost in privacy is the
 * same everywhere, because the parameters are public; what training converges to is not (Guo 2024).
 *
 * @param lambda the strength, at least 0
 * @param place where it acts
 */
public record WeightDecay(double lambda, Place place) {

  /** Where in the step the decay acts. */
  public enum Place {
    /**
     * lambda theta joins the noised gradient, as in SGD of torch and Opacus. Clipped gradients have
     * a norm of at most S, so this ends where lambda |theta| = S, whatever the data say.
     */
    AFTER_NOISE,

    /** theta shrinks by eta lambda theta in every step, outside the optimizer, as in AdamW. */
    DECOUPLED,

    /** Every record's gradient gets lambda theta before it is clipped: the regularized loss. */
    INSIDE_CLIP
  }

  public WeightDecay {
    if (!(lambda >= 0 && lambda < Double.POSITIVE_INFINITY)) {
      throw new IllegalArgumentException(
          "weight decay must be finite and at least 0, got " + lambda);
    }
  }

  /** No regularization. */
  public static WeightDecay none() {
    return new WeightDecay(0, Place.INSIDE_CLIP);
  }

  /** lambda, if it acts in this place; otherwise 0. */
  double at(Place asked) {
    return place == asked ? lambda : 0;
  }
}
