package org.sordino.run;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.sordino.PrivacyEvent;
import org.sordino.ledger.LedgerContents;
import org.sordino.report.Resources;
import org.sordino.training.KeyFolder;
import org.sordino.training.Metric;
import org.sordino.training.Preparation;
import org.sordino.training.PrivateQuery;
import org.sordino.training.Safetensors;
import org.sordino.training.Trainer;
import org.sordino.training.TrainingListener;
import org.sordino.training.TrainingPlan;
import org.sordino.training.TrainingResult;

/** Executes one run, from its reservation in a budget to its report. */
final class RunExecution {

  /** Number of evaluations of the model during training. */
  private static final int EVALUATIONS = 25;

  private final RunDirectory run;
  private final RunInfo info;
  private final Task task;
  private final TrainingPlan plan;
  private final Training training;
  private final KeyFolder keys;
  private final PrivateMetricsFile metrics;

  RunExecution(
      RunDirectory run,
      RunInfo info,
      Task task,
      TrainingPlan plan,
      Training training,
      KeyFolder keys) {
    this.run = run;
    this.info = info;
    this.task = task;
    this.plan = plan;
    this.training = training;
    this.keys = keys;
    this.metrics = new PrivateMetricsFile(run, plan);
  }

  /**
   * Starts the run. The order matters for the guarantee: the budget is charged before the files of
   * the run exist.
   */
  Run begin(@Nullable Long insecureSeed) {
    task.records(plan.unit()); // unreadable records must fail before the budget is charged
    Optional<BudgetFile.Reservation> reservation =
        budget().map(budget -> budget.reserve(plan, info.owner(plan.unit()), run.path()));
    run.create();
    reservation.ifPresent(reserved -> BudgetFile.keepId(run.path(), reserved.id()));
    run.write(RunDirectory.PLAN, plan.toJson() + "\n");
    run.writeJson(RunDirectory.INFO, info.json());
    TestMetricsFile.create(run);
    return execute(insecureSeed, false);
  }

  Run resume() {
    return execute(null, true);
  }

  private Run execute(@Nullable Long insecureSeed, boolean resumed) {
    TrainingResult result;
    try (Preparation records = task.prepare(plan)) {
      Trainer trainer =
          Trainer.of(plan, records).start(task.initialParameters()).in(run.path()).keys(keys);
      if (insecureSeed != null) {
        trainer.insecureSeed(insecureSeed);
      }
      trainer.recount(this::recount).listener(new Watcher(trainer));
      if (training.isStopping()) {
        trainer.stop();
      }
      result = resumed ? trainer.resume() : trainer.run();
    }
    if (result.outcome() != TrainingResult.Outcome.STOPPED) {
      conclude(result);
    }
    return Run.open(run.path());
  }

  private Optional<BudgetFile> budget() {
    return Optional.ofNullable(info.budgetFile()).map(file -> BudgetFile.open(Path.of(file)));
  }

  private Optional<BudgetFile.Reservation> reservation() {
    return budget()
        .map(
            budget ->
                budget.reservation(
                    BudgetFile.idIn(run.path())
                        .orElseThrow(
                            () ->
                                new RunDamagedException(
                                    run.file(BudgetFile.ID)
                                        + " is missing; restore it from a copy"))));
  }

  private void recount(PrivacyEvent all) {
    reservation().ifPresent(reserved -> reserved.recount(all));
  }

  /**
   * Records metrics and reports progress during training. It receives released values only; the
   * metrics that it computes on test records are not private.
   */
  private final class Watcher implements TrainingListener {

    private final Trainer trainer;
    private final long steps = plan.privacy().steps();
    private Map<String, double[]> answers = Map.of();

    Watcher(Trainer trainer) {
      this.trainer = trainer;
    }

    @Override
    public void queriesAnswered(Map<String, double[]> released) {
      answers = released;
    }

