package org.sordino.cli;

import org.sordino.training.Optimiser;
import org.sordino.training.Schedule;
import org.sordino.training.WeightDecay;

/**
 * What a model gets unless the user says otherwise: functions of public numbers only, never of the
 * records.
 *
 * @param expectedBatch large, because noise is shared by all records of a step
 * @param steps enough for the parameters to settle
 * @param clip the bound
 * @param clipping the rule
 * @param optimiser with its learning rate
 * @param schedule of the learning rate
 * @param weightDecay of the parameters
 * @param averaging of the parameters
 */
record Defaults(
    double expectedBatch,
    long steps,
    double clip,
    TrainOptions.ClippingRule clipping,
    Optimiser optimiser,
    Schedule schedule,
    WeightDecay weightDecay,
    double averaging) {

  /**
   * Defaults for a linear model on a table. Chosen on census tables, digits and synthetic tables
   * with text, missing values and heavy tails, at epsilon 0.5 to 8: large batches, because the
   * noise is shared by all records of a step; Adam, because columns differ in scale; a little
   * decay, which holds the noise in columns that do not matter.
   *
   * @param records the population
   */
  static Defaults ofTable(long records) {
    return new Defaults(
        Math.min(Math.max(1, records / 2), 16_384),
        400,
        1,
        TrainOptions.ClippingRule.flat,
        Optimiser.adam(0.07),
        Schedule.linear(0),
        new WeightDecay(0.01, WeightDecay.Place.DECOUPLED),
        0);
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
        WeightDecay.none(),
        0);
  }
}
