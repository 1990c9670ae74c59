package org.sordino.reproduction;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.sordino.report.Decimals;

/**
 * Values of one quantity, measured with several seeds.
 *
 * @param values one value per seed
 */
record SeedStatistics(List<Double> values) {

  SeedStatistics {
    values = List.copyOf(values);
    if (values.isEmpty()) {
      throw new IllegalArgumentException("values must not be empty");
    }
  }

  double mean() {
    return values.stream().mapToDouble(x -> x).average().orElseThrow();
  }

  /**
   * Returns the sample standard deviation over the seeds (n - 1 in the denominator); 0 for a single
   * seed.
   */
  double deviation() {
    double mean = mean();
    double squares = values.stream().mapToDouble(x -> (x - mean) * (x - mean)).sum();
    return values.size() == 1 ? 0 : Math.sqrt(squares / (values.size() - 1));
  }

  /** Returns whether the mean is within a relative tolerance of a value. */
  boolean near(double value, double tolerance) {
    return Math.abs(mean() - value) <= tolerance * Math.abs(value);
  }

  /** Formats the mean and, for more than one seed, the standard deviation. */
  String text(int digits) {
    String mean = Decimals.nearest(mean(), digits);
    return values.size() == 1 ? mean : mean + " ± " + Decimals.nearest(deviation(), 2);
  }

  /** Converts a JSON value to a number. */
  static double number(@Nullable Object json) {
    if (json instanceof Number number) {
      return number.doubleValue();
    }
    throw new IllegalArgumentException("expected a number, got " + json);
  }

  /** Converts a JSON value to a list of numbers. */
  static List<Double> numbers(@Nullable Object json) {
    if (json instanceof List<?> list) {
      return list.stream().map(SeedStatistics::number).toList();
    }
    throw new IllegalArgumentException("expected a list of numbers, got " + json);
  }
}
