package org.sordino.torch;

import java.util.function.UnaryOperator;
import org.bytedeco.pytorch.LongOptional;
import org.bytedeco.pytorch.Scalar;
import org.bytedeco.pytorch.ScalarTypeOptional;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.TensorOptional;
import org.bytedeco.pytorch.TensorVector;
import org.bytedeco.pytorch.global.torch;

/**
 * Second-order scattering transform (Bruna &amp; Mallat 2013): local averages of an image, of the
 * moduli of its wavelet transform, and of the moduli of a second transform of the fine-scale
 * moduli. The wavelets are Morlet wavelets at two scales and eight orientations; nothing is learned
 * from data. Averages, moduli at each scale and second-order moduli are each standardized to mean 0
 * and standard deviation 1 within the record, so that records stay independent.
 */
final class Scattering implements UnaryOperator<Tensor> {

  /** Side length of the squares over which an image is averaged. */
  private static final int SQUARE = 8;

  private static final int ORIENTATIONS = 8;

  /**
   * Distance from the center in pixels at which a wavelet is cut off, at the fine and the coarse
   * scale.
   */
  private static final int[] REACH = {4, 8};

  private final float[] fineWaves = waves(0);
  private final float[] coarseWaves = waves(1);

  @Override
  public Tensor apply(Tensor images) {
    long[] dims = images.shape(); // records, channels, height, width
    long records = dims[0];
    Tensor planes = images.reshape(records * dims[1], 1, dims[2], dims[3]);
    Tensor fine = moduli(planes, fineWaves, REACH[0], 1);
    Tensor coarse = moduli(planes, coarseWaves, REACH[1], 2);
    Tensor twice = moduli(fine.reshape(-1, 1, dims[2], dims[3]), coarseWaves, REACH[1], 2);
    return torch.cat(
        new TensorVector(
            averages(planes, SQUARE, records),
            averages(fine, SQUARE, records),
            averages(coarse, SQUARE / 2, records),
            averages(twice, SQUARE / 2, records)),
        1);
  }

  /** Returns |x * wavelet| for every orientation. */
  private static Tensor moduli(Tensor planes, float[] waves, int reach, int stride) {
    long side = 2L * reach + 1;
    Tensor kernel = Tensors.of(waves, 0, 2 * ORIENTATIONS, 1, side, side);
    Tensor padded = torch.reflection_pad2d(planes, reach, reach, reach, reach);
    Tensor both =
        torch.conv2d(
            padded,
            kernel,
            new TensorOptional(),
            new long[] {stride, stride},
            new long[] {0, 0},
            new long[] {1, 1},
            1);
    Tensor real = both.narrow(1, 0, ORIENTATIONS);
    Tensor imaginary = both.narrow(1, ORIENTATIONS, ORIENTATIONS);
    return torch.hypot(real, imaginary);
  }

  /** Returns local averages as one standardized row per record. */
  private static Tensor averages(Tensor moduli, int square, long records) {
    long[] window = {square, square};
    Tensor means =
        torch
            .avg_pool2d(moduli, window, window, new long[] {0, 0}, false, true, new LongOptional())
            .reshape(records, -1);
    Tensor centered = means.sub(means.mean(new long[] {1}, true, new ScalarTypeOptional()));
    Tensor deviation =
        centered
            .square()
            .mean(new long[] {1}, true, new ScalarTypeOptional())
            .add_(new Scalar(1e-8))
            .sqrt_();
    return centered.div_(deviation);
  }

  /**
   * Returns the real parts of the wavelets of all orientations, then the imaginary parts. A wavelet
   * is a plane wave of frequency 3 pi / 4 under a Gaussian with standard deviation 0.8, twice as
   * wide along the crests, and shifted to mean 0. All lengths double with each scale.
   */
  private static float[] waves(int scale) {
    int reach = REACH[scale];
    int side = 2 * reach + 1;
    int size = side * side;
    double sigma = 0.8 * (1 << scale);
    double frequency = 0.75 * Math.PI / (1 << scale);
    float[] waves = new float[2 * ORIENTATIONS * size];
    for (int orientation = 0; orientation < ORIENTATIONS; orientation++) {
      double angle = orientation * Math.PI / ORIENTATIONS;
      double[] window = new double[size];
      double[] real = new double[size];
      double[] imaginary = new double[size];
      double mass = 0;
      double mean = 0;
      for (int k = 0; k < size; k++) {
        double x = k % side - reach;
        double y = k / side - reach;
        double along = x * Math.cos(angle) + y * Math.sin(angle);
        double across = (y * Math.cos(angle) - x * Math.sin(angle)) / 2;
        window[k] = Math.exp(-(along * along + across * across) / (2 * sigma * sigma));
        real[k] = window[k] * Math.cos(frequency * along);
        imaginary[k] = window[k] * Math.sin(frequency * along);
        mass += window[k];
        mean += real[k];
      }
      for (int k = 0; k < size; k++) {
        waves[orientation * size + k] = (float) ((real[k] - window[k] * mean / mass) / mass);
        waves[(ORIENTATIONS + orientation) * size + k] = (float) (imaginary[k] / mass);
      }
    }
    return waves;
  }
}
