package org.sordino.cli;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.sordino.ledger.LedgerContents;
import org.sordino.table.CsvOptions;
import org.sordino.table.DemoCensus;
import org.sordino.table.Schema;
import org.sordino.training.KeyFolder;
import org.sordino.training.Safetensors;
import org.sordino.training.Trainer;
import org.sordino.training.TrainingListener;
import org.sordino.training.TrainingPlan;
import org.sordino.training.TrainingResult;

/** Makes run directories as {@code sordino train} does, quickly. */
final class SampleRun {

  /** A figure that nothing else computes: where it turns up, it was copied from the tests. */
  static final double TEST_ACCURACY = 0.654321;

  static final double BASELINE_ACCURACY = 0.678912;

  private final Path folder;
  private double noiseMultiplier = 4;
  private long steps = 60;
  private @Nullable Long seed;
  private long stopAt = Long.MAX_VALUE;
  private boolean declared;

  private SampleRun(Path folder) {
    this.folder = folder;
  }

  static SampleRun in(Path folder) {
    return new SampleRun(folder);
  }

  SampleRun noiseMultiplier(double value) {
    noiseMultiplier = value;
    return this;
  }

  SampleRun steps(long count) {
    steps = count;
    return this;
  }

  SampleRun insecureSeed(long value) {
    seed = value;
    return this;
  }

  SampleRun stopAt(long step) {
    stopAt = step;
    return this;
  }

  SampleRun declared() {
    declared = true;
    return this;
  }

  RunDirectory make() {
    Schema schema = DemoCensus.schema();
    TableTask task =
        TableTask.read(
            new TableLocation(
                null, CsvOptions.DEFAULT, null, 0.2, TableLocation.JAVA, null, 0, null),
            schema,
            Preprocessing.AS_THEY_ARE);
    TrainingPlan plan =
        TrainingPlan.forLayout(task.shape().layout())
            .population(16_000)
            .expectedBatch(800)
            .steps(steps)
            .noiseMultiplier(noiseMultiplier)
            .clip(1.5)
            .build();
    TrainingResult result = train(task, plan);
    RunDirectory run = new RunDirectory(folder);
    run.writeJson("run.json", info(task).json());
    run.writeJson("model.json", task.model());
    run.write("model.safetensors", model(task, result).toBytes());
    run.write("metrics.csv", metrics());
    run.writeJson("results.json", results());
    return run;
  }

  private TrainingResult train(TableTask task, TrainingPlan plan) {
    Trainer trainer =
        Trainer.of(plan, task.engine()).in(folder).keys(new KeyFolder(folder.resolve("keys")));
    trainer.listener(
        TrainingListener.afterStep(
            (step, theta) -> {
              if (step == stopAt) {
                trainer.stop();
              }
            }));
    if (seed != null) {
      trainer.insecureSeed(seed);
    }
    return trainer.run();
  }

  private RunInfo info(TableTask task) {
    return new RunInfo(
        "0.1.0",
        "2026-01-02T03:04:05Z",
        "sordino train --out runs/sample",
        1e-5,
        declared,
        declared,
        true,
        null,
        task.json());
  }

  private static Safetensors model(TableTask task, TrainingResult result) {
    LedgerContents ledger = result.ledger();
    Map<String, String> notes = new LinkedHashMap<>();
    notes.put("delta", "1e-5");
    notes.put("ledgerLines", Long.toString(ledger.head().lines()));
    notes.put("ledgerChain", ledger.head().chain());
    return new Safetensors(task.tensors(result.weights()), notes);
  }

  private static String metrics() {
    return "steps,testAccuracy,testLogLoss,testError\n20,0.61,0.66,\n40,0.64,0.64,\n60,"
        + TEST_ACCURACY
        + ",0.62,\n";
  }

  private static Map<String, @Nullable Object> results() {
    Map<String, @Nullable Object> test = new LinkedHashMap<>();
    test.put("records", 4000L);
    test.put("accuracy", TEST_ACCURACY);
    test.put("nonPrivateAccuracy", BASELINE_ACCURACY);
    Map<String, @Nullable Object> results = new LinkedHashMap<>();
    results.put("epsilon", 1.0);
    results.put("test", test);
    return results;
  }
}
