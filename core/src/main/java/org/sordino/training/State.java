package org.sordino.training;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import org.sordino.mechanism.Layout;
import org.sordino.mechanism.Mechanism;

/** Parameters, optimizer state, moving average and clipping bounds between two steps. */
final class State {

  private final TrainingPlan plan;
  private final double[] noiseVariance;
  private final double[][] slots;
  private final double[] average;

  /** Ratio of the current to the planned bound, for every group of vectors. */
  final double[] factors;

  final double[] theta;
  long step;

  private State(TrainingPlan plan, long step, double[][] arrays) {
    this.plan = plan;
    this.step = step;
    theta = arrays[0];
    int slotCount = plan.optimizer().slots();
    slots = Arrays.copyOfRange(arrays, 1, 1 + slotCount);
    average = plan.averaging() > 0 ? arrays[1 + slotCount] : theta;
    factors = arrays[arrays.length - 1];
    noiseVariance = noiseVariance(plan);
  }

  static State first(TrainingPlan plan, double[] start) {
    double[][] arrays = new double[arrayCount(plan)][start.length];
    arrays[0] = start.clone();
    arrays[arrays.length - 1] = new double[plan.mechanism().groups().size()];
    Arrays.fill(arrays[arrays.length - 1], 1);
    return new State(plan, 0, arrays);
  }

  static State of(TrainingPlan plan, Checkpoint checkpoint) {
    int length = plan.mechanism().layout().parameters();
    if (checkpoint.arrays().length != arrayCount(plan) || checkpoint.arrays()[0].length != length) {
      throw new CheckpointDamagedException(
          "the checkpoint must match the plan, got %d arrays of %d values instead of %d of %d"
              .formatted(
                  checkpoint.arrays().length,
                  checkpoint.arrays()[0].length,
                  arrayCount(plan),
                  length));
    }
    return new State(plan, checkpoint.step(), checkpoint.arrays());
  }

  double[][] arrays() {
    double[][] arrays = new double[arrayCount(plan)][];
    arrays[0] = theta;
    System.arraycopy(slots, 0, arrays, 1, slots.length);
    if (plan.averaging() > 0) {
      arrays[1 + slots.length] = average;
    }
    arrays[arrays.length - 1] = factors;
    return arrays;
  }

  /** Returns the current parameters of the model. */
  double[] model() {
    return average.clone();
  }

  /**
   * Updates the parameters: theta = theta - eta (g + lambda theta), or the corresponding update of
   * the optimizer. Moving averages and clipping bounds are updated separately.
   *
   * @param released noisy averages of all vectors, which are overwritten
   */
  void descend(double[] released) {
    Map<Integer, double[]> followed = follow(released);
    divideByBounds(released);
    double rate =
        plan.optimizer().learningRate() * plan.schedule().factor(step, plan.privacy().steps());
    double afterNoise = plan.weightDecay().at(WeightDecay.Place.AFTER_NOISE);
    double decoupled = plan.weightDecay().at(WeightDecay.Place.DECOUPLED);
    if (afterNoise > 0) {
      for (int i = 0; i < theta.length; i++) {
        released[i] += afterNoise * theta[i];
      }
    }
    if (decoupled > 0) {
      for (int i = 0; i < theta.length; i++) {
        theta[i] -= rate * decoupled * theta[i];
      }
    }
    plan.optimizer().update(theta, released, slots, step, rate, noiseVariance);
    followed.forEach((offset, values) -> System.arraycopy(values, 0, theta, offset, values.length));
    adapt(released);
    step++;
    average();
  }

  /**
   * Returns the new values of the moving averages and sets their gradient for the optimizer to
   * zero.
   */
  private Map<Integer, double[]> follow(double[] released) {
    Map<Integer, double[]> followed = new LinkedHashMap<>();
    Layout layout = plan.mechanism().layout();
    for (int vector = 0; vector < layout.size(); vector++) {
      if (layout.vectors().get(vector).role() == Layout.Role.MOVING_AVERAGE) {
        int from = layout.offset(vector);
        double[] values = Arrays.copyOfRange(theta, from, layout.offset(vector + 1));
        for (int i = 0; i < values.length; i++) {
          values[i] -= plan.movingRate() * released[from + i];
          released[from + i] = 0;
        }
        followed.put(from, values);
      }
    }
    return followed;
  }

  private void divideByBounds(double[] gradient) {
    if (plan.adaptive() == null) {
      return;
    }
    Mechanism mechanism = plan.mechanism();
    Layout layout = mechanism.layout();
    for (int group : mechanism.gradientGroups()) {
      double bound = factors[group] * mechanism.groups().get(group).bound();
      for (String name : mechanism.groups().get(group).vectors()) {
        int vector = layout.names().indexOf(name);
        for (int i = layout.offset(vector); i < layout.offset(vector + 1); i++) {
          gradient[i] /= bound;
        }
      }
    }
  }

  /** Moves every bound toward its quantile. */
  private void adapt(double[] released) {
    AdaptiveClipping adaptive = plan.adaptive();
    if (adaptive == null) {
      return;
    }
    Mechanism mechanism = plan.mechanism();
    Layout layout = mechanism.layout();
    int at = layout.offset(layout.names().indexOf(Metric.Kind.UNCLIPPED.vector()));
    for (int group : mechanism.gradientGroups()) {
      double bound = mechanism.groups().get(group).bound();
      double within = Metric.Kind.UNCLIPPED.read(released[at++]);
      factors[group] = adaptive.next(factors[group] * bound, within) / bound;
    }
  }

  /**
   * Updates the moving average, with a smaller decay in early steps so that the initial parameters
   * quickly lose their weight.
   */
  private void average() {
    if (plan.averaging() > 0) {
      double decay = Math.min(plan.averaging(), step / (step + 9.0));
      for (int i = 0; i < theta.length; i++) {
        average[i] = decay * average[i] + (1 - decay) * theta[i];
      }
    }
  }

  private static int arrayCount(TrainingPlan plan) {
    return 2 + plan.optimizer().slots() + (plan.averaging() > 0 ? 1 : 0);
  }

  private static double[] noiseVariance(TrainingPlan plan) {
    Layout layout = plan.mechanism().layout();
    double[] variance = new double[layout.dimension()];
    for (int vector = 0; vector < layout.size(); vector++) {
      double deviation = plan.mechanism().deviation(vector) / plan.privacy().expectedBatch();
      if (plan.adaptive() != null) {
        deviation /= plan.mechanism().bound(vector);
      }
      Arrays.fill(
          variance, layout.offset(vector), layout.offset(vector + 1), deviation * deviation);
    }
    return variance;
  }
}
