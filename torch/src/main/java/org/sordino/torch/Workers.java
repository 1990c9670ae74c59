package org.sordino.torch;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * A pool of Java threads, each of which runs libtorch single-threaded. Records are independent, so
 * this scales better than the threads of libtorch, and does not change results.
 */
final class Workers implements Slices, AutoCloseable {

  /** Numbers per slice; a smaller slice does not justify waking a thread. */
  private static final int SLICE = 1 << 16;

  private final int threads;
  private final ExecutorService pool;

  Workers(int threads) {
    if (threads < 1 || threads > 1024) {
      throw new IllegalArgumentException("threads must be in [1, 1024], got " + threads);
    }
    Libtorch.load();
    this.threads = threads;
    pool =
        Executors.newFixedThreadPool(
            threads,
            work -> {
              Thread thread = new Thread(() -> Libtorch.inThread(work), "sordino-torch");
              thread.setDaemon(true);
              return thread;
            });
  }

  /** Runs all tasks and waits for them. The first failure is thrown after all tasks have ended. */
  void run(List<? extends Runnable> tasks) {
    List<Future<?>> futures = new ArrayList<>();
    for (Runnable task : tasks) {
      futures.add(pool.submit(task));
    }
    RuntimeException failure = null;
    for (Future<?> future : futures) {
      try {
        future.get();
      } catch (ExecutionException e) {
        failure = failure == null ? unwrap(e) : failure;
      } catch (InterruptedException e) {
        // Running tasks still read the caller's tensors, so wait for them before returning.
        futures.forEach(f -> f.cancel(false));
        Thread.currentThread().interrupt();
        failure = failure == null ? new IllegalStateException("interrupted", e) : failure;
        awaitQuietly(futures);
        break;
      }
    }
    if (failure != null) {
      throw failure;
    }
  }

  /** Runs a task once on every thread, and waits. */
  void onEveryThread(Runnable task) {
    CountDownLatch together = new CountDownLatch(threads); // so that no thread takes two
    Runnable once =
        () -> {
          together.countDown();
          try {
            together.await();
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
          }
          task.run();
        };
    run(Collections.nCopies(threads, once));
  }

  @Override
  public void forEach(int length, Body body) {
    if (length <= 2 * SLICE) {
      body.run(0, length);
      return;
    }
    List<Runnable> slices = new ArrayList<>();
    for (int from = 0; from < length; from += SLICE) {
      int first = from;
      slices.add(() -> body.run(first, Math.min(length - first, SLICE) + first));
    }
    run(slices);
  }

  private static void awaitQuietly(List<Future<?>> futures) {
    boolean interrupted = Thread.interrupted();
    while (!futures.stream().allMatch(Future::isDone)) {
      Thread.onSpinWait();
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private static RuntimeException unwrap(ExecutionException e) {
    if (e.getCause() instanceof Error error) {
      throw error;
    }
    return e.getCause() instanceof RuntimeException cause
        ? cause
        : new IllegalStateException(e.getCause());
  }

  @Override
  public void close() {
    pool.shutdown();
  }
}
