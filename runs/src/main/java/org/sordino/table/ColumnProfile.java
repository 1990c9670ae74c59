package org.sordino.table;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/** Statistics of a column for a drafted schema, collected in one pass with little memory. */
final class ColumnProfile {

  /** Maximum number of distinct values that are counted. */
  static final int MOST_DISTINCT = 300;

  private static final int SAMPLE = 4096;
  private static final int SAMPLE_OF_ALL_COLUMNS = 1_000 * SAMPLE;

  private final Vocabulary missing;
  private final Vocabulary values = new Vocabulary();
  private final long[] counts = new long[MOST_DISTINCT + 1];
  private final int sampleSize;
  private double[] sample = new double[16];
  private final SplittableRandom random = new SplittableRandom(1); // for the reservoir sample
  private boolean many;
  private boolean numeric = true;
  private boolean whole = true;
  private boolean consecutive = true;
  private long gaps;
  private long present;
  private double min = Double.POSITIVE_INFINITY;
  private double max = Double.NEGATIVE_INFINITY;
  private double last = Double.NaN;

  ColumnProfile(Vocabulary missing, int columns) {
    this.missing = missing;
    this.sampleSize = Math.min(SAMPLE, SAMPLE_OF_ALL_COLUMNS / columns);
  }

  void add(char[] buffer, int offset, int length) {
    double number = numeric ? NumberText.parse(buffer, offset, length) : Double.NaN;
    if (Double.isNaN(number) && missing.find(buffer, offset, length) >= 0) {
      gaps++;
      return;
    }
    if (Double.isNaN(number)) {
      numeric = false;
    } else {
      addNumber(number);
    }
    if (!many) {
      count(buffer, offset, length);
    }
    present++;
  }

  /**
   * Adds a value, with the same result as adding its text. A number is not rendered as text once
   * the column has more than {@link #MOST_DISTINCT} values.
   */
  void add(FieldText field) {
    if (!field.isNumber()) {
      add(field.buffer(), field.offset(), field.length());
      return;
    }
    if (numeric) {
      addNumber(field.number());
    }
    if (!many) {
      field.render();
      count(field.buffer(), field.offset(), field.length());
    }
    present++;
  }

  private void count(char[] buffer, int offset, int length) {
    int value = values.add(buffer, offset, length);
    counts[value]++;
    many = values.texts().size() > MOST_DISTINCT;
  }

  private void addNumber(double number) {
    min = Math.min(min, number);
    max = Math.max(max, number);
    whole &= number == Math.rint(number);
    consecutive &= Double.isNaN(last) || number == last + 1;
    last = number;
    long place = present < sampleSize ? present : random.nextLong(present + 1);
    if (place < sampleSize) {
      if (place >= sample.length) {
        sample = Arrays.copyOf(sample, Math.min(sampleSize, 2 * sample.length));
      }
      sample[(int) place] = number;
    }
  }

  boolean hasGaps() {
    return gaps > 0;
  }

  long present() {
    return present;
  }

  /** Returns whether all values that are not missing are numbers. */
  boolean isNumeric() {
    return numeric && present > 0;
  }

  boolean isWhole() {
    return whole;
  }

  /** Returns whether the column numbers the rows consecutively. */
  boolean isRowNumber() {
    return isNumeric() && consecutive && present > 2;
  }

  /** Returns the number of distinct values, or {@link #MOST_DISTINCT} + 1 if there are more. */
  int distinct() {
    return values.texts().size();
  }

  double min() {
    return min;
  }

  double max() {
    return max;
  }

  /** Estimates a quantile of the numbers from a random sample. */
  double quantile(double share) {
    double[] sorted = Arrays.copyOf(sample, (int) Math.min(present, sampleSize));
    Arrays.sort(sorted);
    return sorted[(int) Math.round(share * (sorted.length - 1))];
  }

  /** Returns the values that occur at least {@code least} times, the most frequent first. */
  List<String> frequent(long least) {
    List<String> texts = values.texts();
    List<Integer> order = new ArrayList<>(IntStream.range(0, texts.size()).boxed().toList());
    order.removeIf(i -> counts[i] < least);
    order.sort(Comparator.comparingLong(i -> -counts[i]));
    return order.stream().map(texts::get).toList();
  }
}
