package org.sordino.cli;

import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
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
    Path folder = out == null ? firstFree() : requireNew(out);
    JobOptions.Subject subject = job.subject();
    long coins = insecureSeed == null ? new SecureRandom().nextLong() >>> 1 : insecureSeed;
    Task task = job.task(subject, coins);
    Long declared = job.declared(subject);
    TrainingPlan plan =
        job.plan(subject, declared == null ? task.records(job.options.records.unit()) : declared);
    RunInfo info =
        new RunInfo(
            Resources.version("sordino"),
            Instant.now().truncatedTo(ChronoUnit.SECONDS).toString(),
            "sordino " + String.join(" ", spec.commandLine().getParseResult().originalArgs()),
            job.options.delta(),
            job.isPublic(subject),
            subject.schemaDeclared(),
            baseline || job.data.isDemo(),
            budgetFile == null ? null : budgetFile.toAbsolutePath().toString(),
            task.json());
    PrintWriter text = spec.commandLine().getOut();
    if (!json) {
      PlanText.print(text, task.describe(), plan, info);
      text.flush();
    }
    return new TrainSession(new RunDirectory(folder), info, task, plan, text, json)
        .begin(insecureSeed);
  }

  private void requirePrice() {
    if (job.options.epsilon == null
        && job.options.noiseMultiplier == null
        && job.options.planFile == null
        && !job.data.isDemo()) {
      throw new InvalidInputException("--epsilon is missing; give for instance --epsilon 1");
    }
  }

  private Path requireNew(Path folder) {
    if (Files.exists(folder.resolve("run.json"))) {
      throw new InvalidInputException(
          "--out must be a new run directory, got "
              + folder
              + ", which holds a run; resume that one or choose another");
    }
    return folder;
  }

  private Path firstFree() {
    String name = job.data.data == null ? "demo" : name(job.data.data);
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
