package org.sordino.cli;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.sordino.run.Training;

/**
 * Handles Ctrl-C while it is open: the run stops after its current step and writes a checkpoint,
 * instead of being killed.
 */
final class InterruptHandler {

  private static final int PATIENCE_SECONDS = 60;

  private final CountDownLatch done = new CountDownLatch(1);
  private final Thread hook;

  private InterruptHandler(Training training) {
    hook =
        new Thread(
            () -> {
              training.stop();
              waitForTheCheckpoint();
            });
  }

  static InterruptHandler stopping(Training training) {
    InterruptHandler interruption = new InterruptHandler(training);
    Runtime.getRuntime().addShutdownHook(interruption.hook);
    return interruption;
  }

  private void waitForTheCheckpoint() {
    try {
      if (!done.await(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
        System.err.println(
            "sordino: the current step did not finish in time; 'sordino resume' repeats it");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Lets the shutdown continue after the run has ended and all of its files are on disk. */
  void close() {
    done.countDown();
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      // The shutdown has begun, and the hook can no longer be removed.
    }
  }
}
