package org.sordino.spark;

import java.time.Duration;
import java.util.List;
import org.apache.spark.TaskContext;
import org.sordino.mechanism.Clipping;
import org.sordino.mechanism.Layout;
import org.sordino.random.RandomKey;
import org.sordino.sampling.PoissonSample;
import org.sordino.training.EngineFactory;
import org.sordino.training.Examples;
import org.sordino.training.GradientEngine;
import org.sordino.training.Records;
import org.sordino.training.Unit;

/** Simulates faults of executors. */
final class Faults {

  private Faults() {}

  /** The fault of an executor in one step, in partition 1, before it computes. */
  enum Trouble {
    FAIL_TWICE,
    DAWDLE_AT_FIRST
  }

  /** Creates engines for linear models in faulty executors. */
  record Factory(EngineFactory inner, Trouble trouble, long step) implements WrappedFactory {

    @Override
    public EngineFactory with(List<Layout.Vector> metrics, Unit unit) {
      return new Factory(inner.with(metrics, unit), trouble, step);
    }

    @Override
    public GradientEngine open(Examples examples, Records records, int threads) {
      return new Troubled(inner.open(examples, records, threads), this);
    }
  }

  /** An engine whose fault occurs before it computes a sum. */
  private record Troubled(GradientEngine engine, Factory factory) implements GradientEngine {

    @Override
    public Layout layout() {
      return engine.layout();
    }

    @Override
    public void sum(PoissonSample sample, double[] theta, Clipping clipping, long[] sums) {
      if (sample.step() == factory.step() && TaskContext.getPartitionId() == 1) {
        trouble(TaskContext.get().attemptNumber());
      }
      engine.sum(sample, theta, clipping, sums);
    }

    private void trouble(int attempt) {
      if (factory.trouble() == Trouble.FAIL_TWICE && attempt < 2) {
        throw new IllegalStateException("made to fail");
      }
      if (factory.trouble() == Trouble.DAWDLE_AT_FIRST && attempt == 0) {
        try {
          Thread.sleep(8_000);
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
        }
      }
    }

    @Override
    public byte[] fingerprint(RandomKey key) {
      return engine.fingerprint(key);
    }
  }

  /** Returns the executors of a driver, which has no other Java child processes. */
  static List<ProcessHandle> executors(ProcessHandle driver) {
    return driver
        .descendants()
        .filter(process -> process.info().command().orElse("").endsWith("/java"))
        .toList();
  }

  /** Kills one of this process's executors with SIGKILL. */
  static void killOne() {
    List<ProcessHandle> executors = executors(ProcessHandle.current());
    if (executors.isEmpty()) {
      throw new IllegalStateException("no executor is running");
    }
    executors.get(0).destroyForcibly();
  }

  /**
   * Waits for processes to end, and kills them after a timeout.
   *
   * @return whether all of them ended by themselves
   */
  static boolean end(List<ProcessHandle> processes, Duration patience) throws Exception {
    long limit = System.nanoTime() + patience.toNanos();
    while (processes.stream().anyMatch(ProcessHandle::isAlive)) {
      if (System.nanoTime() > limit) {
        processes.forEach(ProcessHandle::destroyForcibly);
        return false;
      }
      Thread.sleep(100);
    }
    return true;
  }
}
