package org.sordino.spark;

import org.apache.spark.ml.param.Param;
import org.sordino.PrivacyBudget;
import org.sordino.training.LinearModel;
import org.sordino.training.Optimiser;
import org.sordino.training.Schedule;
import org.sordino.training.TrainingPlan;
import org.sordino.training.WeightDecay;

/** Turns the parameters of an estimator into a plan; what is not set depends on public numbers. */
final class DpPlan {

  private static final long DEFAULT_STEPS = 400;

  private final DpClassifier estimator;

  DpPlan(DpClassifier estimator) {
    this.estimator = estimator;
  }

  TrainingPlan plan(LinearModel model) {
    long population = (Long) declared(estimator.population(), "how many rows there are");
    DpParams.require("population", population, n -> n >= 1, "at least 1", "declare the rows");
    TrainingPlan.Builder plan =
        TrainingPlan.forLayout(model.layout())
            .population(population)
            .expectedBatch(batch(population))
            .clip(clip(model))
            .optimiser(new Optimiser.Sgd(number(estimator.learningRate()), 0.9))
            .schedule(Schedule.cosine(0))
            .averaging(0.9)
            .weightDecay(number(estimator.weightDecay()), WeightDecay.Place.INSIDE_CLIP)
            .budget(budget());
    length(plan);
    return plan.build();
  }

  private PrivacyBudget budget() {
    double epsilon = (Double) declared(estimator.epsilon(), "what the fit may cost");
    return new PrivacyBudget(
        DpParams.require("epsilon", epsilon, e -> e > 0, "above 0", "try 1"),
        number(estimator.delta()));
  }

  private double batch(long population) {
    double given = number(estimator.expectedBatch());
    if (given == 0) {
      return Math.min(population, Math.max(256, Math.min(16_384, population / 8.0)));
    }
    return DpParams.require(
        "expectedBatch",
        given,
        batch -> batch > 0 && batch <= population,
        "above 0 and at most the population",
        "try a tenth of the population");
  }

  private double clip(LinearModel model) {
    double given = number(estimator.clip());
    return given == 0 ? 0.5 * Math.sqrt(1.0 + model.inputs()) : given;
  }

  private void length(TrainingPlan.Builder plan) {
    double epochs = number(estimator.epochs());
    long steps = (Long) estimator.getOrDefault(estimator.steps());
    if (epochs != 0 && steps != 0) {
      throw new IllegalArgumentException(
          "steps and epochs must not both be set, got " + steps + " and " + epochs + "; set one");
    }
    if (epochs != 0) {
      plan.epochs(epochs);
    } else {
      plan.steps(steps == 0 ? DEFAULT_STEPS : steps);
    }
  }

  private double number(Param<Object> param) {
    return (Double) estimator.getOrDefault(param);
  }

  private Object declared(Param<Object> param, String meaning) {
    if (!estimator.isSet(param)) {
      throw new IllegalArgumentException(
          param.name() + " must be set, got nothing; it is " + meaning);
    }
    return estimator.getOrDefault(param);
  }
}
