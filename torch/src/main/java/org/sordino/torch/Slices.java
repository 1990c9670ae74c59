package org.sordino.torch;

import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

/** Long arrays in slices, on several threads where that pays. */
final class Slices {

  private static final int SLICE = 1 << 15;

  private Slices() {}

  /** What to do with the numbers from {@code from} to before {@code to}. */
  interface Body {
    void run(int from, int to);
  }

  static void forEach(int length, Body body) {
    int slices = (int) ((length + SLICE - 1L) / SLICE);
    int threads = Math.min(slices, ForkJoinPool.getCommonPoolParallelism() + 1);
    AtomicInteger next = new AtomicInteger(); // a thread that starts late takes fewer
    IntStream.range(0, threads)
        .parallel()
        .forEach(
            thread -> {
              for (int i = next.getAndIncrement(); i < slices; i = next.getAndIncrement()) {
                body.run(i * SLICE, (int) Math.min(length, (i + 1L) * SLICE));
              }
            });
  }
}
