package org.sordino.cli;

import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.sordino.Neighbouring;
import org.sordino.PrivacyEvent;
import org.sordino.accounting.TightAccountant;
import org.sordino.json.Json;
import org.sordino.ledger.Header;
import org.sordino.ledger.LedgerContents;
import org.sordino.training.Metric;
import org.sordino.training.PrivateQuery;
import org.sordino.training.Safetensors;
import org.sordino.training.Trainer;
import org.sordino.training.TrainingListener;
import org.sordino.training.TrainingPlan;
import org.sordino.training.TrainingResult;

/** One run from its plan to its report, begun or resumed. */
final class TrainSession {

  /** How many times the model is looked at on the way. */
  private static final int LOOKS = 25;

  private final RunDirectory run;
  private final RunInfo info;
  private final Task task;
  private final TrainingPlan plan;
  private final PrintWriter out;
  private final boolean json;
  private final PrivateMetricsFile metrics;

  TrainSession(
      RunDirectory run, RunInfo info, Task task, TrainingPlan plan, PrintWriter out, boolean json) {
    this.run = run;
    this.info = info;
    this.task = task;
    this.plan = plan;
    this.out = out;
    this.json = json;
    this.metrics = new PrivateMetricsFile(run, plan);
  }

  /** Begins the run. */
  int begin(@Nullable Long insecureSeed) {
    String id = reserve();
    OutputFiles.makeFolder("--out", run.path());
    if (id != null) {
      BudgetFile.keepId(run.path(), id);
    }
    run.write("plan.json", plan.toJson() + "\n");
    run.writeJson("run.json", info.json());
    TestMetricsFile.create(run);
    return execute(insecureSeed, false);
  }

  /** Goes on with it. */
  int resume() {
    return execute(null, true);
  }

  private int execute(@Nullable Long insecureSeed, boolean resumed) {
    TrainingResult result;
    try (Prepared records = task.prepare(plan);
        TerminalProgress progress =
            TerminalProgress.of("training", plan.privacy().steps(), !json)) {
      Trainer trainer = Trainer.of(plan, records).start(task.start()).in(run.path());
      if (insecureSeed != null) {
        trainer.insecureSeed(insecureSeed);
      }
      trainer.recount(this::recount);
      trainer.listener(
          new TrainingListener() {
            @Override
            public void stepCompleted(
                long steps, double[] theta, Map<Metric.Kind, double[]> released) {
              metrics.add(released);
              watch(progress, steps, theta);
            }
          });
      InterruptHandler interruption = InterruptHandler.stopping(trainer);
      try {
        result = resumed ? trainer.resume() : trainer.run();
        if (result.outcome() == TrainingResult.Outcome.STOPPED) {
          return stopped(result);
        }
        if (resumed && !plan.queries().isEmpty()) {
          records.trainingEngine(result.answers()); // sets the task's preprocessing
        }
      } finally {
        interruption.close();
      }
    }
    conclude(result);
    return Main.OK;
  }

  /** Says so while the interruption still waits: the process ends with it. */
  private int stopped(TrainingResult result) {
    out.println("stopped after " + Numbers.grouped(result.steps()) + " steps");
    out.println("to go on: sordino resume " + run.path());
    out.flush();
    return Main.STOPPED;
  }

  /** Takes what the run will cost from its budget, which then calls it by the answer. */
  private @Nullable String reserve() {
    BudgetFile budget = budget();
    if (budget == null) {
      return null;
    }
    budget.requireRelation("--budget-file", plan.privacy().neighbouring());
    String id = UUID.randomUUID().toString();
    String place = run.path().toAbsolutePath().normalize().toString();
    budget.reserve(id, place, plan.event(), info.owner(plan.unit()));
    return id;
  }

  private void recount(PrivacyEvent all) {
    BudgetFile budget = budget();
    if (budget != null) {
      budget.recount(id(), all);
    }
  }

  /** Tells the budget what was executed instead of what was planned. */
  private void settle(LedgerContents ledger) {
    BudgetFile budget = budget();
    if (budget != null) {
      budget.settle(id(), ledger.event());
    }
  }

  private @Nullable BudgetFile budget() {
    String file = info.budgetFile();
    return file == null ? null : BudgetFile.open(Path.of(file));
  }

  private String id() {
    return BudgetFile.idIn(run.path())
        .orElseThrow(
            () ->
                new RunDamagedException(
                    run.file("budget-id") + " is missing; restore it from a copy"));
  }

  /** Sees released parameters only; what it computes from test records is not private. */
  private void watch(TerminalProgress progress, long steps, double[] theta) {
    progress.stepTo(steps);
    long last = plan.privacy().steps();
    if (!metrics.isEmpty() && (steps % Math.max(1, last / LOOKS) == 0 || steps == last)) {
      metrics.endRow(steps);
    }
    long every = Math.max(task.stepsBetweenLooks(plan.privacy()), last / LOOKS);
    if (steps % every == 0 || steps == last) {
      Evaluation evaluation = task.evaluate(theta);
      if (evaluation != null) {
        TestMetricsFile.append(run, steps, evaluation);
      }
    }
  }

