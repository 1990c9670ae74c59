package org.sordino.run;

import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.sordino.PrivacyBudget;
import org.sordino.ledger.LedgerContents;
import org.sordino.training.TrainingPlan;
import org.sordino.training.TrainingResult;

/**
 * A training run on disk: its plan, its ledger, and what came of it. Everything is read from the
 * run directory when it is asked for, so that a run looks the same to the process that trained it
 * and to any other.
 */
public final class Run {

  private final RunDirectory directory;

  private Run(RunDirectory directory) {
    this.directory = directory;
  }

  /**
   * Opens the run of a directory.
   *
   * @throws InvalidInputException if the directory holds no run
   */
  public static Run open(Path directory) {
    return new Run(RunDirectory.existing(directory));
  }

  /** The run directory. */
  public Path directory() {
    return directory.path();
  }

  /** Everything that was decided before any record was read. */
  public TrainingPlan plan() {
    return directory.plan();
  }

  /**
   * What was done to the records: the ledger, verified against every head recorded in the
   * directory.
   *
   * @throws RunDamagedException if there is none yet
   */
  public LedgerContents ledger() {
    return directory.ledger();
  }

  /** What was trained on which data. */
  public TaskInfo task() {
    return directory.info().task();
  }

  /** The delta at which the guarantee is stated. */
  public double delta() {
    return directory.info().delta();
  }

  /** Why the training ended: it was completed, its budget was reached, or it was stopped. */
  public TrainingResult.Outcome outcome() {
    return results().get("outcome") instanceof String outcome
        ? TrainingResult.Outcome.valueOf(outcome.toUpperCase(Locale.ROOT))
        : TrainingResult.Outcome.STOPPED;
  }

  /**
   * The guarantee of the run, the certified upper end of epsilon, from what was executed. Empty if
   * there is none: without noise, or with an insecure seed. A run that is not finished is charged
   * its whole plan.
   */
  public Optional<PrivacyBudget> guarantee() {
    return statement().guarantee();
  }

  /** The guarantee in words. */
  public PrivacyStatement statement() {
    return PrivacyStatement.of(directory);
  }

  /** Writes the statement into the run directory. */
  public Path writeStatement() {
    directory.writeStatement(statement());
    return directory.file(PrivacyStatement.FILE);
  }

  /**
   * The model.
   *
   * @throws InvalidInputException if the run is not finished
   */
  public Model model() {
    return Model.load(directory.path());
  }

  /** The evaluation on the records held out, if there were any. Not private. */
  public Optional<Evaluation> evaluation() {
    return test().map(Evaluation::ofJson);
  }

  /**
   * The accuracy, or the root mean square error, of a model trained without privacy, if one was
   * trained for comparison. Not private.
   */
  public Optional<Double> baseline() {
    return test()
        .map(
            test ->
                test.get("nonPrivateAccuracy") instanceof Number accuracy
                    ? accuracy
                    : test.get("nonPrivateRootMeanSquareError"))
        .map(value -> ((Number) value).doubleValue());
  }

  private Optional<Map<?, ?>> test() {
    return results().get("test") instanceof Map<?, ?> test ? Optional.of(test) : Optional.empty();
  }

  /** The last private metrics by name; empty if the plan has none. They are part of the release. */
  public Map<String, Double> privateMetrics() {
    return new PrivateMetricsFile(directory, plan()).last();
  }

  /** Everything about the result, for programs: the content of {@code results.json}. */
  public Map<String, @Nullable Object> results() {
    return directory.json(RunDirectory.RESULTS);
  }

  /** The report as a self-contained HTML page. */
  public String reportHtml() {
    return RunReport.of(directory).html();
  }

  /** Writes the report into the run directory. */
  public Path writeReport() {
    directory.write(RunReport.FILE, reportHtml());
    return directory.file(RunReport.FILE);
  }
}
