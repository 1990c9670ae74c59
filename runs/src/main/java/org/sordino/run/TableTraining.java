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
 * Trains a private model on a table, from a CSV file, a database or rows in memory.
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
 * <p>Only the label and the budget are required; everything else has the defaults of {@code sordino
 * train}. Whatever is not declared and has to be taken from the records (bounds and categories,
 * their number) is outside the guarantee, and the statement names it.
 */
public final class TableTraining {

  private final TableTask.Builder table;
  private Consumer<Training> settings = training -> {};
  private TrainingOptions options = new TrainingOptions();

  private TableTraining(TableTask.Builder table) {
    this.table = table;
  }

  /** Trains on the rows of a table. */
  public static TableTraining on(TableSource rows) {
    return new TableTraining(TableTask.on(rows));
  }

  /** The column to predict. */
  public TableTraining label(String column) {
    table.label(column);
    return this;
  }

  /** Bounds, categories and classes, declared from public knowledge. */
  public TableTraining schema(Schema declared) {
    table.schema(declared);
    return this;
  }

  /** The number of rows, or of users where they are protected, as publicly declared. */
  public TableTraining population(long records) {
    options.population(records);
    return this;
  }

  /** The privacy budget: the noise is calibrated to it. */
  public TableTraining budget(double epsilon, double delta) {
    options.epsilon(epsilon).delta(delta);
    return this;
  }

  /** The share of the rows to test with; they are not used for training. */
  public TableTraining holdout(double share) {
    table.holdout(share);
    return this;
  }

  /** Rows to test with. */
  public TableTraining test(TableSource rows) {
    table.test(rows);
    return this;
  }

  /**
   * Protects users instead of rows.
   *
   * @param column the user of a row; not used as a feature
   * @param rows how many rows of a user count at most
   */
  public TableTraining users(String column, int rows) {
    table.userColumn(column);
    options.unit(Unit.user(rows));
    return this;
  }

  /** Standardizes the features with a private mean and variance, which costs 5% of the budget. */
  public TableTraining normalize() {
    table.preprocessing(Preprocessing.normalize());
    return this;
  }

  /** The model, for a schema (default: linear, logistic or softmax regression). */
  public TableTraining model(Function<Schema, Learner> learner) {
    table.learner(learner);
    return this;
  }

  /** Changes any other setting, such as {@code options -> options.steps(500).clip(0.5)}. */
  public TableTraining options(Consumer<TrainingOptions> change) {
    change.accept(options);
    return this;
  }

  /** A budget that all runs on the same records share; a run that would exceed it is refused. */
  public TableTraining budgetFile(Path file) {
    return with(training -> training.budgetFile(file));
  }

  /** Where the key of an unfinished run is kept (default: a folder in the user's home). */
  public TableTraining keys(KeyFolder folder) {
    return with(training -> training.keys(folder));
  }

  /** Called after each step, in the thread that trains. */
  public TableTraining onProgress(Consumer<Training.Progress> listener) {
    return with(training -> training.onProgress(listener));
  }

  /** Asked after each step; the run stops when the answer is true, and can be resumed. */
  public TableTraining stopWhen(BooleanSupplier condition) {
    return with(training -> training.stopWhen(condition));
  }

  /** Also trains a model without privacy and evaluates it, for comparison. Not private. */
  public TableTraining baseline() {
    return with(training -> training.baseline(true));
  }

  /** Takes all randomness from a seed, for repeatable experiments. No guarantee is stated. */
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

  /** The plan, without training. Rows are read only for what was not declared. */
  public TrainingPlan plan() {
    return training().plan();
  }

  /**
   * Trains.
   *
   * @param directory a new directory for plan, ledger, model, statement and report
   * @throws InvalidInputException naming the setting or column that must be corrected
   * @throws BudgetRefusedException if the budget has too little left; nothing was started
   */
  public Run train(Path directory) {
    return training().run(directory);
  }

  /**
   * Finishes a run that was stopped or killed. The rows must come in the same order as before; if
   * they differ, the remaining steps are counted again.
   */
  public Run resume(Path directory) {
    return training().resume(directory);
  }
}
