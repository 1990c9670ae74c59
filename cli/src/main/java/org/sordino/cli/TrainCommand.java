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

/** {@code sordino train}: from private records to a model with a statement. */
@Command(
    name = "train",
    description = "Trains a model on private records and states what that cost.",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    usageHelpWidth = 100,
    footer = {
      "",
      "Examples:",
      "  sordino train",
      "      a demonstration: a synthetic census, who is employed?",
      "  sordino train --data people.csv --label employed --epsilon 1 --holdout 0.2 --baseline",
      "  sordino train --data people.csv.gz --schema schema.json --population 25766 --epsilon 1 \\",
      "      --delta 1e-6 --test test.csv --out runs/people",
      "  sordino train --engine spark --master spark://host:7077 --data hdfs:///people.parquet \\",
      "      --schema schema.json --population 25766 --epsilon 1",
      "  sordino train --data mnist --epsilon 3 --epochs 15",
      "  sordino train --data visits.csv --label ill --epsilon 2 --unit user --user-column patient",
      "  sordino train --data people.csv --label employed --epsilon 1 --normalise \\",
      "      --metrics loss,accuracy --adaptive-clip 0.5",
      "",
      "The run directory holds plan, ledger, model, statement and report. Ctrl-C leaves a run that",
      "'sordino resume' finishes at no extra cost. What is computed on test records is not private."
    })
final class TrainCommand implements Callable<Integer> {

  @Spec private CommandSpec spec;

  @Mixin private JobOptions job;

  @Option(
      names = "--baseline",
      description = "Also train without privacy and compare; not private.")
  private boolean baseline;

  @Option(
      names = "--out",
      paramLabel = "FOLDER",
      description = "The run directory; without it, the first free one in runs/.")
  private @Nullable Path out;

  @Option(
      names = "--insecure-seed",
      paramLabel = "SEED",
      description = "Take all randomness from a seed, for experiments. No guarantee is stated.")
  private @Nullable Long insecureSeed;

  @Option(
      names = "--budget-file",
      paramLabel = "BUDGET.json",
      description =
          "A budget that all runs on the same records share ('sordino budget' makes one); a run"
              + " that would exceed it is refused.")
  private @Nullable Path budgetFile;

  @Option(names = "--json", description = "Answer in JSON, with all digits.")
  private boolean json;

  @Override
  public Integer call() {
    job.check();
    requirePrice();
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

  /** The command line is stored with the run; the URL of a database may hold a password. */
  private static String withoutCredentials(String argument) {
    int url = argument.indexOf("jdbc:");
    return url < 0
        ? argument
        : argument.substring(0, url) + JdbcConnection.redacted(argument.substring(url));
  }

  private void requirePrice() {
    if (!job.options.isPriced() && !job.data.isDemo()) {
      throw new InvalidInputException("--epsilon is missing; give for instance --epsilon 1");
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

  /** The last part of a location, without extensions. */
  private static String name(String location) {
    String last = location.replaceFirst("[/\\\\]+$", "").replaceFirst("^.*[/\\\\]", "");
    String name = last.replaceFirst("(\\.\\w+)+$", "");
    return name.isEmpty() ? "run" : name;
  }
}
