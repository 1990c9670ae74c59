package org.sordino.cli;

import java.util.List;
import org.sordino.mechanism.Layout;

/**
 * What a plan must know of a model and its inputs: all of it public, known before any record is
 * read.
 *
 * @param layout the parameters
 * @param classes how many the model tells apart; 0 for a regression
 * @param channels how many means and deviations normalise an input
 * @param width how many numbers an input has
 * @param inputs what is done to inputs before the model sees them
 * @param network whether it is a neural network
 */
record ModelShape(
    Layout layout, int classes, int channels, int width, Preprocessing inputs, boolean network) {

  /** Stands for any model while options are checked. */
  static final ModelShape PROBE =
      new ModelShape(
          Layout.of(new Layout.Vector("weight", 1)), 2, 1, 1, Preprocessing.AS_THEY_ARE, false);

  /** The names of the vectors that an optimiser gets. */
  List<String> gradients() {
    return layout.vectors(Layout.Role.GRADIENT).stream().map(Layout.Vector::name).toList();
  }

  /** The vectors that follow the data. */
  List<Layout.Vector> statistics() {
    return layout.vectors(Layout.Role.MOVING_AVERAGE);
  }
}
