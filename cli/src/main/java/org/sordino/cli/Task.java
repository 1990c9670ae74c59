package org.sordino.cli;

import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.sordino.PrivacyPlan;
import org.sordino.training.Safetensors;
import org.sordino.training.TrainingPlan;
import org.sordino.training.Unit;

/** Model and records of a run: what a plan is about. One kind per engine and kind of data. */
interface Task {

  /** Finds model and records of a run again. */
  static Task of(Map<String, @Nullable Object> json) {
    return "table".equals(json.get("task")) ? TableTask.of(json) : NetworkTask.of(json);
  }

  /** What is needed to find model and records again, for {@code run.json}. */
  Map<String, @Nullable Object> json();

  /** The model, for people: {@code logistic regression on 9 features}. */
  String describe();

  /** What a plan must know of the model and its inputs. */
  ModelShape shape();

  /** The parameters to begin with. */
  double[] start();

  /** How many records there are to train on; private unless it was declared. */
  long records(Unit unit);

  /**
   * Opens the records for training as a plan says. What follows below knows the answers to its
   * queries once they are given; the caller closes it.
   */
  Prepared prepare(TrainingPlan plan);

  /**
   * How good a model without privacy on the same records is on the records held out, or null if
   * there are none. Not private.
   */
  @Nullable Evaluation baseline();

  /**
   * How good parameters are on the records held out, or null if there are none. Not private.
   *
   * @param theta as they were trained
   */
  @Nullable Evaluation evaluate(double[] theta);

  /** How often evaluating on the way is worth its time. */
  default long stepsBetweenLooks(PrivacyPlan plan) {
    return 1;
  }

  /** Architecture and preprocessing, for {@code model.json}. */
  Map<String, @Nullable Object> model();

  /**
   * The parameters of the released model as named tensors: it takes inputs as they are.
   *
   * @param theta as they were trained
   */
  Map<String, Safetensors.Tensor> tensors(double[] theta);
}
