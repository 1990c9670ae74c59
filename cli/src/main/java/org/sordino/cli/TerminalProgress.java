package org.sordino.cli;

import me.tongfei.progressbar.ConsoleProgressBarConsumer;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;
import org.jspecify.annotations.Nullable;

/** A progress bar. Prints nothing if there is no terminal, which keeps logs readable. */
final class TerminalProgress implements AutoCloseable {

  private final @Nullable ProgressBar bar;

  private TerminalProgress(@Nullable ProgressBar bar) {
    this.bar = bar;
  }

  /**
   * Starts a progress bar.
   *
   * @param what label of the bar
   * @param steps total number of steps
   * @param wanted whether to show the bar
   */
  @SuppressWarnings("SystemConsoleNull") // from Java 22 on, the bar may be written to a file
  static TerminalProgress of(String what, long steps, boolean wanted) {
    if (!wanted || System.console() == null) {
      return new TerminalProgress(null);
    }
    return new TerminalProgress(
        new ProgressBarBuilder()
            .setTaskName(what)
            .setInitialMax(steps)
            .setStyle(ProgressBarStyle.ASCII)
            .setUpdateIntervalMillis(200)
            .setConsumer(new ConsoleProgressBarConsumer(System.err))
            .build());
  }

  void stepTo(long steps) {
    if (bar != null) {
      bar.stepTo(steps);
    }
  }

  @Override
  public void close() {
    if (bar != null) {
      bar.close();
    }
  }
}
