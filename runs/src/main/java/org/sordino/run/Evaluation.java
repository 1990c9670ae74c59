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
 * Metrics of a model on labeled records. They are computed without noise, so they are not private
 * and must be labeled as such wherever they are shown.
 *
 * @param records number of records
 * @param accuracy share of correct predictions; NaN for a regression
 * @param auc area under the ROC curve of the positive class; NaN unless there are two classes
 * @param logLoss mean negative log-likelihood of the true class; NaN for a regression
 * @param rootMeanSquare root mean square error of a regression; NaN for a classifier
 * @param confusion confusion matrix, with one row per true class and one column per predicted
 *     class; empty for a regression
 */
public record Evaluation(
    int records,
    double accuracy,
    double auc,
    double logLoss,
    double rootMeanSquare,
    List<List<Integer>> confusion) {

  /** Lower limit for probabilities, so that one confident error does not make the loss infinite. */
  private static final double LEAST = 1e-15;

  /**
   * Evaluates a classifier.
   *
   * @param probabilities one row per record, with the probability of class 1 or of every class
   * @param truths indexes of the true classes
   * @param classes number of classes
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

  /**
   * Evaluates the predictions of a classifier or a regression, depending on the label.
   *
   * @param label predicted label
   * @param predictions output of {@link Learner#predict}
   * @param examples labeled examples
   */
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

  /**
   * Evaluates a regression.
   *
   * @param predictions predicted numbers, in the unit of the label
   * @param truths true numbers, in the unit of the label
   */
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

  /** Returns the index of the class with the highest probability. */
  static int prediction(double[] probabilities) {
    if (probabilities.length == 1) {
      return probabilities[0] > 0.5 ? 1 : 0;
    }
    return IntStream.range(0, probabilities.length)
        .boxed()
        .max(Comparator.comparingDouble(k -> probabilities[k]))
        .orElseThrow();
  }

  /** Returns the probability of a class. */
  static double probability(double[] probabilities, int k) {
    if (probabilities.length > 1) {
      return probabilities[k];
    }
    return k == 1 ? probabilities[0] : 1 - probabilities[0];
  }

  /**
   * Returns the probability that a random positive record has a higher score than a random negative
   * one, with ties counted as one half.
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

  /** Returns whether the model is a regression, not a classifier. */
  public boolean isRegression() {
    return confusion.isEmpty();
  }

  /** Parses the output of {@link #json}. */
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

  /** Returns the metrics by name, without those that do not apply. */
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

  /** Returns the main metric as text, such as {@code accuracy 66.4%}. */
  public String headline() {
    return headline(isRegression() ? rootMeanSquare : accuracy);
  }

  /**
   * Returns the main metric of another model on the same records as text.
   *
   * @param value accuracy or root mean square error of the other model
   */
  public String headline(double value) {
    return (isRegression() ? "root mean square error " : "accuracy ") + score(value);
  }

  /**
   * Returns a value of the main metric as text, without its name.
   *
   * @param value accuracy or root mean square error
   */
  public String score(double value) {
    return isRegression() ? Decimals.nearest(value, 4) : Decimals.nearest(100 * value, 3) + "%";
  }
}
