package org.sordino.cli;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** {@code metrics.csv}: how the model did on test records on the way. Not private. */
final class Metrics {

  private static final String FILE = "metrics.csv";
  static final String HEADER = "steps,testAccuracy,testLogLoss,testError\n";

  private Metrics() {}

  static void create(RunDirectory run) {
    run.write(FILE, HEADER);
  }

  /** Adds a line. A resumed run may repeat some; the numbers are the same. */
  static void append(RunDirectory run, long steps, Evaluation evaluation) {
    String line =
        steps
            + ","
            + field(evaluation.accuracy())
            + ","
            + field(evaluation.logLoss())
            + ","
            + field(evaluation.rootMeanSquare())
            + "\n";
    Path file = run.file(FILE);
    try {
      Files.writeString(file, line, StandardOpenOption.APPEND);
    } catch (IOException e) {
      throw new UncheckedIOException(file + " cannot be written: " + e.getMessage(), e);
    }
  }

  private static String field(double value) {
    return Double.isNaN(value) ? "" : Double.toString(value);
  }
}
