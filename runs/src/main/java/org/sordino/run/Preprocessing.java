package org.sordino.run;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.DoubleSupplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.sordino.training.ChannelStatistics;
import org.sordino.training.Examples;
import org.sordino.training.PrincipalDirections;
import org.sordino.training.PrivateQuery;
import org.sordino.training.Rows;

/**
 * The preprocessing of inputs before training. Its statistics come from a private query over all
 * records, answered with noise before the first step.
 *
 * @param normalized whether every channel is standardized to mean 0 and standard deviation 1
 * @param directions number of principal directions that inputs are projected onto, or 0
 */
public record Preprocessing(boolean normalized, int directions) {

  /** No preprocessing. */
  public static final Preprocessing NONE = new Preprocessing(false, 0);

  public Preprocessing {
    if (directions < 0 || (normalized && directions > 0)) {
      throw new InvalidInputException(
          "normalization and principal directions cannot be combined, and the number of directions"
              + " must not be negative, got "
              + directions);
    }
  }

  /** Returns preprocessing that standardizes inputs with a private mean and variance. */
  public static Preprocessing normalize() {
    return new Preprocessing(true, 0);
  }

  /** Returns preprocessing that projects inputs onto their private principal directions. */
  public static Preprocessing principalDirections(int count) {
    return new Preprocessing(false, count);
  }

  /** Reads the fields written by {@link #addTo}. */
  public static Preprocessing of(Map<String, @Nullable Object> json) {
    return new Preprocessing(
        Boolean.TRUE.equals(json.get("normalise")),
        json.get("pca") instanceof Number count ? count.intValue() : 0);
  }

  /** Adds the preprocessing to the fields of {@code run.json}. */
  public void addTo(Map<String, @Nullable Object> json) {
    if (normalized) {
      json.put("normalise", true);
    }
    if (directions > 0) {
      json.put("pca", (long) directions);
    }
  }

  /** Returns whether inputs are left unchanged. */
  public boolean isNone() {
    return !normalized && directions == 0;
  }

  /**
   * Returns the width of a preprocessed input.
   *
   * @param width width of an input before preprocessing
   * @throws InvalidInputException if there are more directions than inputs
   */
  public int width(int width) {
    if (directions > width) {
      throw InvalidInputException.of(
          "`principalDirections`",
          "at most the number of inputs, " + width,
          Integer.toString(directions),
          "use fewer directions");
    }
    return directions > 0 ? directions : width;
  }

  /**
   * Returns the private queries before training: at most one.
   *
   * @param channels number of channels of an input, each with a mean and a variance
   * @param width number of values in an input
   * @param noiseMultiplier noise multiplier of the query
   */
  List<PrivateQuery> queries(int channels, int width, DoubleSupplier noiseMultiplier) {
    if (normalized) {
      return List.of(ChannelStatistics.query(channels, noiseMultiplier.getAsDouble()));
    }
    return directions > 0
        ? List.of(PrincipalDirections.query(width, noiseMultiplier.getAsDouble()))
        : List.of();
  }

  /**
   * Preprocessing with the statistics measured by a private query. If the first layer of a model is
   * linear, the preprocessing is folded into that layer, so the released model takes inputs without
   * preprocessing.
   *
   * @param statistics means and standard deviations of the channels; null unless inputs are
   *     normalized
   * @param directions principal directions, concatenated; null unless inputs are projected
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  public record Fitted(@Nullable ChannelStatistics statistics, double @Nullable [] directions) {

    /** No preprocessing. */
    public static final Fitted NONE = new Fitted(null, null);

    /**
     * Returns the preprocessing for the answer to its query. Without an answer, inputs are left
     * unchanged or projected onto zero directions. This placeholder serves to compute the
     * fingerprint of a run before its query is answered.
     *
     * @param inputs planned preprocessing
     * @param width number of values in an input
     * @param answers answers to the plan's private queries, by name; may be empty
     */
    public static Fitted of(Preprocessing inputs, int width, Map<String, double[]> answers) {
      if (answers.isEmpty()) {
        return inputs.directions() == 0
            ? NONE
            : new Fitted(null, new double[inputs.directions() * width]);
      }
      double[] answer = answers.values().iterator().next();
      return inputs.normalized()
          ? new Fitted(ChannelStatistics.of(answer), null)
          : new Fitted(null, PrincipalDirections.of(answer, width, inputs.directions()));
    }

    /**
     * The rows of a table with features mapped from [-1, 1] to [0, 1], the range on which the
     * statistics are defined.
     */
    record UnitRows(Examples examples) implements Rows {

      @Override
      public int size() {
        return examples.size();
      }

      @Override
      public int width() {
        return examples.width();
      }

      @Override
      public void read(int example, float[] row) {
        examples.read(example, row);
        for (int j = 0; j < row.length; j++) {
          row[j] = (row[j] + 1) / 2;
        }
      }
    }

    /** Converts statistics of {@link UnitRows} to statistics of the original features. */
    Fitted ofFeatures() {
      ChannelStatistics halved = statistics;
      return halved == null
          ? this
          : new Fitted(
              new ChannelStatistics(
                  Arrays.stream(halved.means()).map(mean -> 2 * mean - 1).toArray(),
                  Arrays.stream(halved.deviations()).map(deviation -> 2 * deviation).toArray()),
              null);
    }

    private boolean isNone() {
      return statistics == null && directions == null;
    }

    /** Returns the preprocessed rows. */
    Examples applied(Examples examples) {
      int in = examples.width();
      int out = directions == null ? in : directions.length / in;
      if (isNone()) {
        return examples;
      }
      float[] features = new float[Math.multiplyExact(examples.size(), out)];
      IntStream.range(0, examples.size())
          .parallel()
          .forEach(i -> apply(examples.features(), i * in, in, features, i * out, out));
      return new Examples(features, out, examples.targets());
    }

    private void apply(float[] x, int row, int in, float[] changed, int at, int out) {
      for (int k = 0; k < out; k++) {
        double value = 0;
        if (statistics != null) {
          value = (x[row + k] - statistics.means()[k]) / statistics.deviations()[k];
        } else if (directions != null) {
          for (int j = 0; j < in; j++) {
            value += directions[k * in + j] * x[row + j];
          }
        }
        changed[at + k] = (float) value;
      }
    }

    /**
     * Folds the preprocessing into the first layer: with x' = A x + c, W x' + b = (W A) x + (b + W
     * c).
     *
     * @param theta parameters for preprocessed inputs, starting with W in row-major order and b
     * @param outputs number of rows of W
     * @param width number of values in an input before preprocessing
     * @return parameters for inputs without preprocessing
     */
    public double[] folded(double[] theta, int outputs, int width) {
      if (isNone()) {
        return theta;
      }
      int in = directions == null ? width : directions.length / width;
      int rest = outputs * (in + 1);
      double[] folded = new double[outputs * (width + 1) + theta.length - rest];
      for (int o = 0; o < outputs; o++) {
        double bias = theta[outputs * in + o];
        for (int k = 0; k < in; k++) {
          double w = theta[o * in + k];
          if (statistics != null) {
            folded[o * width + k] = w / statistics.deviations()[k];
            bias -= w * statistics.means()[k] / statistics.deviations()[k];
          } else if (directions != null) {
            for (int j = 0; j < width; j++) {
              folded[o * width + j] += w * directions[k * width + j];
            }
          }
        }
        folded[outputs * width + o] = bias;
      }
      System.arraycopy(theta, rest, folded, outputs * (width + 1), theta.length - rest);
      return folded;
    }
  }
}
