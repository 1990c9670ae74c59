package org.sordino.cli;

import java.util.Arrays;
import java.util.Map;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.sordino.training.ChannelStatistics;
import org.sordino.training.Examples;
import org.sordino.training.PrincipalDirections;
import org.sordino.training.Rows;

/**
 * The numbers by which inputs are changed, from the answer to a query. A model that begins with a
 * linear layer takes the change into that layer, so that what is released is an ordinary model for
 * ordinary inputs.
 *
 * @param statistics means and deviations of the channels; null unless inputs are normalised
 * @param directions one after the other; null unless inputs are projected
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record FittedPreprocessing(@Nullable ChannelStatistics statistics, double @Nullable [] directions) {

  static final FittedPreprocessing NONE = new FittedPreprocessing(null, null);

  /** What the answer says. Without it, {@link #NONE}, or directions that see nothing. */
  static FittedPreprocessing of(Preprocessing inputs, int width, Map<String, double[]> answers) {
    if (answers.isEmpty()) {
      return inputs.directions() == 0
          ? NONE
          : new FittedPreprocessing(null, new double[inputs.directions() * width]);
    }
    double[] answer = answers.values().iterator().next();
    return inputs.normalised()
        ? new FittedPreprocessing(ChannelStatistics.of(answer), null)
        : new FittedPreprocessing(null, PrincipalDirections.of(answer, width, inputs.directions()));
  }

  /** Features of a table lie in [-1, 1]; statistics are asked of numbers in [0, 1]. */
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

  /** The same of features themselves, where it is of {@link UnitRows}. */
  FittedPreprocessing ofFeatures() {
    ChannelStatistics halved = statistics;
    return halved == null
        ? this
        : new FittedPreprocessing(
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
   * Parameters for inputs as they are: with x' = A x + c, W x' + b = (W A) x + (b + W c).
   *
   * @param theta parameters that begin with W, row by row, and b
   * @param outputs how many rows W has
   * @param width how many numbers an input has
   */
  double[] folded(double[] theta, int outputs, int width) {
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
