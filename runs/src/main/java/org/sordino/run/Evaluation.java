package org.sordino.run;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.sordino.report.Decimals;
import org.sordino.table.Label;
import org.sordino.training.Examples;

/**
 * How well predictions agree with the truth. Computed from records without noise, so it is not
 * private and is shown with these words only.
 *
 * @param records how many
 * @param accuracy share of right classes; NaN for a regression
 * @param auc area under the ROC curve of the positive class; NaN unless there are two classes
 * @param logLoss mean of -log of the probability given to the truth; NaN for a regression
 * @param rootMeanSquare error of a regression; NaN for classes
 * @param confusion rows: truth, columns: prediction; empty for a regression
 */
public record Evaluation(
    int records,
    double accuracy,
    double auc,
    double logLoss,
    double rootMeanSquare,
    List<List<Integer>> confusion) {

  /** A probability is taken for no less, so that one certain error does not make all infinite. */
  private static final double LEAST = 1e-15;

  /**
   * Evaluates probabilities.
   *
   * @param probabilities one row per record: of class 1 alone, or of all classes
   * @param truths the classes
   * @param classes how many there are
   */
  public static Evaluation ofClasses(double[][] probabilities, float[] truths, int classes) {
    int[][] confusion = new int[classes][classes];
    double logLoss = 0;
    int right = 0;
    for (int i = 0; i < truths.length; i++) {
      int truth = (int) truths[i];
      int prediction = prediction(probabilities[i]);
      confusion[truth][prediction]++;
      right += truth == prediction ? 1 : 0;
      logLoss -= Math.log(Math.max(LEAST, probability(probabilities[i], truth)));
    }
    double auc = classes == 2 ? auc(probabilities, truths) : Double.NaN;
    return new Evaluation(
        truths.length,
        (double) right / truths.length,
        auc,
        logLoss / truths.length,
        Double.NaN,
        Arrays.stream(confusion).map(row -> Arrays.stream(row).boxed().toList()).toList());
  }

  /** Evaluates what a model says about records, whichever kind their label is. */
  public static Evaluation of(Label label, double[][] predictions, Examples examples) {
    if (!label.isNumber()) {
      return ofClasses(predictions, examples.targets(), label.classes().size());
    }
    double[] values = new double[predictions.length];
    double[] truths = new double[predictions.length];
    for (int i = 0; i < values.length; i++) {
      values[i] = label.number(predictions[i][0]);
      truths[i] = label.number(examples.targets()[i]);
    }
    return ofNumbers(values, truths);
  }

  /** Evaluates numbers, in the unit of the label. */
  public static Evaluation ofNumbers(double[] predictions, double[] truths) {
    double square = 0;
    for (int i = 0; i < truths.length; i++) {
      square += (predictions[i] - truths[i]) * (predictions[i] - truths[i]);
    }
    return new Evaluation(
        truths.length,
        Double.NaN,
        Double.NaN,
        Double.NaN,
        Math.sqrt(square / truths.length),
        List.of());
  }

  /** The class with the highest probability. */
  static int prediction(double[] probabilities) {
    if (probabilities.length == 1) {
      return probabilities[0] > 0.5 ? 1 : 0;
    }
    return IntStream.range(0, probabilities.length)
        .boxed()
        .max(Comparator.comparingDouble(k -> probabilities[k]))
        .orElseThrow();
  }

  /** The probability of a class. */
  static double probability(double[] probabilities, int k) {
    if (probabilities.length > 1) {
      return probabilities[k];
    }
    return k == 1 ? probabilities[0] : 1 - probabilities[0];
  }

  /**
   * The chance that a positive record has the higher score than a negative one; ties count half.
   */
  private static double auc(double[][] probabilities, float[] truths) {
    Integer[] order = IntStream.range(0, truths.length).boxed().toArray(Integer[]::new);
    Arrays.sort(order, Comparator.comparingDouble(i -> probability(probabilities[i], 1)));
    double rankSum = 0;
    long positives = 0;
    for (int from = 0; from < order.length; ) {
      int to = from;
      double score = probability(probabilities[order[from]], 1);
      while (to < order.length && probability(probabilities[order[to]], 1) == score) {
        to++;
      }
      for (int i = from; i < to; i++) {
        if (truths[order[i]] == 1) {
          rankSum += (from + to + 1) / 2.0;
          positives++;
        }
      }
      from = to;
    }
    long negatives = truths.length - positives;
    return positives == 0 || negatives == 0
        ? Double.NaN
        : (rankSum - positives * (positives + 1) / 2.0) / ((double) positives * negatives);
  }

  /** Whether numbers were predicted, not classes. */
  public boolean isRegression() {
    return confusion.isEmpty();
  }

  /** Reads {@link #json}. */
  static Evaluation ofJson(Map<?, ?> json) {
    List<List<Integer>> confusion = new ArrayList<>();
    if (json.get("confusion") instanceof List<?> rows) {
      for (Object row : rows) {
        confusion.add(((List<?>) row).stream().map(n -> ((Number) n).intValue()).toList());
      }
    }
    return new Evaluation(
        (int) number(json, "records"),
        number(json, "accuracy"),
        number(json, "auc"),
        number(json, "logLoss"),
        number(json, "rootMeanSquareError"),
        confusion);
  }

  private static double number(Map<?, ?> json, String name) {
    return json.get(name) instanceof Number number ? number.doubleValue() : Double.NaN;
  }

  /** The numbers that there are, by name. */
  public Map<String, @Nullable Object> json() {
    Map<String, @Nullable Object> json = new LinkedHashMap<>();
    json.put("records", (long) records);
    put(json, "accuracy", accuracy);
    put(json, "auc", auc);
    put(json, "logLoss", logLoss);
    put(json, "rootMeanSquareError", rootMeanSquare);
    if (!confusion.isEmpty()) {
      json.put(
          "confusion",
          confusion.stream().map(row -> row.stream().map(Integer::longValue).toList()).toList());
    }
    return json;
  }

  private static void put(Map<String, @Nullable Object> json, String name, double value) {
    if (!Double.isNaN(value)) {
      json.put(name, value);
    }
  }

  /** The number that people look at first: {@code accuracy 66.4 %}. */
  public String headline() {
    return headline(isRegression() ? rootMeanSquare : accuracy);
  }

  /** The same for another model on the same records. */
  public String headline(double value) {
    return isRegression()
        ? "root mean square error " + Decimals.nearest(value, 4)
        : "accuracy " + Decimals.nearest(100 * value, 3) + " %";
  }
}
