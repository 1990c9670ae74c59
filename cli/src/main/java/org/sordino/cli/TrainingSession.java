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

/** Shows the progress of a training run on the terminal, stops it on Ctrl-C, prints the result. */
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
   * Trains.
   *
   * @param steps how many there are
   * @param work runs or resumes the training
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
    try (TerminalProgress progress = TerminalProgress.of("training", steps, !json)) {
      training.onProgress(
          now -> {
            completed = now.step();
            progress.stepTo(completed);
          });
      return work.get();
    }
  }

  /** Prints while the interruption still waits: the process ends with it. */
  private int stopped(Run run) {
    out.println("stopped after " + Decimals.grouped(completed) + " steps");
    out.println("to go on: sordino resume " + run.directory());
    out.flush();
    return Main.STOPPED;
  }

  private void print(Run run) {
    if (json) {
      out.println(Json.writePretty(run.results()));
      return;
    }
    if (!run.privateMetrics().isEmpty()) {
      out.printf("%s on the training records, private%n", privateMetrics(run));
    }
    run.evaluation().ifPresent(evaluation -> print(run, evaluation));
    restarts(run).forEach(out::println);
    out.println(guarantee(run));
    out.println("report:    " + run.directory().resolve("report.html"));
    out.println("statement: " + run.directory().resolve("statement.md"));
    out.println("model:     " + run.directory().resolve("model.safetensors"));
  }

  private void print(Run run, Evaluation evaluation) {
    out.printf(
        "%s on %s test records, not private%s%n",
        evaluation.headline(),
        Decimals.grouped(evaluation.records()),
        run.baseline().map(value -> "; without privacy " + evaluation.headline(value)).orElse(""));
  }

  /** Why steps had to be counted again, and how to avoid that. */
  private static List<String> restarts(Run run) {
    List<String> lines = new ArrayList<>();
    for (Entry entry : run.ledger().entries()) {
      if (entry instanceof Entry.Restart restart) {
        lines.add(
            "The steps from %s on were counted again: %s."
                .formatted(Decimals.grouped(restart.from()), restart.reason()));
      }
    }
    String query = run.task().query();
    if (!lines.isEmpty() && query != null && !QueryWarnings.of(query).ordered()) {
      lines.add(
          "The query has no ORDER BY, so its rows may come in another order each time; order them"
              + " by a unique key.");
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
      return "The model is (%s, %s)-differentially private."
          .formatted(
              Decimals.up(guarantee.get().epsilon(), 5), Decimals.plain(guarantee.get().delta()));
    }
    return run.ledger().header().randomness().equals(Header.SECURE)
        ? "NO privacy guarantee: the run had no noise"
        : "NO privacy guarantee: the randomness came from a seed";
  }
}
