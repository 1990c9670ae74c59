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
 * A model of feature vectors without its parameters. {@link #linear} covers linear, logistic and
 * softmax regression; the module {@code torch} provides neural networks.
 *
 * <p>Learners are serialized and sent to the executors of a cluster, so they must not contain
 * records or secrets.
 */
public interface Learner extends Serializable {

  /** Returns a learner for linear, logistic or softmax regression. */
  static Learner linear(LinearModel model) {
    return new LinearLearner(model);
  }

  /** Returns a short description, such as {@code logistic regression}. */
  String describe();

  /** Returns the factory of the engines that compute gradients. */
  EngineFactory factory();

  /** Returns the number of features of a record. */
  int inputs();

  /** Returns the number of classes; 0 if the model predicts a number. */
  int classes();

  /** Returns the initial parameters, which are public. */
  double[] initialParameters();

  /**
   * Returns the predictions for a batch of records.
   *
   * @param parameters trained parameters
   * @param examples records to predict; their targets are not used
   * @return for every record, the probabilities of all classes, or a single predicted number
   */
  double[][] predict(double[] parameters, Examples examples);

  /** Returns whether the model is a neural network, which determines its training defaults. */
  boolean isNetwork();

  /** Returns the default settings of private training, which depend only on public numbers. */
  default TrainingDefaults defaults(Unit unit, long population) {
    return TrainingDefaults.of(isNetwork(), unit, population);
  }

  /**
   * Returns the plan for training the same model without privacy, for comparison.
   *
   * @param examples number of training examples
   */
  TrainingPlan baselinePlan(long examples);

  /** Returns the minimum number of steps between two evaluations during training. */
  default long stepsBetweenEvaluations(PrivacyPlan plan) {
    return 1;
  }

  /**
   * Returns the same model for preprocessed features.
   *
   * @param inputs number of features after preprocessing
   * @throws InvalidInputException if preprocessing cannot be folded into the first layer
   */
  Learner withInputs(int inputs);

  /**
   * Returns the number of outputs of the first layer. To allow folding linear preprocessing into
   * this layer, the parameters must start with its weights, one row per output, followed by its
   * biases.
   */
  int firstLayerOutputs();

  /**
   * Returns the fields of {@code run.json} from which the learner can be restored, including {@code
   * task}.
   */
  Map<String, @Nullable Object> taskJson();

  /** Returns the field {@code model} of {@code model.json}. */
  Map<String, @Nullable Object> modelJson();

  /** Returns the parameters as named tensors, the content of {@code model.safetensors}. */
  Map<String, Safetensors.Tensor> tensors(double[] parameters);

  /**
   * Returns the parameters in named tensors, the inverse of {@link #tensors}.
   *
   * @throws IllegalArgumentException if a tensor is missing or has the wrong shape
   */
  double[] parameters(Safetensors tensors);
}
