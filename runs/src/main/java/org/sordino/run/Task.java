package org.sordino.run;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import org.sordino.PrivacyPlan;
import org.sordino.mechanism.Layout;
import org.sordino.training.Preparation;
import org.sordino.training.TrainingPlan;
import org.sordino.training.Unit;

/**
 * The model and records of a training run. {@link TableTask} trains on tables; the module {@code
 * torch} adds images.
 *
 * <p>To train a custom model with {@link Training}, implement this interface around a {@code
 * GradientEngine}. To resume and load such runs from their directories, register a {@link
 * TaskType}.
 *
 * <p>A task must not read private records before {@link #records} or {@link #prepare} is called,
 * except to draft a schema that was not declared.
 */
public interface Task {

  /** Returns the description from which the task can be restored, stored in {@code run.json}. */
  TaskInfo info();

  /**
   * Returns a description of the model for people, such as {@code logistic regression of employed
   * on 9 features}.
   */
  String describe();

  /** Returns the public facts about model and inputs on which a plan is based. */
  Shape shape();

  /** Returns whether the schema was declared publicly, not computed from the records. */
  default boolean schemaDeclared() {
    return true;
  }

  /** Returns the initial parameters, which are public. */
  double[] initialParameters();

  /** Returns the number of records to train on, which is private unless it was declared. */
  long records(Unit unit);

  /**
   * Returns the number of records if it is public without a declaration; empty if it is private.
   */
  default OptionalLong publicRecords(Unit unit) {
    return OptionalLong.empty();
  }

  /** Opens the records for training according to a plan; the caller closes the result. */
  Preparation prepare(TrainingPlan plan);

  /**
   * Returns the model to release. It takes inputs without preprocessing, which is folded into its
   * parameters.
   *
   * @param parameters trained parameters
   * @param answers answers to the plan's private queries, by name
   */
  Model release(double[] parameters, Map<String, double[]> answers);

  /** Evaluates a model on the test records, if there are any. The result is not private. */
  Optional<Evaluation> test(Model model);

  /**
   * Trains a model without privacy and evaluates it on the test records, if there are any. The
   * result is not private.
   */
  Optional<Evaluation> baseline();

  /** Returns the minimum number of steps between two evaluations during training. */
  default long stepsBetweenEvaluations(PrivacyPlan plan) {
    return 1;
  }

  /**
   * Restores the task of a run.
   *
   * @throws InvalidInputException if the run was trained on records in memory
   * @throws RunDamagedException if the description does not match a known kind of task
   */
  static Task of(TaskInfo info) {
    return of(info, null);
  }

  /**
   * Restores the task of a run on a database. Use this method if the JDBC URL contains credentials,
   * which are not stored in the run.
   *
   * @param url complete JDBC URL; null for the stored one
   * @see #of(TaskInfo)
   */
  static Task of(TaskInfo info, @Nullable String url) {
    try {
      return TableTask.isTable(info)
          ? TableTask.of(info, url)
          : TaskType.of(info.kind()).open(info);
    } catch (InvalidInputException e) {
      throw e;
    } catch (IllegalArgumentException e) {
      throw new RunDamagedException(
          "run.json is damaged: " + e.getMessage() + "; restore it from a copy");
    }
  }

  /**
   * The facts about a model and its inputs on which a plan is based. All of them are public, except
   * for those that follow from a schema that was not declared.
   *
   * @param layout layout of the parameters
   * @param classes number of classes; 0 for a regression
   * @param channels number of channels of an input; normalization has one mean and one variance for
   *     each
   * @param width number of values in an input
   * @param preprocessing preprocessing of inputs
   * @param network whether the model is a neural network
   */
  record Shape(
      Layout layout,
      int classes,
      int channels,
      int width,
      Preprocessing preprocessing,
      boolean network) {

    /** Returns the names of the vectors that the optimizer updates. */
    public List<String> gradients() {
      return layout.vectors(Layout.Role.GRADIENT).stream().map(Layout.Vector::name).toList();
    }

    /**
     * Returns the running statistics of batch normalization, which are updated without a gradient.
     */
    public List<Layout.Vector> statistics() {
      return layout.vectors(Layout.Role.MOVING_AVERAGE);
    }
  }
}
