package org.sordino.cli;

import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.sordino.table.Schema;
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
      "",
      "The run directory holds plan, ledger, model, statement and report. Ctrl-C leaves a run that",
      "'sordino resume' finishes at no extra cost. What is computed on test records is not private."
    })
final class TrainCommand implements Callable<Integer> {

  @Spec private CommandSpec spec;

  @Mixin private DataOptions data;

  @Mixin private TrainOptions options;

  @Option(
      names = "--model",
      paramLabel = "NAME",
      description = "linear: linear, logistic or softmax regression, as the label requires.")
  private String model = "linear";

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
    TableTask.Table table = data.table();
    if (!model.equals("linear")) {
      throw Numbers.bad("--model", "linear", model, "other models are not available yet");
    }
    if (options.epsilon == null && options.noiseMultiplier == null && !data.isDemo()) {
      if (options.planFile == null) {
        throw new BadInput("--epsilon is missing; give for instance --epsilon 1");
      }
    }
    options.check();
    Path folder = out == null ? firstFree(table) : requireNew(out);
    Schema schema = data.schema(table);
    TableTask task = TableTask.read(table, schema);
    TrainingPlan plan = plan(task, schema);
    RunInfo info =
        new RunInfo(
            Resources.version("sordino"),
            Instant.now().truncatedTo(ChronoUnit.SECONDS).toString(),
            "sordino " + String.join(" ", spec.commandLine().getParseResult().originalArgs()),
            options.delta(),
            options.population() != null || data.isDemo(),
            !schema.drafted(),
            baseline || data.isDemo(),
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

  private TrainingPlan plan(TableTask task, Schema schema) {
    Long declared = options.population();
    long population = task.records();
    if (declared != null) {
      population = Math.max(1, Math.round(declared * (1 - task.holdout())));
    }
    return options.plan(task.layout(), population, schema.columns().size(), 1);
  }

  private Path requireNew(Path folder) {
    if (Files.exists(folder.resolve("run.json"))) {
      throw new BadInput(
          "--out must be a new run directory, got "
              + folder
              + ", which holds a run; resume that one or choose another");
    }
    return folder;
  }

  private static Path firstFree(TableTask.Table table) {
    Path file = table.file();
    String name =
        file == null ? "demo" : file.getFileName().toString().replaceFirst("(\\.\\w+)+$", "");
    for (int i = 1; ; i++) {
      Path folder = Path.of("runs", name + "-" + i);
      if (!Files.exists(folder)) {
        return folder;
      }
    }
  }
}
