package org.sordino.run;

import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import org.sordino.PrivacyPlan;
import org.sordino.training.Preparation;
import org.sordino.training.TrainingPlan;
import org.sordino.training.Unit;

/**
 * Model and records of a training run. {@link TableTask} trains on tables; the module {@code torch}
 * adds images. Implement it around a {@code GradientEngine} to train a model of your own with
 * {@link Training}; register a {@link TaskType} to resume and load such runs from their directory.
 *
 * <p>Nothing that a task does before {@link #records} or {@link #prepare} reads private records,
 * except for a schema that has to be drafted from them.
 */
public interface Task {

  /** Everything needed to find model and records again, for {@code run.json}. */
  TaskInfo info();

  /** The model, for people: {@code logistic regression of employed on 9 features}. */
  String describe();

  /** The public facts about model and inputs that a plan is made from. */
  ModelShape shape();

  /** Whether bounds, categories and classes were declared rather than taken from the records. */
  default boolean schemaDeclared() {
    return true;
  }

  /** The public parameters that training begins with. */
  double[] initialParameters();

  /** How many records there are to train on; private unless it was declared. */
  long records(Unit unit);

  /** How many records everybody knows there are; empty if their number is private. */
  default OptionalLong publicRecords(Unit unit) {
    return OptionalLong.empty();
  }

  /** Opens the records for training according to a plan; the caller closes the result. */
  Preparation prepare(TrainingPlan plan);

  /**
   * The model that is released: it takes inputs as they are.
   *
   * @param parameters as they were trained
   * @param answers the answers to the plan's private queries
   */
  Model release(double[] parameters, Map<String, double[]> answers);

  /** Evaluates a model on the records held out, if there are any. Not private. */
  Optional<Evaluation> test(Model model);

  /** Evaluates a model trained without privacy on the records held out. Not private. */
  Optional<Evaluation> baseline();

  /** How many steps to leave between two evaluations during training. */
  default long stepsBetweenEvaluations(PrivacyPlan plan) {
    return 1;
  }

  /**
   * Finds model and records of a run again.
   *
   * @throws RunDamagedException if the run's description is not one of a known task
   */
  static Task of(TaskInfo info) {
    return of(info, null);
  }

  /**
   * As {@link #of(TaskInfo)}, for a database whose URL needs more than the run stored of it, such
   * as credentials.
   *
   * @param url the whole JDBC URL, or null
   */
  static Task of(TaskInfo info, @Nullable String url) {
    try {
      return TableTask.isTable(info)
          ? TableTask.of(info, url)
          : TaskType.of(info.kind()).open(info);
    } catch (InvalidInputException e) {
      throw e;
    } catch (IllegalArgumentException e) {
      throw new RunDamagedException("run.json is damaged: " + e.getMessage());
    }
  }
}
