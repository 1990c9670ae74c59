package org.sordino.training;

import java.util.Arrays;
import org.sordino.mechanism.Layout;

/** Parameters, the optimiser's memory and the moving average between two steps. */
final class State {

  private final TrainingPlan plan;
  private final double[] noiseVariance;
  private final double[][] slots;
  private final double[] average;
  final double[] theta;
  long step;

  private State(TrainingPlan plan, long step, double[][] arrays) {
    this.plan = plan;
    this.step = step;
    theta = arrays[0];
    int slotCount = plan.optimiser().slots();
    slots = Arrays.copyOfRange(arrays, 1, 1 + slotCount);
    average = plan.averaging() > 0 ? arrays[1 + slotCount] : theta;
    noiseVariance = noiseVariance(plan);
  }

  static State first(TrainingPlan plan, double[] start) {
    double[][] arrays = new double[arrayCount(plan)][start.length];
    arrays[0] = start.clone();
    return new State(plan, 0, arrays);
  }

  static State of(TrainingPlan plan, Checkpoint checkpoint) {
    int length = plan.mechanism().layout().dimension();
    if (checkpoint.arrays().length != arrayCount(plan) || checkpoint.arrays()[0].length != length) {
      throw new CheckpointDamagedException(
          "the checkpoint does not fit the plan: it has %d arrays of %d numbers, not %d of %d"
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
    return arrays;
  }

  /** The parameters of the model as it is now. */
  double[] model() {
    return average.clone();
  }

  /** theta = theta - eta (g + lambda theta), or what the optimiser makes of it. */
  void descend(double[] gradient) {
    double rate =
        plan.optimiser().learningRate() * plan.schedule().factor(step, plan.privacy().steps());
    double afterNoise = plan.weightDecay().at(WeightDecay.Place.AFTER_NOISE);
    double decoupled = plan.weightDecay().at(WeightDecay.Place.DECOUPLED);
    if (afterNoise > 0) {
      for (int i = 0; i < theta.length; i++) {
        gradient[i] += afterNoise * theta[i];
      }
    }
    if (decoupled > 0) {
      for (int i = 0; i < theta.length; i++) {
        theta[i] -= rate * decoupled * theta[i];
      }
    }
    plan.optimiser().update(theta, gradient, slots, step, rate, noiseVariance);
    step++;
    average();
  }

  /** A moving average that forgets the first parameters quickly. */
  private void average() {
    if (plan.averaging() > 0) {
      double decay = Math.min(plan.averaging(), step / (step + 9.0));
      for (int i = 0; i < theta.length; i++) {
        average[i] = decay * average[i] + (1 - decay) * theta[i];
      }
    }
  }

  private static int arrayCount(TrainingPlan plan) {
    return 1 + plan.optimiser().slots() + (plan.averaging() > 0 ? 1 : 0);
  }

  private static double[] noiseVariance(TrainingPlan plan) {
    Layout layout = plan.mechanism().layout();
    double[] variance = new double[layout.dimension()];
    for (int vector = 0; vector < layout.size(); vector++) {
      double deviation = plan.mechanism().deviation(vector) / plan.privacy().expectedBatch();
      Arrays.fill(
          variance, layout.offset(vector), layout.offset(vector + 1), deviation * deviation);
    }
    return variance;
  }
}
