package org.sordino.cli;

import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.sordino.run.InvalidInputException;
import org.sordino.run.PlanSummary;
import org.sordino.run.TableLocation;
import org.sordino.run.Task;
import org.sordino.run.Training;
import org.sordino.table.JdbcConnection;
import org.sordino.training.TrainingPlan;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code sordino train}: trains a model and writes its privacy statement. */
@Command(
    name = "train",
    description = "Train a model on private records and state its privacy guarantee",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    usageHelpWidth = 100,
    footer = {
      "",
      "Examples:",
      "  sordino train",
      "      demonstration: predict employment in a synthetic census",
      "  sordino train --data people.csv --label employed --epsilon 1 --holdout 0.2 --baseline",
      "  sordino train --data people.csv.gz --schema schema.json --population 25766 --epsilon 1 \\",
      "      --delta 1e-6 --test test.csv --out runs/people",
      "  sordino train --engine spark --master spark://host:7077 --data hdfs:///people.parquet \\",
      "      --schema schema.json --population 25766 --epsilon 1",
      "  sordino train --data mnist --epsilon 3 --epochs 15",
      "  sordino train --data visits.csv --label ill --epsilon 2 --unit user --user-column patient",
      "  sordino train --data people.csv --label employed --epsilon 1 --normalize \\",
      "      --metrics loss,accuracy --adaptive-clip 0.5",
      "",
      "The run directory contains the plan, ledger, model, privacy statement and report. A run",
      "interrupted with Ctrl-C can be finished with 'sordino resume' at no extra privacy cost.",
      "Results on test records are not private."
    })
final class TrainCommand implements Callable<Integer> {

  @Spec private CommandSpec spec;

  @Mixin private JobOptions job;

  @Option(
      names = "--baseline",
      description =
          "Also train a model without privacy and print its result for comparison (not private)")
  private boolean baseline;

  @Option(
      names = "--out",
      paramLabel = "FOLDER",
      description =
          "New run directory (default: runs/NAME-N with the name of the data and the first unused"
              + " number)")
  private @Nullable Path out;

  @Option(
      names = "--insecure-seed",
      paramLabel = "SEED",
      description =
          "Derive all randomness from this seed, for experiments; the run has no privacy guarantee")
  private @Nullable Long insecureSeed;

  @Option(
      names = "--budget-file",
      paramLabel = "BUDGET.json",
      description =
          "Privacy budget shared by all runs on the same records, created by 'sordino budget'; a"
              + " run that would exceed it is refused")
  private @Nullable Path budgetFile;

  @Option(names = "--json", description = "Print the result as JSON with all digits")
  private boolean json;

  @Override
  public Integer call() {
    job.check();
    requireBudget();
    Path folder = out == null ? firstFree() : out;
    Training.requireNew(folder);
    long seed = insecureSeed == null ? new SecureRandom().nextLong() >>> 1 : insecureSeed;
    Task task = job.task(seed);
    Training training =
        job.training(task).baseline(baseline || job.data.isDemo()).description(commandLine());
    if (budgetFile != null) {
      training.budgetFile(budgetFile);
    }
    if (insecureSeed != null) {
      training.insecureSeed(insecureSeed);
    }
    TrainingPlan plan = training.plan();
    PrintWriter text = spec.commandLine().getOut();
    if (!json) {
      PlanSummary.lines(task.describe(), plan, training.populationDeclared(), task.schemaDeclared())
          .forEach(text::println);
      text.println();
      text.flush();
    }
    return new TrainingSession(training, text, json)
        .execute(plan.privacy().steps(), () -> training.run(folder, plan));
  }

  private String commandLine() {
    return spec.commandLine().getParseResult().originalArgs().stream()
        .map(TrainCommand::withoutCredentials)
        .collect(Collectors.joining(" ", "sordino ", ""));
  }

  /**
   * Removes the credentials from a database URL, because the command line is stored with the run.
   */
  private static String withoutCredentials(String argument) {
    int url = argument.indexOf("jdbc:");
    return url < 0
        ? argument
        : argument.substring(0, url) + JdbcConnection.redacted(argument.substring(url));
  }

  private void requireBudget() {
    if (!job.options.determinesNoise() && !job.data.isDemo()) {
      throw new InvalidInputException("--epsilon is missing; try --epsilon 1");
    }
  }

  private Path firstFree() {
    String data = job.data.data;
    String name = data == null ? "demo" : TableLocation.isDatabase(data) ? "database" : name(data);
    for (int i = 1; ; i++) {
      Path folder = Path.of("runs", name + "-" + i);
      if (!Files.exists(folder)) {
        return folder;
      }
    }
  }

  /** Returns the last part of a location without its file name extensions. */
  private static String name(String location) {
    String last = location.replaceFirst("[/\\\\]+$", "").replaceFirst("^.*[/\\\\]", "");
    String name = last.replaceFirst("(\\.\\w+)+$", "");
    return name.isEmpty() ? "run" : name;
  }
}
