package org.sordino.training;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.sordino.Neighboring;
import org.sordino.PrivacyEvent;
import org.sordino.ledger.Header;
import org.sordino.ledger.Ledger;
import org.sordino.ledger.Realized;
import org.sordino.mechanism.Clipping;
import org.sordino.random.RandomKey;
import org.sordino.sampling.PoissonSample;

/**
 * Measures the time of a training step of a linear model, and the share of the ledger and of the
 * other files of a run. CPU time of the thread is printed in addition to wall-clock time, because
 * other programs affect only the clock. Runs in memory and on disk alternate for the same reason.
 */
public final class TrainingRatios {

  private TrainingRatios() {}

  /** Wall-clock time and CPU time of the thread, in seconds. */
  private record Time(double clock, double processor) {

    static Time of(Runnable task) {
      long clock = System.nanoTime();
      long processor = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
      task.run();
      return new Time(
          1e-9 * (System.nanoTime() - clock),
          1e-9 * (ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() - processor));
    }
  }

  /** Runs all measurements and prints one line for each figure. */
  public static void main(String[] args) throws IOException {
    Path folder = Files.createTempDirectory("sordino-bench");
    try {
      small(folder);
      large();
    } finally {
      try (Stream<Path> files = Files.walk(folder)) {
        for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
          Files.delete(file);
        }
      }
    }
  }

  /** Measures 25,766 records with 12 features, expected batch size 256, one thread. */
  private static void small(Path folder) {
    LinearModel model = LinearModel.logistic(12);
    LinearEngine engine = LinearEngine.of(model, examples(model, 25_766), 1);
    TrainingPlan part = plan(model, 25_766, 256, 20_000);
    double memory = Double.POSITIVE_INFINITY;
    double disk = Double.POSITIVE_INFINITY;
    for (int round = 0; round < 12; round++) { // the first ones are for warm-up
      Trainer onDisk = onDisk(part, engine, folder.resolve("round" + round));
      memory = Math.min(memory, Time.of(Trainer.of(part, engine)::run).processor);
      disk = Math.min(disk, Time.of(onDisk::run).processor);
    }
    int steps = 200_000;
    TimedStorage storage = new TimedStorage();
    Trainer whole = onDisk(plan(model, 25_766, 256, steps), engine, folder.resolve("whole"));
    Time time = Time.of(whole.storage(storage)::run);
    System.out.printf("12 features, batch 256 of 25,766, one thread; microseconds per step%n");
    System.out.printf("  in memory, CPU, minimum of 12         %6.2f%n", 1e6 * memory / 20_000);
    System.out.printf("  on disk, CPU, minimum of 12           %6.2f%n", 1e6 * disk / 20_000);
    System.out.printf(
        "  on disk, CPU, %,d steps          %6.2f%n", steps, 1e6 * time.processor / steps);
    System.out.printf(
        "  on disk, clock, %,d steps        %6.2f%n", steps, 1e6 * time.clock / steps);
    double wait = storage.seconds();
    System.out.printf(
        "  waiting for the ledger, share of wait plus CPU   %6.2f%%%n",
        100 * storage.ledgerSeconds() / (wait + time.processor));
    System.out.printf(
        "  waiting for all files, share of wait plus CPU    %6.2f%% (%.0f ms in %d operations)%n",
        100 * wait / (wait + time.processor), 1e3 * wait, storage.operations());
    System.out.printf("  recording a step in the ledger        %6.3f%n", 1e6 * recording());
  }

  private static Trainer onDisk(TrainingPlan plan, LinearEngine engine, Path folder) {
    return Trainer.of(plan, engine).in(folder).keys(new KeyFolder(folder.resolve("keys")));
  }

  /** Returns the time in seconds of one call that writes nothing, as in all steps but the first. */
  private static double recording() {
    int calls = 5_000_000;
    Header header = Header.of("bench", Neighboring.ADD_OR_REMOVE_ONE, "example", 1, "none");
    List<Realized> realized = List.of(new Realized("gradient", 1, 1));
    try (Ledger ledger = Ledger.inMemory(header)) {
      ledger.reserve(new PrivacyEvent.SampledGaussian(0.01, 1), 0, calls);
      Time time =
          Time.of(
              () -> {
                for (int step = 0; step < calls; step++) {
                  ledger.realized(step, realized);
                }
              });
      return time.processor / calls;
    }
  }

  /** Measures a million records with 20 features, one epoch at batch size 10,000. */
  private static void large() {
    LinearModel model = LinearModel.logistic(20);
    Examples examples = examples(model, 1_000_000);
    TrainingPlan plan = plan(model, 1_000_000, 10_000, 100);
    for (int threads : new int[] {1, Runtime.getRuntime().availableProcessors()}) {
      LinearEngine engine = LinearEngine.of(model, examples, threads);
      Trainer.of(plan, engine).run();
      Time total = Time.of(() -> Trainer.of(plan, engine).run());
      Time sampling = Time.of(() -> sample(1_000_000, 0.01, 100));
      Time sums = Time.of(() -> sums(engine, plan));
      System.out.printf(
          "1,000,000 x 20, one epoch at batch 10,000, %d threads, clock: %.3f s; sampling on one"
              + " thread %.3f s, sampling and gradients %.3f s%n",
          threads, total.clock, sampling.clock, sums.clock);
    }
  }

  private static void sample(int records, double rate, int steps) {
    RandomKey key = RandomKey.insecure(1);
    for (int t = 0; t < steps; t++) {
      PoissonSample.of(key, t, rate).offsets(0, records);
    }
  }

  private static void sums(LinearEngine engine, TrainingPlan plan) {
    RandomKey key = RandomKey.insecure(1);
    Clipping clipping = plan.mechanism().clipping(plan.privacy().population(), 0, 0);
    double[] theta = new double[engine.layout().dimension()];
    for (int t = 0; t < plan.privacy().steps(); t++) {
      PoissonSample sample = PoissonSample.of(key, t, plan.privacy().samplingRate());
      engine.sum(sample, theta, clipping, new long[theta.length]);
    }
  }

  private static TrainingPlan plan(LinearModel model, int population, int batch, int steps) {
    return TrainingPlan.forLayout(model.layout())
        .population(population)
        .expectedBatch(batch)
        .steps(steps)
        .noiseMultiplier(1)
        .optimizer(new Optimizer.Sgd(0.1, 0.9))
        .build();
  }

  private static Examples examples(LinearModel model, int size) {
    SplittableRandom random = new SplittableRandom(1);
    float[] features = new float[size * model.inputs()];
    float[] targets = new float[size];
    for (int i = 0; i < features.length; i++) {
      features[i] = (float) random.nextDouble(-1, 1);
    }
    for (int i = 0; i < size; i++) {
      targets[i] = random.nextInt(2);
    }
    return new Examples(features, model.inputs(), targets);
  }
}
