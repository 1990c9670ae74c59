package org.sordino.cli;

import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.sordino.PrivacyPlan;
import org.sordino.mechanism.Layout;
import org.sordino.training.GradientEngine;
import org.sordino.training.Safetensors;

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

  /** The parameters. */
  Layout layout();

  /** The parameters to begin with. */
  double[] start();

  /** How many records there are to train on; private unless it was declared. */
  long records();

  /** Opens the records for training. */
  GradientEngine engine();

  /** The parameters of the best model without privacy, on the same records. Not private. */
  double[] baseline();

  /** How good parameters are on the records held out, or null if there are none. Not private. */
  @Nullable Evaluation evaluate(double[] theta);

  /** How often evaluating on the way is worth its time. */
  default long stepsBetweenLooks(PrivacyPlan plan) {
    return 1;
  }

  /** Architecture and preprocessing, for {@code model.json}. */
  Map<String, @Nullable Object> model();

  /** Parameters as named tensors. */
  Map<String, Safetensors.Tensor> tensors(double[] theta);
}
