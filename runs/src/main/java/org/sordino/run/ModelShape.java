package org.sordino.run;

import java.util.List;
import org.sordino.mechanism.Layout;

/**
 * The facts about a model and its inputs that a plan is made from. All of them are public and known
 * before any record is read.
 *
 * @param layout the parameters
 * @param classes how many classes the model tells apart; 0 for a regression
 * @param channels how many means and variances normalize an input
 * @param width how many numbers an input has
 * @param preprocessing what is done to inputs before the model sees them
 * @param network whether the model is a neural network
 */
public record ModelShape(
    Layout layout,
    int classes,
    int channels,
    int width,
    Preprocessing preprocessing,
    boolean network) {

  /** The names of the vectors that the optimizer updates. */
  public List<String> gradients() {
    return layout.vectors(Layout.Role.GRADIENT).stream().map(Layout.Vector::name).toList();
  }

  /** The running statistics of batch normalization, which are updated without a gradient. */
  public List<Layout.Vector> statistics() {
    return layout.vectors(Layout.Role.MOVING_AVERAGE);
  }
}
