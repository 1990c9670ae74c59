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
 * Trains a model on private records, in a run directory of its own. {@link TableTraining} is the
 * short form for tables; this class takes any {@link Task}.
 *
 * <p>A run that was killed is finished by {@link #resume}, which repeats the steps since the last
 * checkpoint bit for bit and costs nothing more. A run that is stopped on purpose can be resumed
 * too. Until it is, its statement and its budget charge the whole plan, because the person who
 * stopped it has seen released values.
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
   * How far a run has come. Everything in it is released, so it may be shown.
   *
   * @param step the number of completed steps
   * @param steps the number of planned steps
   * @param privateMetrics the noisy metrics of the last step, if the plan has any
   */
  public record Progress(long step, long steps, Map<Metric.Kind, double[]> privateMetrics) {}

  private Training(Task task) {
    this.task = task;
  }

  /** Trains the model of a task on its records. */
  public static Training of(Task task) {
    return new Training(task);
  }

  /** The settings of the run. */
  public Training options(TrainingOptions settings) {
    this.options = settings;
    return this;
  }

  /** A budget that all runs on the same records share; a run that would exceed it is refused. */
  public Training budgetFile(Path file) {
    this.budgetFile = file;
    return this;
  }

  /** Where the key of an unfinished run is kept (default: a folder in the user's home). */
  public Training keys(KeyFolder folder) {
    this.keys = folder;
    return this;
  }

  /** Called after each step, in the thread that trains. */
  public Training onProgress(Consumer<Progress> listener) {
    this.progress = listener;
    return this;
  }

  /** Asked after each step; the run stops when the answer is true, and can be resumed. */
  public Training stopWhen(BooleanSupplier condition) {
    this.stopping = condition;
    return this;
  }

  /** Also trains a model without privacy and evaluates it, for comparison. Not private. */
  public Training baseline(boolean compare) {
    this.baseline = compare;
    return this;
  }

  /** What started the run, for its report: a command line, the name of a service. No secrets. */
  public Training description(String text) {
    this.description = text;
    return this;
  }

  /**
   * Takes all randomness from a seed, for experiments that must be repeatable. Anyone who knows the
   * seed can remove the noise, so that such a run states no guarantee.
   */
  public Training insecureSeed(long seed) {
    this.insecureSeed = seed;
    return this;
  }

  /** Stops the run after its current step; it can be resumed. May be called from any thread. */
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
   * The plan of the run. Records are read only if their number was not declared.
   *
   * @throws InvalidInputException naming the setting that does not fit the model
   */
  public TrainingPlan plan() {
    options.check(task.shape());
    return options.plan(task.shape(), population());
  }

  /** Whether the number of records is public; otherwise it is counted, outside the guarantee. */
  public boolean populationDeclared() {
    return options.population() != null || task.publicRecords(options.unit()).isPresent();
  }

  /** The number of records to train on: declared ones without those that are held out. */
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
   * Trains.
   *
   * @param directory a new directory for plan, ledger, model, statement and report
   * @throws InvalidInputException naming the setting, file or column that must be corrected
   * @throws BudgetRefusedException if the budget has too little left; nothing was started
   */
  public Run run(Path directory) {
    requireNew(directory); // before records are read
    return run(directory, plan());
  }

  /** Trains according to {@link #plan}, which was made before. */
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
   * Finishes a run that was stopped or killed; returns a finished run as it is. The task must have
   * the records of the run in the same order; if they differ, the remaining steps are counted
   * again.
   *
   * @param directory the directory of the run
   */
  public Run resume(Path directory) {
    RunDirectory run = RunDirectory.existing(directory);
    return new RunExecution(run, run.info(), task, run.plan(), this, keys).resume();
  }

  /**
   * Refuses a directory that holds a run already, before anything is read.
   *
   * @throws InvalidInputException if it does
   */
  public static void requireNew(Path directory) {
    if (Files.exists(directory.resolve(RunDirectory.INFO))) {
      throw new InvalidInputException(
          "`directory` must be a new run directory, got "
              + directory
              + ", which holds a run; resume that one or choose another");
    }
  }
}
