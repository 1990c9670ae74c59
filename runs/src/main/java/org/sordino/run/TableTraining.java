package org.sordino.run;

import java.nio.file.Path;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
import org.sordino.table.Schema;
import org.sordino.table.TableSource;
import org.sordino.training.KeyFolder;
import org.sordino.training.TrainingPlan;
import org.sordino.training.Unit;

/**
 * Trains a private model on a table from a CSV file, a Parquet file, a database or memory.
 *
 * <pre>{@code
 * Run run =
 *     TableTraining.on(TableSource.jdbc(database, "select age, job, employed from people order by id"))
 *         .label("employed")
 *         .budget(1, 1e-6)
 *         .train(Path.of("runs/people"));
 * System.out.println(run.statement().markdown());
 * Model model = Model.load(Path.of("runs/people"));
 * }</pre>
 *
 * <p>Only the label and the budget are required; all other settings have the defaults of {@code
 * sordino train}. Declare the schema (bounds and categories) and the population (number of rows)
 * from public knowledge. If they are not declared, they are computed from the records, outside the
 * guarantee, and the privacy statement reports this.
 */
public final class TableTraining {

  private final TableTask.Builder table;
  private Consumer<Training> settings = training -> {};
  private TrainingOptions options = new TrainingOptions();

  private TableTraining(TableTask.Builder table) {
    this.table = table;
  }

  /** Returns a training on the rows of a table. */
  public static TableTraining on(TableSource rows) {
    return new TableTraining(TableTask.on(rows));
  }

  /** Sets the column to predict. */
  public TableTraining label(String column) {
    table.label(column);
    return this;
  }

  /** Declares bounds, categories and classes from public knowledge. */
  public TableTraining schema(Schema declared) {
    table.schema(declared);
    return this;
  }

  /** Declares the number of rows, or of users if users are protected, as a public number. */
  public TableTraining population(long records) {
    options.population(records);
    return this;
  }

  /** Sets the privacy budget. The noise is calibrated to it. */
  public TableTraining budget(double epsilon, double delta) {
    options.epsilon(epsilon).delta(delta);
    return this;
  }

  /** Sets the share of the rows that are held out for testing and not used for training. */
  public TableTraining holdout(double share) {
    table.holdout(share);
    return this;
  }

  /** Sets a separate table to test on. */
  public TableTraining test(TableSource rows) {
    table.test(rows);
    return this;
  }

  /**
   * Protects users instead of rows.
   *
   * @param column column with the user ID; not used as a feature
   * @param rows maximum number of rows per user; further rows of a user are not used
   */
  public TableTraining users(String column, int rows) {
    table.userColumn(column);
    options.unit(Unit.user(rows));
    return this;
  }

  /**
   * Standardizes the features with a private mean and variance, measured before training (costs 5%
   * of the budget by default).
   */
  public TableTraining normalize() {
    table.preprocessing(Preprocessing.normalize());
    return this;
  }

  /**
   * Sets the model (default: linear, logistic or softmax regression, depending on the label).
   *
   * @param learner creates the model for a schema
   */
  public TableTraining model(Function<Schema, Learner> learner) {
    table.learner(learner);
    return this;
  }

  /** Changes other training options, such as {@code options -> options.steps(500).clip(0.5)}. */
  public TableTraining options(Consumer<TrainingOptions> change) {
    change.accept(options);
    return this;
  }

  /**
   * Charges the run to a budget that all runs on the same records share. A run that would exceed
   * the budget is refused.
   */
  public TableTraining budgetFile(Path file) {
    return with(training -> training.budgetFile(file));
  }

  /**
   * Sets the folder for the keys of unfinished runs (default: {@link KeyFolder#ofUser}, a folder in
   * the user's home directory).
   */
  public TableTraining keys(KeyFolder folder) {
    return with(training -> training.keys(folder));
  }

  /** Sets a listener that is called after each step, on the training thread. */
  public TableTraining onProgress(Consumer<Training.Progress> listener) {
    return with(training -> training.onProgress(listener));
  }

  /**
   * Sets a condition that is evaluated after each step. The run stops when it returns true and can
   * be resumed.
   */
  public TableTraining stopWhen(BooleanSupplier condition) {
    return with(training -> training.stopWhen(condition));
  }

  /**
   * Trains and evaluates a model without privacy as well, for comparison. The result is not
   * private.
   */
  public TableTraining baseline() {
    return with(training -> training.baseline(true));
  }

  /**
   * Derives all randomness from a seed, for reproducible experiments. Anyone who knows the seed can
   * remove the noise, so the run has no privacy guarantee.
   */
  public TableTraining insecureSeed(long seed) {
    return with(training -> training.insecureSeed(seed));
  }

  private TableTraining with(Consumer<Training> setting) {
    settings = settings.andThen(setting);
    return this;
  }

  private Training training() {
    Training training = Training.of(table.build()).options(options);
    settings.accept(training);
    return training;
  }

  /**
   * Returns the plan of the run without training. Rows are read only if the schema or the
   * population was not declared.
   *
   * @throws InvalidInputException if a setting or column is invalid; the message names it
   */
  public TrainingPlan plan() {
    return training().plan();
  }

  /**
   * Trains the model.
   *
   * @param directory new directory for plan, ledger, model, statement and report
   * @return the run, which is finished or stopped
   * @throws InvalidInputException if a setting or column is invalid; the message names it
   * @throws BudgetRefusedException if the run does not fit into the budget; nothing was started
   */
  public Run train(Path directory) {
    return training().run(directory);
  }

  /**
   * Finishes a run that was stopped or killed. A finished run is returned unchanged.
   *
   * <p>The rows must be the same as before, in the same order. If they differ, the remaining steps
   * are counted again.
   *
   * @param directory directory of the run
   */
  public Run resume(Path directory) {
    return training().resume(directory);
  }
}
