package org.sordino.run;

import org.sordino.training.Optimizer;
import org.sordino.training.Schedule;
import org.sordino.training.Unit;
import org.sordino.training.WeightDecay;

/**
 * What a model gets unless the user says otherwise: functions of public numbers only, never of the
 * records.
 *
 * @param expectedBatch large, because noise is shared by all records of a step
 * @param steps enough for the parameters to settle
 * @param clip the bound on a record, flat
 * @param optimizer with its learning rate
 * @param schedule of the learning rate
 * @param weightDecay of the parameters
 * @param averaging of the parameters
 */
public record TrainingDefaults(
    double expectedBatch,
    long steps,
    double clip,
    Optimizer optimizer,
    Schedule schedule,
    WeightDecay weightDecay,
    double averaging) {

  /**
   * TrainingDefaults for a linear model on a table. Chosen on census tables, digits and synthetic
   * tables with text, missing values and heavy tails, at epsilon 0.5 to 8: large batches, because
   * the noise is shared by all records of a step; Adam, because columns differ in scale; a little
   * decay, which holds the noise in columns that do not matter.
   *
   * @param records the population
   */
  public static TrainingDefaults ofTable(long records) {
    return new TrainingDefaults(
        Math.min(Math.max(1, records / 2), 16_384),
        400,
        1,
        Optimizer.adam(0.07),
        Schedule.linear(0),
        new WeightDecay(0.01, WeightDecay.Place.DECOUPLED),
        0);
  }

  /**
   * TrainingDefaults for a network: the setting in which the papers train on MNIST.
   *
   * @param records the population
   */
  public static TrainingDefaults ofNetwork(long records) {
    double batch = Math.min(records, 512);
    return new TrainingDefaults(
        batch,
        Math.max(1, Math.round(15 * records / batch)),
        1,
        new Optimizer.Sgd(0.5, 0.5),
        Schedule.linear(0.1),
        WeightDecay.none(),
        0);
  }

  /**
   * TrainingDefaults for a model and the kind of its records.
   *
   * @param network whether it is a neural network
   * @param records the population: how many of these records there are
   */
  static TrainingDefaults of(boolean network, Unit unit, long records) {
    if (unit.kind() == Unit.Kind.USER_UPDATE) {
      return ofUpdates(network, records);
    }
    return network ? ofNetwork(records) : ofTable(records);
  }

  /**
   * TrainingDefaults for updates of users, found on digits of 1,000 users and a census table: as
   * many users in a round as there are, because they share its noise; a bound so small that nearly
   * every update is clipped, so that directions are averaged; and a server that takes long steps
   * along the average, shorter ones towards the end.
   *
   * @param users the population
   */
  private static TrainingDefaults ofUpdates(boolean network, long users) {
    return new TrainingDefaults(
        Math.min(users, network ? 2048 : 16_384),
        network ? 30 : 100,
        0.2,
        new Optimizer.Sgd(4, 0.8),
        Schedule.linear(0),
        WeightDecay.none(),
        0);
  }
}
