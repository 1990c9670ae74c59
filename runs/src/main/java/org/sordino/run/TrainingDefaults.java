package org.sordino.run;

import org.sordino.training.Optimizer;
import org.sordino.training.Schedule;
import org.sordino.training.Unit;
import org.sordino.training.WeightDecay;

/**
 * The default settings of training. They are functions of public numbers only, never of the
 * records.
 *
 * @param expectedBatch expected batch size; large, because all records of a step share the noise
 * @param steps number of steps; enough for the parameters to converge
 * @param clip clipping bound of the whole gradient
 * @param optimizer optimizer with its learning rate
 * @param schedule learning rate schedule
 * @param weightDecay weight decay
 * @param averaging decay of the moving average of the parameters, or 0
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
   * Returns the defaults for a linear model on a table. They were tuned on census tables, digits
   * and synthetic tables with text, missing values and heavy tails, at epsilon 0.5 to 8.
   *
   * <ul>
   *   <li>The batch is large, because all records of a step share the noise.
   *   <li>The optimizer is Adam, because columns differ in scale.
   *   <li>A small weight decay limits the noise that accumulates in uninformative columns.
   * </ul>
   *
   * @param records population
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
   * Returns the defaults for a network, which are the settings of the reproduced papers for MNIST.
   *
   * @param records population
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
   * Returns the defaults for a model and a unit of privacy.
   *
   * @param network whether the model is a neural network
   * @param unit unit of privacy
   * @param records population, counted in that unit
   */
  static TrainingDefaults of(boolean network, Unit unit, long records) {
    if (unit.kind() == Unit.Kind.USER_UPDATE) {
      return ofUpdates(network, records);
    }
    return network ? ofNetwork(records) : ofTable(records);
  }

  /**
   * Returns the defaults for user updates (federated training). They were tuned on digits of 1,000
   * users and on a census table.
   *
   * <ul>
   *   <li>A round includes as many users as possible, because they share its noise.
   *   <li>The clipping bound is so small that nearly every update is clipped; the average is then
   *       an average of directions.
   *   <li>The server takes large steps along the average, which become smaller toward the end.
   * </ul>
   *
   * @param users population
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
