package org.sordino.run;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The file {@code metrics.csv}: test metrics of the model during training. Not private. */
final class TestMetricsFile {

  private static final String FILE = "metrics.csv";
  static final String HEADER =
      "steps,testAccuracy (not private),testLogLoss (not private),testError (not private)\n";

  private static final int COLUMNS = 4;

  private TestMetricsFile() {}

  static void create(RunDirectory run) {
    run.write(FILE, HEADER);
  }

  /** Appends a line. A resumed run may repeat lines, with identical numbers. */
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

  /** One line of the file. */
  record Row(long steps, List<@Nullable Double> values) {}

  /** Reads the file, with one row per step. A missing file and damaged lines are ignored. */
  static List<Row> read(RunDirectory run) {
    Map<Long, Row> rows = new TreeMap<>();
    if (Files.isRegularFile(run.file(FILE))) {
      run.text(FILE).lines().skip(1).forEach(line -> add(rows, line.split(",", -1)));
    }
    return List.copyOf(rows.values());
  }

  private static void add(Map<Long, Row> rows, String[] fields) {
    try {
      long steps = Long.parseLong(fields[0]);
      List<@Nullable Double> values = new ArrayList<>();
      for (int i = 1; i < COLUMNS; i++) {
        String field = i < fields.length ? fields[i] : "";
        values.add(field.isEmpty() ? null : Double.valueOf(field));
      }
      rows.put(steps, new Row(steps, values));
    } catch (NumberFormatException e) {
      // a crash may have truncated the last line
    }
  }

  private static String field(double value) {
    return Double.isNaN(value) ? "" : Double.toString(value);
  }
}
