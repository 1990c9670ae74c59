package org.sordino.cli;

import org.sordino.training.Optimiser;
import org.sordino.training.Schedule;

/**
 * What a model gets unless the user says otherwise: functions of public numbers only, never of the
 * records.
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
   * Defaults for a linear model on a table.
   *
   * @param records the population
   * @param columns of the table, before encoding
   */
  static Defaults ofTable(long records, int columns) {
    return new Defaults(
        Math.min(records, Math.max(256, Math.min(16_384, records / 8.0))),
        400,
        0.5 * Math.sqrt(1 + columns),
        TrainOptions.ClippingRule.flat,
        new Optimiser.Sgd(0.5, 0.9),
        Schedule.cosine(0),
        0.9);
  }

  /**
   * Defaults for a network: the setting in which the papers train on MNIST.
   *
   * @param records the population
   */
  static Defaults ofNetwork(long records) {
    double batch = Math.min(records, 512);
    return new Defaults(
        batch,
        Math.max(1, Math.round(15 * records / batch)),
        1,
        TrainOptions.ClippingRule.flat,
        new Optimiser.Sgd(0.5, 0.5),
        Schedule.linear(0.1),
        0);
  }
}
