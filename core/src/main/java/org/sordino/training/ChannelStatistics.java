package org.sordino.training;

import java.util.List;
import org.sordino.mechanism.Clipping;
import org.sordino.mechanism.Layout;
import org.sordino.mechanism.Mechanism;
import org.sordino.mechanism.NoiseAllocation;
import org.sordino.mechanism.VectorGroup;

/**
 * Private mean and standard deviation of every input channel, used to standardize the inputs. A row
 * is a sequence of channels: the planes of an image, or the columns of a table with one value each.
 * A record contributes the per-channel means of x - 1/2 and of (x - 1/2)^2. Both vectors are
 * clipped together, in proportion to their largest norms for inputs in [0, 1].
 *
 * @param means mean of each channel
 * @param deviations standard deviation of each channel, above 0
 */
@SuppressWarnings("ArrayRecordComponent") // owned by the caller
public record ChannelStatistics(double[] means, double[] deviations) {

  /** Smallest standard deviation: standardization scales a channel by a factor of at most 100. */
  private static final double LEAST_DEVIATION = 0.01;

  private static final double CENTER = 0.5;
  private static final String NAME = "normalisation";

  /** Returns the query for the statistics of the channels. */
  public static PrivateQuery query(int channels, double noiseMultiplier) {
    double norm = Math.sqrt(channels) / 2;
    VectorGroup both =
        VectorGroup.joint(NAME, List.of("means", "squares"), List.of(norm, norm / 2), Math.sqrt(2));
    return new PrivateQuery(
        NAME,
        Mechanism.of(layout(channels), List.of(both), NoiseAllocation.EQUAL, noiseMultiplier));
  }

  private static Layout layout(int channels) {
    return Layout.of(new Layout.Vector("means", channels), new Layout.Vector("squares", channels));
  }

  /** Returns an engine that computes the sums of the query. */
  public static GradientEngine engine(Rows rows, Records records, int channels) {
    if (rows.width() % channels != 0) {
      throw new IllegalArgumentException(
          "a row of " + rows.width() + " values cannot be split into " + channels + " channels");
    }
    return new Engine(rows, records, channels);
  }

  /**
   * Returns the statistics in an answer. Noise may make a variance negative or tiny; the smallest
   * standard deviation is then used instead.
   */
  public static ChannelStatistics of(double[] answer) {
    int channels = answer.length / 2;
    double[] means = new double[channels];
    double[] deviations = new double[channels];
    for (int c = 0; c < channels; c++) {
      double variance = answer[channels + c] - answer[c] * answer[c];
      means[c] = CENTER + answer[c];
      deviations[c] = Math.sqrt(Math.max(variance, LEAST_DEVIATION * LEAST_DEVIATION));
    }
    return new ChannelStatistics(means, deviations);
  }

  private static final class Engine extends RowSums {

    private final int channels;
    private final int pixels;

    Engine(Rows rows, Records records, int channels) {
      super("channel-statistics-1 " + channels, ChannelStatistics.layout(channels), rows, records);
      this.channels = channels;
      this.pixels = rows.width() / channels;
    }

    @Override
    Adder adder(Clipping clipping, long[] sums) {
      double[] values = new double[2 * channels];
      double[] squares = new double[2];
      double[] weights = new double[2];
      return (row, factor) -> {
        for (int c = 0; c < channels; c++) {
          double sum = 0;
          double square = 0;
          for (int k = c * pixels; k < (c + 1) * pixels; k++) {
            double x = row[k] - CENTER;
            sum += x;
            square += x * x;
          }
          values[c] = sum / pixels;
          values[channels + c] = square / pixels;
        }
        // The squared norms are computed from the values that are added; their relative rounding
        // error is at most (C + 8) u.
        double margin = 1 + (channels + 8) * 0x1p-53;
        for (int vector = 0; vector < 2; vector++) {
          squares[vector] = 0;
          for (int c = vector * channels; c < (vector + 1) * channels; c++) {
            squares[vector] += values[c] * values[c] * margin;
          }
        }
        clipping.weights(squares, weights);
        for (int k = 0; k < values.length; k++) {
          int vector = k / channels;
          double units = weights[vector] * values[k] * factor / clipping.unit(vector);
          sums[k] = Math.addExact(sums[k], (long) units);
        }
      };
    }
  }
}
