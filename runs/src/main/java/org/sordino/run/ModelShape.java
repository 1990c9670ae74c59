package org.sordino.run;

import java.util.List;
import org.sordino.mechanism.Layout;

/**
 * The facts about a model and its inputs on which a plan is based. All of them are public, except
 * for those that follow from a schema that was not declared.
 *
 * @param layout layout of the parameters
 * @param classes number of classes; 0 for a regression
 * @param channels number of channels of an input; normalization has one mean and one variance for
 *     each
 * @param width number of values in an input
 * @param preprocessing preprocessing of inputs
 * @param network whether the model is a neural network
 */
public record ModelShape(
    Layout layout,
    int classes,
    int channels,
    int width,
    Preprocessing preprocessing,
    boolean network) {

  /** Returns the names of the vectors that the optimizer updates. */
  public List<String> gradients() {
    return layout.vectors(Layout.Role.GRADIENT).stream().map(Layout.Vector::name).toList();
  }

  /**
   * Returns the running statistics of batch normalization, which are updated without a gradient.
   */
  public List<Layout.Vector> statistics() {
    return layout.vectors(Layout.Role.MOVING_AVERAGE);
  }
}