  /** Writes model, statement, results and report. */
  private void conclude(TrainingResult result) {
    LedgerContents ledger = result.ledger();
    Double epsilon = epsilon(ledger, info.delta());
    run.write("model.safetensors", model(result, epsilon));
    run.writeJson("model.json", task.model());
    Evaluation evaluation = task.evaluate(result.weights());
    Evaluation baseline = info.baseline() ? task.baseline() : null;
    Map<String, @Nullable Object> results = results(result, epsilon, evaluation, baseline);
    run.writeJson("results.json", results);
    run.write("statement.md", Statement.of(run));
    run.write("report.html", RunReport.of(run).html());
    settle(ledger);
    if (json) {
      out.println(Json.writePretty(results));
    } else {
      print(epsilon, evaluation, baseline);
    }
  }

  /** The certified upper end; null where the randomness was not secret, infinite without noise. */
  static @Nullable Double epsilon(LedgerContents ledger, double delta) {
    Neighbouring relation = ledger.header().neighbouring();
    return ledger.header().randomness().equals(Header.SECURE)
        ? TightAccountant.of(relation).epsilonBracket(ledger.event(), delta).upper()
        : null;
  }

  private byte[] model(TrainingResult result, @Nullable Double epsilon) {
    Map<String, String> record = new LinkedHashMap<>();
    record.put("sordino", Resources.version("sordino"));
    record.put("epsilon", epsilon == null ? "none: insecure randomness" : epsilon.toString());
    record.put("delta", Double.toString(info.delta()));
    record.put("unit", result.ledger().header().unit());
    record.put("neighbouring", result.ledger().header().neighbouring().name());
    record.put("ledgerLines", Long.toString(result.ledger().head().lines()));
    record.put("ledgerChain", result.ledger().head().chain());
    return new Safetensors(task.tensors(result.weights()), record).toBytes();
  }

  private Map<String, @Nullable Object> results(
      TrainingResult result,
      @Nullable Double epsilon,
      @Nullable Evaluation evaluation,
      @Nullable Evaluation baseline) {
    Map<String, @Nullable Object> json = new LinkedHashMap<>();
    json.put("epsilon", number(epsilon));
    json.put("delta", info.delta());
    json.put("noiseMultiplier", plan.privacy().noiseMultiplier());
    json.put("steps", result.steps());
    json.put("outcome", result.outcome().name().toLowerCase(java.util.Locale.ROOT));
    json.put("unit", plan.unit().noun());
    json.put("protects", plan.unit().protection(plan.privacy().neighbouring()));
    if (!metrics.isEmpty()) {
      json.put("privateMetrics", metrics.last());
    }
    if (!plan.queries().isEmpty()) {
      json.put("questions", plan.queries().stream().map(TrainSession::json).toList());
    }
    if (evaluation != null) {
      Map<String, @Nullable Object> test = evaluation.json();
      if (baseline != null && !baseline.confusion().isEmpty()) {
        test.put("nonPrivateAccuracy", baseline.accuracy());
      } else if (baseline != null) {
        test.put("nonPrivateRootMeanSquareError", baseline.rootMeanSquare());
      }
      test.put("note", "not private");
      json.put("test", test);
    }
    json.put("run", run.path().toString());
    return json;
  }

  private static Map<String, Object> json(PrivateQuery query) {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("name", query.name());
    json.put("noiseMultiplier", query.mechanism().noiseMultiplier());
    return json;
  }

  private static @Nullable Object number(@Nullable Double epsilon) {
    return epsilon != null && epsilon.isInfinite() ? "Infinity" : epsilon;
  }

  private void print(
      @Nullable Double epsilon, @Nullable Evaluation evaluation, @Nullable Evaluation baseline) {
    if (!metrics.isEmpty()) {
      out.printf("%s on the training records, private%n", metrics.describe());
    }
    if (evaluation != null) {
      out.printf(
          "%s on %s test records, not private%s%n",
          evaluation.headline(),
          Numbers.grouped(evaluation.records()),
          baseline == null ? "" : "; without privacy " + baseline.headline());
    }
    if (epsilon == null) {
      out.println("NO privacy guarantee: the randomness came from a seed");
    } else if (epsilon.isInfinite()) {
      out.println("NO privacy guarantee: the run had no noise");
    } else {
      out.printf(
          "The model is (%s, %s)-differentially private.%n",
          Numbers.up(epsilon, 5), Numbers.plain(info.delta()));
    }
    out.println("report:    " + run.file("report.html"));
    out.println("statement: " + run.file("statement.md"));
    out.println("model:     " + run.file("model.safetensors"));
  }
}
