package org.sordino.run;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.OptionalLong;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.sordino.report.Resources;
import org.sordino.table.RecordGrouping;
import org.sordino.training.KeyFolder;
import org.sordino.training.Metric;
import org.sordino.training.TrainingPlan;
import org.sordino.training.Unit;

/**
 * Trains a model on private records and stores the run in a directory. {@link TableTraining} is the
 * short form for tables; this class trains any {@link Task}.
 *
 * <p>{@link #resume} finishes a run that was killed or stopped. It repeats the steps since the last
 * checkpoint bit for bit, at no additional privacy cost. Until a stopped run is resumed, its
 * statement and its budget charge the whole plan, because the person who stopped it has seen
 * released values.
 */
public final class Training {

  private final Task task;
  private TrainingOptions options = new TrainingOptions();
  private KeyFolder keys = KeyFolder.ofUser();
  private Consumer<Progress> progress = now -> {};
  private BooleanSupplier stopping = () -> false;
  private String description = "from Java";
  private boolean baseline;
  private @Nullable Path budgetFile;
  private @Nullable Long insecureSeed;
  private volatile boolean stopRequested;

  /**
   * The progress of a run. All values are part of the private release, so they may be shown.
   *
   * @param step number of completed steps
   * @param steps number of planned steps
   * @param privateMetrics noisy metrics of the last step; empty if the plan has no metrics
   */
  public record Progress(long step, long steps, Map<Metric.Kind, double[]> privateMetrics) {}

  private Training(Task task) {
    this.task = task;
  }

  /** Returns a training of the model of a task on the records of the task. */
  public static Training of(Task task) {
    return new Training(task);
  }

  /** Sets the training options. */
  public Training options(TrainingOptions settings) {
    this.options = settings;
    return this;
  }

  /**
   * Charges the run to a budget that all runs on the same records share. A run that would exceed
   * the budget is refused.
   */
  public Training budgetFile(Path file) {
    this.budgetFile = file;
    return this;
  }

  /**
   * Sets the folder for the keys of unfinished runs (default: {@link KeyFolder#ofUser}, a folder in
   * the user's home directory).
   */
  public Training keys(KeyFolder folder) {
    this.keys = folder;
    return this;
  }

  /** Sets a listener that is called after each step, on the training thread. */
  public Training onProgress(Consumer<Progress> listener) {
    this.progress = listener;
    return this;
  }

  /**
   * Sets a condition that is evaluated after each step. The run stops when it returns true and can
   * be resumed.
   */
  public Training stopWhen(BooleanSupplier condition) {
    this.stopping = condition;
    return this;
  }

  /**
   * Sets whether to train and evaluate a model without privacy as well, for comparison (default:
   * false). The result is not private.
   */
  public Training baseline(boolean compare) {
    this.baseline = compare;
    return this;
  }

  /**
   * Sets the description of the run in its report, such as a command line or the name of a service.
   * It must not contain secrets.
   */
  public Training description(String text) {
    this.description = text;
    return this;
  }

  /**
   * Derives all randomness from a seed, for reproducible experiments. Anyone who knows the seed can
   * remove the noise, so the run has no privacy guarantee.
   */
  public Training insecureSeed(long seed) {
    this.insecureSeed = seed;
    return this;
  }

  /** Stops the run after its current step. It can be resumed. May be called from any thread. */
  public void stop() {
    stopRequested = true;
  }

  boolean isStopping() {
    return stopRequested || stopping.getAsBoolean();
  }

  void report(Progress now) {
    progress.accept(now);
  }

  /**
   * Returns the plan of the run. Records are read only if their number was not declared.
   *
   * @throws InvalidInputException if a setting does not fit the model; the message names it
   */
  public TrainingPlan plan() {
    options.check(task.shape());
    return options.plan(task.shape(), population());
  }

  /**
   * Returns whether the number of records is public. Otherwise the records are counted, outside the
   * guarantee.
   */
  public boolean populationDeclared() {
    return options.population() != null || task.publicRecords(options.unit()).isPresent();
  }

  /** The number of records to train on: the declared number without the held-out share. */
  private long population() {
    Unit unit = options.unit();
    Long declared = options.population();
    if (declared == null) {
      OptionalLong known = task.publicRecords(unit);
      return known.isPresent() ? known.getAsLong() : task.records(unit);
    }
    long kept = Math.max(1, Math.round(declared * (1 - task.info().holdout())));
    return unit.kind() == Unit.Kind.MICROBATCH ? RecordGrouping.slots(kept, unit) : kept;
  }

  /**
   * Trains the model.
   *
   * @param directory new directory for plan, ledger, model, statement and report
   * @return the run, which is finished or stopped
   * @throws InvalidInputException if a setting, file or column is invalid; the message names it
   * @throws BudgetRefusedException if the run does not fit into the budget; nothing was started
   */
  public Run run(Path directory) {
    requireNew(directory); // before records are read
    return run(directory, plan());
  }

  /**
   * Trains the model with a plan from an earlier call of {@link #plan}.
   *
   * @see #run(Path)
   */
  public Run run(Path directory, TrainingPlan plan) {
    requireNew(directory);
    RunInfo info =
        new RunInfo(
            Resources.version("sordino"),
            Instant.now().truncatedTo(ChronoUnit.SECONDS).toString(),
            description,
            options.delta(),
            new RunInfo.Declared(populationDeclared(), task.schemaDeclared()),
            baseline,
            budgetFile == null ? null : budgetFile.toAbsolutePath().toString(),
            task.info());
    return new RunExecution(new RunDirectory(directory), info, task, plan, this, keys)
        .begin(insecureSeed);
  }

  /**
   * Finishes a run that was stopped or killed. A finished run is returned unchanged.
   *
   * <p>The task must have the same records in the same order as before. If they differ, the
   * remaining steps are counted again.
   *
   * @param directory directory of the run
   */
  public Run resume(Path directory) {
    RunDirectory run = RunDirectory.existing(directory);
    return new RunExecution(run, run.info(), task, run.plan(), this, keys).resume();
  }

  /**
   * Checks that a directory does not contain a run. No records are read.
   *
   * @throws InvalidInputException if the directory contains a run
   */
  public static void requireNew(Path directory) {
    if (Files.exists(directory.resolve(RunDirectory.INFO))) {
      throw new InvalidInputException(
          "`directory` must be a new run directory, got "
              + directory
              + ", which contains a run; resume that run or choose another directory");
    }
  }
}
