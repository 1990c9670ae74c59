package org.sordino.cli;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Supplier;
import org.sordino.PrivacyBudget;
import org.sordino.json.Json;
import org.sordino.ledger.Entry;
import org.sordino.ledger.Header;
import org.sordino.report.Decimals;
import org.sordino.run.Evaluation;
import org.sordino.run.Run;
import org.sordino.run.Training;
import org.sordino.table.QueryWarnings;
import org.sordino.training.TrainingResult;

/** Shows the progress of a training run, stops the run on Ctrl-C and prints the result. */
final class TrainingSession {

  private final Training training;
  private final PrintWriter out;
  private final boolean json;
  private long completed;

  TrainingSession(Training training, PrintWriter out, boolean json) {
    this.training = training;
    this.out = out;
    this.json = json;
  }

  /**
   * Trains a model and prints the result.
   *
   * @param steps number of steps of the run
   * @param work starts or resumes the training
   * @return the exit code
   */
  int execute(long steps, Supplier<Run> work) {
    InterruptHandler interrupts = InterruptHandler.stopping(training);
    try {
      Run run = train(steps, work);
      if (run.outcome() == TrainingResult.Outcome.STOPPED) {
        return stopped(run);
      }
      print(run);
      return Main.OK;
    } finally {
      interrupts.close();
    }
  }

  private Run train(long steps, Supplier<Run> work) {
    try (TerminalProgress progress = TerminalProgress.of("Training", steps, !json)) {
      training.onProgress(
          now -> {
            completed = now.step();
            progress.stepTo(completed);
          });
      return work.get();
    }
  }

  /**
   * Prints the result of a stopped run. Must be called before {@link InterruptHandler#close}, which
   * lets the process end.
   */
  private int stopped(Run run) {
    out.println("Stopped after " + Decimals.grouped(completed) + " steps.");
    out.println("To continue, run: sordino resume " + run.directory());
    out.flush();
    return Main.STOPPED;
  }

  private void print(Run run) {
    if (json) {
      out.println(Json.writePretty(run.results()));
      return;
    }
    if (!run.privateMetrics().isEmpty()) {
      print("Metrics", privateMetrics(run) + " on the training records (private)");
    }
    run.evaluation().ifPresent(evaluation -> print(run, evaluation));
    restarts(run).forEach(line -> print("Warning", line));
    print("Privacy", guarantee(run));
    print("Report", run.directory().resolve("report.html"));
    print("Statement", run.directory().resolve("statement.md"));
    print("Model", run.directory().resolve("model.safetensors"));
  }

  private void print(String label, Object value) {
    out.printf("%-10s %s%n", label, value);
  }

  private void print(Run run, Evaluation evaluation) {
    boolean regression = evaluation.isRegression();
    String result =
        evaluation.score(regression ? evaluation.rootMeanSquare() : evaluation.accuracy())
            + " on "
            + Decimals.grouped(evaluation.records())
            + " test records (not private)";
    String baseline =
        run.baseline().map(value -> "; " + evaluation.score(value) + " without privacy").orElse("");
    print(regression ? "RMSE" : "Accuracy", result + baseline);
  }

  /** Explains why steps were counted again and how to avoid it. */
  private static List<String> restarts(Run run) {
    List<String> lines = new ArrayList<>();
    for (Entry entry : run.ledger().entries()) {
      if (entry instanceof Entry.Restart restart) {
        lines.add(
            "Steps from %s on were counted again, because %s"
                .formatted(Decimals.grouped(restart.from()), restart.reason()));
      }
    }
    String query = run.task().query();
    if (!lines.isEmpty() && query != null && !QueryWarnings.of(query).ordered()) {
      lines.add(
          "The query has no ORDER BY and may return its rows in a different order each time; add"
              + " ORDER BY on a unique key");
    }
    return lines;
  }

  private static String privateMetrics(Run run) {
    List<String> parts = new ArrayList<>();
    run.privateMetrics()
        .forEach(
            (name, value) ->
                parts.add(name.toLowerCase(Locale.ROOT) + " " + Decimals.nearest(value, 3)));
    return String.join(", ", parts);
  }

  private static String guarantee(Run run) {
    Optional<PrivacyBudget> guarantee = run.guarantee();
    if (guarantee.isPresent()) {
      return "(%s, %s)-differentially private"
          .formatted(
              Decimals.up(guarantee.get().epsilon(), 5), Decimals.plain(guarantee.get().delta()));
    }
    return run.ledger().header().randomness().equals(Header.SECURE)
        ? "NO guarantee: the run had no noise"
        : "NO guarantee: the randomness came from a seed";
  }
}
