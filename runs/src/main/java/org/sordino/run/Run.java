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
 * A training run on disk: its plan, its ledger and its results. Every method reads the run
 * directory when it is called, so a run has the same content for the process that trained it and
 * for any other.
 */
public final class Run {

  private final RunDirectory directory;

  private Run(RunDirectory directory) {
    this.directory = directory;
  }

  /**
   * Opens the run in a directory.
   *
   * @throws InvalidInputException if the directory does not contain a run
   */
  public static Run open(Path directory) {
    return new Run(RunDirectory.existing(directory));
  }

  /** Returns the run directory. */
  public Path directory() {
    return directory.path();
  }

  /** Returns the plan of the run, which was fixed before training. */
  public TrainingPlan plan() {
    return directory.plan();
  }

  /**
   * Returns the ledger of everything that was executed on the records. It is verified against every
   * ledger head in the directory.
   *
   * @throws RunDamagedException if the ledger does not exist yet
   */
  public LedgerContents ledger() {
    return directory.ledger();
  }

  /** Returns the model and data of the run. */
  public TaskInfo task() {
    return directory.info().task();
  }

  /** Returns the delta at which the guarantee is stated. */
  public double delta() {
    return directory.info().delta();
  }

  /** Returns why training ended: it was completed, its budget was reached, or it was stopped. */
  public TrainingResult.Outcome outcome() {
    return results().get("outcome") instanceof String outcome
        ? TrainingResult.Outcome.valueOf(outcome.toUpperCase(Locale.ROOT))
        : TrainingResult.Outcome.STOPPED;
  }

  /**
   * Returns the guarantee of the run, with the certified upper end of epsilon, computed from the
   * ledger. A run that is not finished is charged for its whole plan.
   *
   * @return the guarantee; empty if the run has no guarantee because it was trained without noise
   *     or with an insecure seed
   */
  public Optional<PrivacyBudget> guarantee() {
    return statement().guarantee();
  }

  /** Returns the privacy statement, which explains the guarantee. */
  public PrivacyStatement statement() {
    return PrivacyStatement.of(directory);
  }

  /**
   * Writes the privacy statement to the run directory.
   *
   * @return path of {@code statement.md}
   */
  public Path writeStatement() {
    directory.writeStatement(statement());
    return directory.file(PrivacyStatement.FILE);
  }

  /**
   * Loads the model.
   *
   * @throws InvalidInputException if the run is not finished
   * @see Model#load
   */
  public Model model() {
    return Model.load(directory.path());
  }

  /** Returns the evaluation on the test records, if there are any. It is not private. */
  public Optional<Evaluation> evaluation() {
    return test().map(Evaluation::ofJson);
  }

  /**
   * Returns the accuracy or the root mean square error of the model trained without privacy, if one
   * was trained for comparison. It is not private.
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

  /**
   * Returns the last private metrics by name; empty if the plan has no metrics. They are covered by
   * the guarantee.
   */
  public Map<String, Double> privateMetrics() {
    return new PrivateMetricsFile(directory, plan()).last();
  }

  /** Returns the content of {@code results.json}; empty if the run is not finished. */
  public Map<String, @Nullable Object> results() {
    return directory.json(RunDirectory.RESULTS);
  }

  /** Returns the report as a self-contained HTML page. */
  public String reportHtml() {
    return RunReport.of(directory).html();
  }

  /**
   * Writes the report to the run directory.
   *
   * @return path of {@code report.html}
   */
  public Path writeReport() {
    directory.write(RunReport.FILE, reportHtml());
    return directory.file(RunReport.FILE);
  }
}
