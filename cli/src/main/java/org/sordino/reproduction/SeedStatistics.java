package org.sordino.reproduction;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.sordino.report.Decimals;

/**
 * The same quantity measured with several seeds.
 *
 * @param values one per seed
 */
record SeedStatistics(List<Double> values) {

  SeedStatistics {
    values = List.copyOf(values);
    if (values.isEmpty()) {
      throw new IllegalArgumentException("values must be at least one, got none");
    }
  }

  double mean() {
    return values.stream().mapToDouble(x -> x).average().orElseThrow();
  }

  /** The standard deviation over the seeds, from n - 1; 0 for a single seed. */
  double deviation() {
    double mean = mean();
    double squares = values.stream().mapToDouble(x -> (x - mean) * (x - mean)).sum();
    return values.size() == 1 ? 0 : Math.sqrt(squares / (values.size() - 1));
  }

  /** Whether the mean is that number, up to a relative tolerance. */
  boolean near(double value, double tolerance) {
    return Math.abs(mean() - value) <= tolerance * Math.abs(value);
  }

  /** Mean and, for more than one seed, the deviation. */
  String text(int digits) {
    String mean = Decimals.nearest(mean(), digits);
    return values.size() == 1 ? mean : mean + " ± " + Decimals.nearest(deviation(), 2);
  }

  /** A number out of JSON. */
  static double number(@Nullable Object json) {
    if (json instanceof Number number) {
      return number.doubleValue();
    }
    throw new IllegalArgumentException("a number was expected, got " + json);
  }

  /** A list of numbers out of JSON. */
  static List<Double> numbers(@Nullable Object json) {
    if (json instanceof List<?> list) {
      return list.stream().map(SeedStatistics::number).toList();
    }
    throw new IllegalArgumentException("a list of numbers was expected, got " + json);
  }
}