    @Override
    public void stepCompleted(long step, double[] theta, Map<Metric.Kind, double[]> released) {
      metrics.add(released);
      if (!metrics.isEmpty() && isDue(step, Math.max(1, steps / EVALUATIONS))) {
        metrics.endRow(step);
      }
      long every = Math.max(task.stepsBetweenEvaluations(plan.privacy()), steps / EVALUATIONS);
      if (isDue(step, every)) {
        task.test(task.release(theta, answers))
            .ifPresent(evaluation -> TestMetricsFile.append(run, step, evaluation));
      }
      training.report(new Training.Progress(step, steps, released));
      if (training.isStopping()) {
        trainer.stop();
      }
    }

    private boolean isDue(long step, long every) {
      return step % every == 0 || step == steps;
    }
  }

  /** Writes model, results, statement and report, and settles the budget. */
  private void conclude(TrainingResult result) {
    LedgerContents ledger = result.ledger();
    Double epsilon = PrivacyStatement.epsilon(ledger, info.delta());
    Model model = task.release(result.weights(), result.answers());
    run.write(
        RunDirectory.WEIGHTS, new Safetensors(model.tensors(), record(ledger, epsilon)).toBytes());
    run.writeJson(RunDirectory.MODEL, model.json());
    run.writeJson(RunDirectory.RESULTS, results(result, epsilon, model));
    run.writeStatement(PrivacyStatement.of(run));
    run.write(RunReport.FILE, RunReport.of(run).html());
    reservation().ifPresent(reserved -> reserved.settle(ledger));
  }

  /** Returns the privacy metadata stored in the model file. */
  private Map<String, String> record(LedgerContents ledger, @Nullable Double epsilon) {
    Map<String, String> record = new LinkedHashMap<>();
    record.put("sordino", Resources.version("sordino"));
    record.put("epsilon", epsilon == null ? "none: insecure randomness" : epsilon.toString());
    record.put("delta", Double.toString(info.delta()));
    record.put("unit", ledger.header().unit());
    record.put("neighbouring", ledger.header().neighboring().name());
    record.put("ledgerLines", Long.toString(ledger.head().lines()));
    record.put("ledgerChain", ledger.head().chain());
    return record;
  }

  private Map<String, @Nullable Object> results(
      TrainingResult result, @Nullable Double epsilon, Model model) {
    Map<String, @Nullable Object> json = new LinkedHashMap<>();
    json.put("epsilon", epsilon != null && epsilon.isInfinite() ? "Infinity" : epsilon);
    json.put("delta", info.delta());
    json.put("noiseMultiplier", plan.privacy().noiseMultiplier());
    json.put("steps", result.steps());
    json.put("outcome", result.outcome().name().toLowerCase(Locale.ROOT));
    json.put("unit", plan.unit().noun());
    json.put("protects", plan.unit().protection(plan.privacy().neighboring()));
    if (!metrics.isEmpty()) {
      json.put("privateMetrics", new LinkedHashMap<>(metrics.last()));
    }
    if (!plan.queries().isEmpty()) {
      json.put("questions", plan.queries().stream().map(RunExecution::json).toList());
    }
    Optional<Evaluation> evaluation = task.test(model);
    Optional<Evaluation> baseline = info.baseline() ? task.baseline() : Optional.empty();
    evaluation.ifPresent(found -> json.put("test", test(found, baseline)));
    json.put("run", run.path().toString());
    return json;
  }

  private static Map<String, @Nullable Object> test(
      Evaluation evaluation, Optional<Evaluation> baseline) {
    Map<String, @Nullable Object> test = evaluation.json();
    baseline.ifPresent(
        other -> {
          if (other.isRegression()) {
            test.put("nonPrivateRootMeanSquareError", other.rootMeanSquare());
          } else {
            test.put("nonPrivateAccuracy", other.accuracy());
          }
        });
    test.put("note", "not private");
    return test;
  }

  private static Map<String, Object> json(PrivateQuery query) {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("name", query.name());
    json.put("noiseMultiplier", query.mechanism().noiseMultiplier());
    return json;
  }
}
