package org.sordino.spark;

import org.apache.spark.ml.param.Param;
import org.sordino.PrivacyBudget;
import org.sordino.cli.TrainingDefaults;
import org.sordino.training.Optimiser;
import org.sordino.training.TrainingPlan;
import org.sordino.training.Unit;
import org.sordino.training.WeightDecay;

/** Turns the parameters of an estimator into a plan; what is not set is as in {@code train}. */
final class DpPlan {

  private final DpClassifier estimator;

  DpPlan(DpClassifier estimator) {
    this.estimator = estimator;
  }

  TrainingPlan plan(Learner learner) {
    long population = (Long) declared(estimator.population(), "how many rows, or users, there are");
    DpParams.require(
        "population", population, n -> n >= 1, "at least 1", "declare the rows, or users");
    TrainingDefaults usual = learner.defaults(population);
    WeightDecay decay = decay(usual);
    TrainingPlan.Builder plan =
        TrainingPlan.forLayout(learner.factory().layout())
            .population(population)
            .expectedBatch(batch(population, usual))
            .clip(number(estimator.clip(), usual.clip()))
            .optimiser(optimiser(usual.optimiser()))
            .schedule(usual.schedule())
            .averaging(usual.averaging())
            .weightDecay(decay.lambda(), decay.place())
            .budget(budget());
    if (estimator.protectsUsers()) {
      plan.unit(Unit.user(estimator.rowsOfUser()));
    }
    length(plan, usual);
    return plan.build();
  }

  private PrivacyBudget budget() {
    double epsilon = (Double) declared(estimator.epsilon(), "what the fit may cost");
    return new PrivacyBudget(
        DpParams.require("epsilon", epsilon, e -> e > 0, "above 0", "try 1"),
        (Double) estimator.getOrDefault(estimator.delta()));
  }

  private double batch(long population, TrainingDefaults usual) {
    return DpParams.require(
        "expectedBatch",
        number(estimator.expectedBatch(), usual.expectedBatch()),
        batch -> batch > 0 && batch <= population,
        "above 0 and at most the population",
        "try a tenth of the population");
  }

  private Optimiser optimiser(Optimiser usual) {
    if (!estimator.isSet(estimator.learningRate())) {
      return usual;
    }
    double rate = number(estimator.learningRate(), usual.learningRate());
    return usual instanceof Optimiser.Sgd sgd
        ? new Optimiser.Sgd(rate, sgd.momentum())
        : Optimiser.adam(rate);
  }

  private WeightDecay decay(TrainingDefaults usual) {
    return estimator.isSet(estimator.weightDecay())
        ? new WeightDecay(number(estimator.weightDecay(), 0), WeightDecay.Place.INSIDE_CLIP)
        : usual.weightDecay();
  }

  private void length(TrainingPlan.Builder plan, TrainingDefaults usual) {
    boolean epochs = estimator.isSet(estimator.epochs());
    boolean steps = estimator.isSet(estimator.steps());
    if (epochs && steps) {
      throw new IllegalArgumentException("steps and epochs must not both be set; clear one");
    }
    if (epochs) {
      plan.epochs(number(estimator.epochs(), 0));
    } else {
      plan.steps(steps ? (Long) estimator.getOrDefault(estimator.steps()) : usual.steps());
    }
  }

  private double number(Param<Object> param, double usual) {
    return estimator.isSet(param) ? (Double) estimator.getOrDefault(param) : usual;
  }

  private Object declared(Param<Object> param, String meaning) {
    if (!estimator.isSet(param)) {
      throw new IllegalArgumentException(
          param.name() + " must be set, got nothing; it is " + meaning);
    }
    return estimator.getOrDefault(param);
  }
}
