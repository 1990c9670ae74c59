package org.sordino.cli;

import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.sordino.torch.ImageData;
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
      "  sordino train --data mnist --epsilon 3 --epochs 15",
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
      description =
          "For tables linear (the default: linear, logistic or softmax regression, as the label"
              + " requires) or mlp; for images mnist-cnn, cifar-cnn or mlp; or a file with an"
              + " architecture in JSON.")
  private @Nullable String model;

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
    options.check();
    requirePrice();
    Path folder = out == null ? firstFree() : requireNew(out);
    Task task = task();
    TrainingPlan plan = plan(task);
    RunInfo info =
        new RunInfo(
            Resources.version("sordino"),
            Instant.now().truncatedTo(ChronoUnit.SECONDS).toString(),
            "sordino " + String.join(" ", spec.commandLine().getParseResult().originalArgs()),
            options.delta(),
            options.population() != null || data.isPublic(),
            !(task instanceof TableTask table && table.schema().drafted()),
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

  private void requirePrice() {
    if (options.epsilon == null
        && options.noiseMultiplier == null
        && options.planFile == null
        && !data.isDemo()) {
      throw new BadInput("--epsilon is missing; give for instance --epsilon 1");
    }
  }

  /** Model and records. */
  private Task task() {
    long seed = insecureSeed == null ? new SecureRandom().nextLong() >>> 1 : insecureSeed;
    ImageData.Source images = data.images();
    if (images != null) {
      String network = model == null ? NetworkTask.usual(images) : model;
      return NetworkTask.ofImages(images, data.imageFolder(), network, seed);
    }
    TableTask.Table place = data.table();
    NetworkTask.requireKnown(model);
    TableTask table = TableTask.read(place, data.schema(place));
    return model == null || model.equals("linear")
        ? table
        : NetworkTask.ofTable(table, model, seed);
  }

  private TrainingPlan plan(Task task) {
    Long declared = options.population();
    double holdout = task instanceof TableTask table ? table.holdout() : 0;
    long population =
        declared == null ? task.records() : Math.max(1, Math.round(declared * (1 - holdout)));
    Defaults defaults =
        task instanceof TableTask ? Defaults.ofTable(population) : Defaults.ofNetwork(population);
    return options.plan(task.layout(), population, defaults, 1);
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

  private Path firstFree() {
    Path file = data.data;
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
