package org.sordino.cli;

import me.tongfei.progressbar.ConsoleProgressBarConsumer;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;
import org.jspecify.annotations.Nullable;

/** A bar on the terminal, where there is one; elsewhere nothing, so that logs stay readable. */
final class TerminalProgress implements AutoCloseable {

  private final @Nullable ProgressBar bar;

  private TerminalProgress(@Nullable ProgressBar bar) {
    this.bar = bar;
  }

  /** A bar of so many steps. */
  @SuppressWarnings("SystemConsoleNull") // from Java 22 on a bar may end up in a file, no more
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
