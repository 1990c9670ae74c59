package org.sordino.run;

import java.io.Serializable;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.sordino.PrivacyPlan;
import org.sordino.training.EngineFactory;
import org.sordino.training.Examples;
import org.sordino.training.LinearModel;
import org.sordino.training.Safetensors;
import org.sordino.training.TrainingPlan;
import org.sordino.training.Unit;

/**
 * A kind of model on feature vectors: what it computes, not its parameters. {@link #linear} covers
 * linear, logistic and softmax regression; networks come from the module {@code torch}. A learner
 * travels to the executors of a cluster, so it holds neither records nor secrets.
 */
public interface Learner extends Serializable {

  /** Linear, logistic or softmax regression. */
  static Learner linear(LinearModel model) {
    return new LinearLearner(model);
  }

  /** A short description, such as {@code logistic regression}. */
  String describe();

  /** Makes the engines that compute gradients. */
  EngineFactory factory();

  /** How many features a record has. */
  int inputs();

  /** How many classes the model tells apart; 0 if it predicts a number. */
  int classes();

  /** The public parameters that training begins with. */
  double[] initialParameters();

  /**
   * Predicts records.
   *
   * @param parameters as trained
   * @return for every record the probabilities of all classes, or the predicted number alone
   */
  double[][] predict(double[] parameters, Examples examples);

  /** Whether the model is a neural network, which decides about the defaults of its training. */
  boolean isNetwork();

  /** The default settings of private training, from public numbers alone. */
  default TrainingDefaults defaults(Unit unit, long population) {
    return TrainingDefaults.of(isNetwork(), unit, population);
  }

  /** The plan of a model without privacy on so many examples, for comparison. */
  TrainingPlan baselinePlan(long examples);

  /** How many steps to leave between two evaluations during training. */
  default long stepsBetweenEvaluations(PrivacyPlan plan) {
    return 1;
  }

  /**
   * The same model for features as preprocessing produces them.
   *
   * @param inputs how many there are
   * @throws InvalidInputException if the model cannot absorb preprocessing into a first layer
   */
  Learner withInputs(int inputs);

  /**
   * How many outputs the first layer has. The parameters begin with its weights, one row per
   * output, and its biases, so that linear preprocessing can be folded into it.
   */
  int firstLayerOutputs();

  /** The fields of {@code run.json} that find this learner again; {@code task} is one of them. */
  Map<String, @Nullable Object> taskJson();

  /** The field {@code model} of {@code model.json}. */
  Map<String, @Nullable Object> modelJson();

  /** Parameters as named tensors, the content of {@code model.safetensors}. */
  Map<String, Safetensors.Tensor> tensors(double[] parameters);

  /**
   * Parameters from named tensors.
   *
   * @throws IllegalArgumentException if a tensor is missing or has another shape
   */
  double[] parameters(Safetensors tensors);
}
