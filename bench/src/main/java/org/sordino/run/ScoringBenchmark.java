package org.sordino.run;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;
import org.sordino.table.TableSource;

/**
 * Scores one record with a logistic regression on 14 columns: 8 numbers with spline knots and 6
 * text categories. Run with {@code -prof gc} to see the allocation per call.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class ScoringBenchmark {

  private static final int NUMBERS = 8;
  private static final int CATEGORIES = 6;
  private static final int ROWS = 4_000;

  private @Nullable Model trained;
  private Map<String, Object> record = Map.of();
  private Object[] values = {};

  /** Trains the model to be scored. */
  @Setup
  public void train() throws IOException {
    SplittableRandom random = new SplittableRandom(1);
    List<Map<String, Object>> rows = new ArrayList<>();
    for (int i = 0; i < ROWS; i++) {
      rows.add(row(random));
    }
    Path folder = Files.createTempDirectory("scoring");
    TableTraining.on(TableSource.rows(rows))
        .label("label")
        .budget(1, 1e-5)
        .options(options -> options.steps(5))
        .insecureSeed(1)
        .train(folder.resolve("run"));
    trained = Model.load(folder.resolve("run"));
    record = row(random);
    record.remove("label");
    values = record.values().toArray();
  }

  private static Map<String, Object> row(SplittableRandom random) {
    Map<String, Object> row = new LinkedHashMap<>();
    for (int j = 0; j < NUMBERS; j++) {
      row.put("number" + j, j % 2 == 0 ? random.nextDouble(100) : (Object) random.nextInt(1000));
    }
    for (int j = 0; j < CATEGORIES; j++) {
      row.put("category" + j, "value " + random.nextInt(40));
    }
    row.put("label", random.nextBoolean() ? "yes" : "no");
    return row;
  }

  private Model model() {
    return Objects.requireNonNull(trained);
  }

  /** Scores a record given as a map, as parsed from JSON. */
  @Benchmark
  public double map() {
    return model().predict(record).probability("yes");
  }

  /** Scores a record given as an array in the order of the columns. */
  @Benchmark
  public double array() {
    return model().predict(values).probability("yes");
  }
}
