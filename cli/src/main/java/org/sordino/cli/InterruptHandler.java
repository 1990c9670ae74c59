package org.sordino.cli;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.sordino.run.Training;

/**
 * While it is open, Ctrl-C ends the run after its current step, with a checkpoint, instead of
 * killing it.
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
        System.err.println("sordino: the current step takes too long; resume repeats it");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** The run has ended, and everything of it is on disk. */
  void close() {
    done.countDown();
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      // The shutdown has begun: this is its end.
    }
  }
}
