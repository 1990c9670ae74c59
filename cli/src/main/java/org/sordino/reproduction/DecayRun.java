package org.sordino.reproduction;

import java.util.ArrayList;
import java.util.List;
import org.sordino.mechanism.NoiseAllocation;
import org.sordino.mechanism.VectorGroup;
import org.sordino.training.Examples;
import org.sordino.training.LinearEngine;
import org.sordino.training.LinearModel;
import org.sordino.training.Optimizer;
import org.sordino.training.Trainer;
import org.sordino.training.TrainingListener;
import org.sordino.training.TrainingPlan;
import org.sordino.training.WeightDecay;

/**
 * One private training run of a linear model with weight decay, with the trainer that users run.
 *
 * <p>The models of Guo (2024) have no intercept; ours have one. A separate group holds it at zero:
 * its bound is smaller by a factor of 1e-9 and its noise is proportional to the bound, so the
 * weights are clipped and noised as if they were alone. For the noise on the weights to be sigma R,
 * the plan of the two groups has the noise multiplier sigma / sqrt(2).
 *
 * @param clip bound R on the norm of a record's gradient
 * @param lambda strength of the weight decay
 * @param place where the decay is applied
 * @param learningRate eta
 * @param noiseMultiplier sigma, relative to R, on the sum
 * @param lot L, the expected batch size
 * @param steps T
 */
record DecayRun(
    double clip,
    double lambda,
    WeightDecay.Place place,
    double learningRate,
    double noiseMultiplier,
    int lot,
    long steps) {

  private static final double NEXT_TO_NOTHING = 1e-9;

  /**
   * Receives the weights before the first step (step 0) and after each step. The array must not be
   * kept.
   */
  @FunctionalInterface
  interface Watcher {
    void see(long step, double[] weights);
  }

  void train(Examples examples, long seed, Watcher watcher) {
    LinearModel model = LinearModel.regression(examples.width());
    watcher.see(0, new double[examples.width()]);
    Trainer.of(plan(model, examples.size()), LinearEngine.of(model, examples, 1))
        .insecureSeed(seed)
        .listener(TrainingListener.afterStep((step, theta) -> watcher.see(step, theta)))
        .run();
  }

  private TrainingPlan plan(LinearModel model, int population) {
    List<VectorGroup> groups = new ArrayList<>();
    groups.add(VectorGroup.flat("weight", List.of("weight"), clip));
    groups.add(VectorGroup.flat("bias", List.of("bias"), clip * NEXT_TO_NOTHING));
    return TrainingPlan.forLayout(model.layout())
        .population(population)
        .expectedBatch(lot)
        .steps(steps)
        .noiseMultiplier(noiseMultiplier / Math.sqrt(groups.size()))
        .groups(groups, NoiseAllocation.PROPORTIONAL)
        .optimizer(Optimizer.sgd(learningRate))
        .weightDecay(lambda, place)
        .build();
  }
}
