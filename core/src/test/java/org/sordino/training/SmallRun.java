package org.sordino.training;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.sordino.ledger.Header;
import org.sordino.ledger.Ledger;
import org.sordino.ledger.LedgerContents;
import org.sordino.random.RandomKey;

/** A logistic regression that trains in no time, for tests that break runs and mend them. */
final class SmallRun {

  static final LinearModel MODEL = LinearModel.logistic(4);
  static final Examples EXAMPLES = LinearEngineTest.examples(MODEL, new SplittableRandom(1), 500);

  private SmallRun() {}

  static TrainingPlan plan(long steps) {
    return TrainingPlan.forLayout(MODEL.layout())
        .population(500)
        .expectedBatch(50)
        .steps(steps)
        .noiseMultiplier(1)
        .optimiser(new Optimiser.Sgd(0.1, 0.5))
        .averaging(0.9)
        .build();
  }

  /** A trainer with the run in {@code run} and the keys in {@code keys} of a folder. */
  static Trainer trainer(TrainingPlan plan, Path folder) {
    return Trainer.of(plan, LinearEngine.of(MODEL, EXAMPLES))
        .in(folder.resolve("run"))
        .keys(new KeyFolder(folder.resolve("keys")));
  }

  static Path ledger(Path folder) {
    return folder.resolve("run/ledger.jsonl");
  }

  /** A ledger as resuming finds it: without the line that a crash has cut off. */
  static LedgerContents withoutTornLine(Path ledger) throws IOException {
    byte[] bytes = Files.readAllBytes(ledger);
    int end = bytes.length;
    while (end > 0 && bytes[end - 1] != '\n') {
      end--;
    }
    Path copy = Files.createTempFile(ledger.getParent(), "copy", ".jsonl");
    try {
      Files.write(copy, Arrays.copyOf(bytes, end));
      return Ledger.read(copy);
    } finally {
      Files.delete(copy);
    }
  }

  /** The key of the only run that waits in {@code keys} of a folder. */
  static RandomKey key(Path folder) throws IOException {
    try (var files = Files.list(folder.resolve("keys"))) {
      Path file = files.filter(path -> path.toString().endsWith(".key")).findFirst().orElseThrow();
      return RandomKey.of(Files.readAllBytes(file));
    }
  }

  /** What a run under this key ends with if nothing ever disturbs it, without the trainer. */
  static double[] undisturbed(TrainingPlan plan, RandomKey key) {
    Header header = Header.of("reference", plan.privacy().neighbouring(), "example", 500, "test");
    try (Ledger ledger = Ledger.inMemory(header)) {
      PrivateStep step =
          new PrivateStep(
              plan.privacy(),
              plan.mechanism(),
              0,
              LinearEngine.of(MODEL, EXAMPLES, 1),
              key,
              ledger);
      ledger.reserve(step.event(), 0, plan.privacy().steps());
      double[] gradient = new double[MODEL.layout().dimension()];
      State state = State.first(plan, gradient);
      while (state.step < plan.privacy().steps()) {
        step.average(state.step, state.theta, gradient);
        state.descend(gradient);
      }
      return state.model();
    }
  }
}
