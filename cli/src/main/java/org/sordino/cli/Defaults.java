package org.sordino.cli;

import org.sordino.mechanism.Layout;
import org.sordino.training.Optimiser;
import org.sordino.training.Schedule;

/**
 * What a linear model on a table gets unless the user says otherwise: functions of public numbers
 * only, never of the records.
 *
 * @param expectedBatch large, because noise is shared by all records of a step
 * @param steps enough for the parameters to settle
 * @param clip about the norm of a gradient: every column contributes about 1 to its square
 * @param clipping the rule
 * @param optimiser with its learning rate
 * @param schedule of the learning rate
 * @param averaging of the parameters
 */
record Defaults(
    double expectedBatch,
    long steps,
    double clip,
    TrainOptions.ClippingRule clipping,
    Optimiser optimiser,
    Schedule schedule,
    double averaging) {

  /**
   * Defaults for a model.
   *
   * @param records the population
   * @param layout its parameters
   * @param columns of the table, before encoding
   */
  static Defaults of(long records, Layout layout, int columns) {
    return new Defaults(
        Math.min(records, Math.max(256, Math.min(16_384, records / 8.0))),
        400,
        0.5 * Math.sqrt(1 + columns),
        TrainOptions.ClippingRule.flat,
        new Optimiser.Sgd(0.5, 0.9),
        Schedule.cosine(0),
        0.9);
  }
}
