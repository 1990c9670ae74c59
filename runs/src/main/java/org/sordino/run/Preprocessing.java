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
 * What is done to inputs before a model is trained on them. The numbers for it come from a private
 * query over all records, answered with noise before the first step.
 *
 * @param normalized whether every channel is shifted and scaled to mean 0 and standard deviation 1
 * @param directions the number of principal directions that inputs are projected on, or 0
 */
public record Preprocessing(boolean normalized, int directions) {

  /** Inputs as they are. */
  public static final Preprocessing NONE = new Preprocessing(false, 0);

  public Preprocessing {
    if (directions < 0 || (normalized && directions > 0)) {
      throw new InvalidInputException(
          "normalization and principal directions cannot be combined, and the number of directions"
              + " must not be negative, got "
              + directions);
    }
  }

  /** Standardizes inputs with a private mean and variance. */
  public static Preprocessing normalize() {
    return new Preprocessing(true, 0);
  }

  /** Projects inputs on their private principal directions. */
  public static Preprocessing principalDirections(int count) {
    return new Preprocessing(false, count);
  }

  /** Reads the fields that {@link #addTo} writes. */
  public static Preprocessing of(Map<String, @Nullable Object> json) {
    return new Preprocessing(
        Boolean.TRUE.equals(json.get("normalise")),
        json.get("pca") instanceof Number count ? count.intValue() : 0);
  }

  /** Adds the fields of {@code run.json}. */
  public void addTo(Map<String, @Nullable Object> json) {
    if (normalized) {
      json.put("normalise", true);
    }
    if (directions > 0) {
      json.put("pca", (long) directions);
    }
  }

  /** Whether inputs stay as they are. */
  public boolean isNone() {
    return !normalized && directions == 0;
  }

  /** How many numbers the model gets for an input of this width. */
  public int width(int width) {
    if (directions > width) {
      throw InvalidInputException.of(
          "`principalDirections`",
          "at most the number of inputs, " + width,
          Integer.toString(directions),
          "give fewer directions");
    }
    return directions > 0 ? directions : width;
  }

  /**
   * The private queries before training: none, or one.
   *
   * @param channels how many means and variances normalize an input
   * @param width how many numbers an input has
   * @param noiseMultiplier the noise of the query
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
   * Preprocessing with the numbers that a private query measured. A model that begins with a linear
   * layer absorbs it into that layer, so that the released model takes inputs as they are.
   *
   * @param statistics means and standard deviations of the channels; null unless inputs are
   *     normalized
   * @param directions the principal directions, one after the other; null unless inputs are
   *     projected
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  public record Fitted(@Nullable ChannelStatistics statistics, double @Nullable [] directions) {

    /** Inputs as they are. */
    public static final Fitted NONE = new Fitted(null, null);

    /**
     * Preprocessing by the answer to its query. Without an answer, inputs stay as they are or are
     * projected on directions of zero, which a fingerprint of the rest of a run is computed with.
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
     * Maps features of a table from [-1, 1] to [0, 1], the range that statistics are defined on.
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

    /** Converts statistics of {@link UnitRows} to those of the features themselves. */
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

    /** The rows as the model sees them. */
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
     * Converts parameters to those for inputs as they are: with x' = A x + c, W x' + b = (W A) x +
     * (b + W c).
     *
     * @param theta parameters that begin with W, row by row, and b
     * @param outputs how many rows W has
     * @param width how many numbers an input has
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
