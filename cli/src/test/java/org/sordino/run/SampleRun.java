package org.sordino.run;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.sordino.ledger.LedgerContents;
import org.sordino.table.CsvOptions;
import org.sordino.training.KeyFolder;
import org.sordino.training.Preparation;
import org.sordino.training.Safetensors;
import org.sordino.training.Trainer;
import org.sordino.training.TrainingListener;
import org.sordino.training.TrainingPlan;
import org.sordino.training.TrainingResult;

/** Creates run directories like those of {@code sordino train}, quickly. */
public final class SampleRun {

  /**
   * A value that no computation produces; any text that contains it has copied it from the results.
   */
  public static final double TEST_ACCURACY = 0.654321;

  public static final double BASELINE_ACCURACY = 0.678912;

  private final Path folder;
  private double noiseMultiplier = 4;
  private long steps = 60;
  private @Nullable Long seed;
  private long stopAt = Long.MAX_VALUE;
  private boolean declared;

  private SampleRun(Path folder) {
    this.folder = folder;
  }

  public static SampleRun in(Path folder) {
    return new SampleRun(folder);
  }

  public SampleRun noiseMultiplier(double value) {
    noiseMultiplier = value;
    return this;
  }

  public SampleRun steps(long count) {
    steps = count;
    return this;
  }

  public SampleRun insecureSeed(long value) {
    seed = value;
    return this;
  }

  public SampleRun stopAt(long step) {
    stopAt = step;
    return this;
  }

  public SampleRun declared() {
    declared = true;
    return this;
  }

  /** Creates the run and returns its directory. */
  public Path make() {
    TableTask task =
        TableTask.at(TableLocation.of(null, CsvOptions.DEFAULT, null, 0.2, null)).build();
    TrainingPlan plan =
        TrainingPlan.forLayout(task.shape().layout())
            .population(16_000)
            .expectedBatch(800)
            .steps(steps)
            .noiseMultiplier(noiseMultiplier)
            .clip(1.5)
            .build();
    TrainingResult result = train(task, plan);
    Model model = task.release(result.weights(), Map.of());
    RunDirectory run = new RunDirectory(folder);
    run.writeJson("run.json", info(task).json());
    run.writeJson("model.json", model.json());
    run.write("model.safetensors", weights(model, result).toBytes());
    run.write("metrics.csv", metrics());
    run.writeJson("results.json", results());
    return folder;
  }

  private TrainingResult train(TableTask task, TrainingPlan plan) {
    try (Preparation records = task.prepare(plan)) {
      Trainer trainer =
          Trainer.of(plan, records).in(folder).keys(new KeyFolder(folder.resolve("keys")));
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
  }

  private RunInfo info(TableTask task) {
    return new RunInfo(
        "0.1.0",
        "2026-01-02T03:04:05Z",
        "sordino train --out runs/sample",
        1e-5,
        new RunInfo.Declared(declared, declared),
        true,
        null,
        task.info());
  }

  private static Safetensors weights(Model model, TrainingResult result) {
    LedgerContents ledger = result.ledger();
    Map<String, String> notes = new LinkedHashMap<>();
    notes.put("delta", "1e-5");
    notes.put("ledgerLines", Long.toString(ledger.head().lines()));
    notes.put("ledgerChain", ledger.head().chain());
    return new Safetensors(model.tensors(), notes);
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
