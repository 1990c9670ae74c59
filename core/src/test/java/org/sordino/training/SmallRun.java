package org.sordino.training;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.sordino.PrivacyEvent;
import org.sordino.ledger.Header;
import org.sordino.ledger.Ledger;
import org.sordino.ledger.LedgerContents;
import org.sordino.mechanism.Layout;
import org.sordino.random.RandomKey;

/**
 * A small logistic regression that trains quickly, for tests that interrupt and resume runs. It has
 * every kind of state that must survive: a query before training, metrics, adaptive bounds,
 * momentum, and a moving average.
 */
final class SmallRun {

  static final LinearModel MODEL = LinearModel.logistic(4);
  static final Examples EXAMPLES = LinearEngineTest.examples(MODEL, new SplittableRandom(1), 500);

  private SmallRun() {}

  private static final PrivateQuery QUERY = ChannelStatistics.query(4, 5);

  static TrainingPlan plan(long steps) {
    return TrainingPlan.forLayout(MODEL.layout())
        .population(500)
        .expectedBatch(50)
        .steps(steps)
        .noiseMultiplier(1)
        .optimizer(new Optimizer.Sgd(0.1, 0.5))
        .averaging(0.9)
        .metric(Metric.loss(2, 0.05))
        .metric(Metric.accuracy(0.05))
        .adaptive(AdaptiveClipping.to(0.5))
        .query(QUERY)
        .build();
  }

  /** Returns the event of the query and the given number of steps. */
  static PrivacyEvent cost(long steps) {
    return new PrivacyEvent.Composition(
        List.of(QUERY.event().times(1), new PrivacyEvent.SampledGaussian(0.1, 1).times(steps)));
  }

  /** Records normalized by the answer to the query. */
  record Prepared(TrainingPlan plan, Examples examples) implements Preparation {

    @Override
    public GradientEngine queryEngine(PrivateQuery query) {
      return ChannelStatistics.engine(examples, Records.examples(examples.size()), 4);
    }

    @Override
    public GradientEngine trainingEngine(Map<String, double[]> answers) {
      ChannelStatistics found = ChannelStatistics.of(answers.get(QUERY.name()));
      float[] features = examples.features().clone();
      for (int i = 0; i < features.length; i++) {
        features[i] = (float) ((features[i] - found.means()[i % 4]) / found.deviations()[i % 4]);
      }
      return LinearEngine.of(MODEL, new Examples(features, 4, examples.targets()), 1)
          .with(
              plan.mechanism().layout().vectors(Layout.Role.METRIC),
              Unit.example(),
              Records.examples(examples.size()));
    }

    @Override
    public byte[] fingerprint(RandomKey key) {
      return LinearEngine.of(MODEL, examples).fingerprint(key);
    }
  }

  /** Returns a trainer with the run in {@code run} and the keys in {@code keys} of a folder. */
  static Trainer trainer(TrainingPlan plan, Path folder) {
    return trainer(plan, EXAMPLES, folder);
  }

  static Trainer trainer(TrainingPlan plan, Examples examples, Path folder) {
    return Trainer.of(plan, new Prepared(plan, examples))
        .in(folder.resolve("run"))
        .keys(new KeyFolder(folder.resolve("keys")));
  }

  static Path ledger(Path folder) {
    return folder.resolve("run/ledger.jsonl");
  }

  /** Reads a ledger as a resumed run does: without a last line that a crash has cut off. */
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

  /** Returns the key of the only unfinished run in {@code keys} of a folder. */
  static RandomKey key(Path folder) throws IOException {
    try (var files = Files.list(folder.resolve("keys"))) {
      Path file = files.filter(path -> path.toString().endsWith(".key")).findFirst().orElseThrow();
      return RandomKey.of(Files.readAllBytes(file));
    }
  }

  /** Returns the weights of an undisturbed run under this key, computed without the trainer. */
  static double[] undisturbed(TrainingPlan plan, RandomKey key) {
    Header header = Header.of("reference", plan.privacy().neighboring(), "example", 500, "test");
    try (Ledger ledger = Ledger.inMemory(header)) {
      Prepared records = new Prepared(plan, EXAMPLES);
      GradientEngine engine =
          records.trainingEngine(new PrivateQueries(plan, records).answer(ledger, key, false));
      PrivateStep step = new PrivateStep(plan.privacy(), plan.mechanism(), 0, engine, key, ledger);
      ledger.reserve(step.event(), 0, plan.privacy().steps());
      State state = State.first(plan, new double[MODEL.layout().dimension()]);
      while (state.step < plan.privacy().steps()) {
        step.scale(state.factors);
        step.run(state.step, state.theta, state::descend);
      }
      return state.model();
    }
  }
}
