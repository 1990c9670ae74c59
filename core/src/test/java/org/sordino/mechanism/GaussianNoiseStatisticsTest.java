package org.sordino.mechanism;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.function.DoubleSupplier;
import org.apache.commons.statistics.distribution.ChiSquaredDistribution;
import org.apache.commons.statistics.distribution.NormalDistribution;
import org.apache.commons.statistics.inference.ChiSquareTest;
import org.apache.commons.statistics.inference.KolmogorovSmirnovTest;
import org.junit.jupiter.api.Test;
import org.sordino.random.RandomKey;
import org.sordino.random.RandomStream;

/**
 * Checks that the noise is normal, has the correct standard deviation, and is independent. All
 * seeds are fixed. A check accepts |z| &lt; 5, which correct noise fails for 6e-7 of all seeds, or
 * a p-value above 1e-6 unless noted otherwise. Each check has a counterpart with plausible but
 * wrong noise that it must reject.
 */
class GaussianNoiseStatisticsTest {

  private static final double Z = 5;
  private static final double P = 1e-6;
  private static final NormalDistribution NORMAL = NormalDistribution.of(0, 1);

  private final RandomKey key = RandomKey.insecure(2024);

  /** Returns noise of standard deviation 1, as added to the sums of a vector in units of 2^-40. */
  private double[] noise(long step, int from, int to) {
    long[] sums = new long[to];
    GaussianNoise.of(key).add(step, sums, from, to, 0x1p40);
    return Arrays.stream(sums, from, to).mapToDouble(sum -> sum * 0x1p-40).toArray();
  }

  // Mean and standard deviation.

  @Test
  void mean_noise_isZero() {
    assertThat(meanZ(noise(0, 0, 1_000_000))).isBetween(-Z, Z);
    assertThat(meanZ(noise(1, 0, 1_000_000))).isBetween(-Z, Z);
  }

  @Test
  void mean_shiftedByOnePercent_isDetected() {
    double[] shifted = Arrays.stream(noise(0, 0, 1_000_000)).map(x -> x + 0.01).toArray();
    assertThat(meanZ(shifted)).isGreaterThan(Z);
  }

  private static double meanZ(double[] values) {
    return Arrays.stream(values).sum() / Math.sqrt(values.length);
  }

  /** The check fails for 2e-4 of all seeds, so 20,000 values are enough. */
  @Test
  void variance_noise_isOne() {
    assertThat(varianceP(noise(0, 0, 20_000))).isBetween(1e-4, 1 - 1e-4);
    assertThat(varianceP(noise(7, 5, 20_005))).isBetween(1e-4, 1 - 1e-4);
    assertThat(varianceP(noise(0, 0, 2_000_000))).isBetween(1e-4, 1 - 1e-4);
  }

  @Test
  void variance_scaleOffByThreePercent_isDetectedIn20000() {
    double[] small = Arrays.stream(noise(0, 0, 20_000)).map(x -> 0.97 * x).toArray();
    double[] large = Arrays.stream(noise(0, 0, 20_000)).map(x -> 1.03 * x).toArray();
    assertThat(varianceP(small)).isLessThan(1e-4);
    assertThat(varianceP(large)).isGreaterThan(1 - 1e-4);
  }

  private static double varianceP(double[] values) {
    double squares = Arrays.stream(values).map(x -> x * x).sum();
    return ChiSquaredDistribution.of(values.length).cumulativeProbability(squares);
  }

  // Shape.

  @Test
  void shape_noise_isNormal() {
    RandomStream stream = key.stream(3, 0);
    assertThat(shapeP(() -> Ziggurat.next(stream))).isGreaterThan(P);
  }

  @Test
  void shape_sumOfTwelveUniforms_isDetected() {
    RandomStream stream = key.stream(3, 0);
    DoubleSupplier almost =
        () -> {
          double sum = -6;
          for (int i = 0; i < 12; i++) {
            sum += stream.nextDouble();
          }
          return sum;
        };
    assertThat(shapeP(almost)).isLessThan(P);
  }

  /** Values beyond the base are drawn again instead of from the tail: 1 in 19,000. */
  @Test
  void shape_noTailBeyondTheBase_isDetected() {
    RandomStream stream = key.stream(3, 0);
    DoubleSupplier cut =
        () -> {
          double x = Ziggurat.next(stream);
          return Math.abs(x) < Ziggurat.R ? x : Ziggurat.next(stream);
        };
    assertThat(shapeP(cut)).isLessThan(P);
  }

  /** Points are accepted without the test against the curve: 1 in 500 is wrong. */
  @Test
  void shape_everyPointAccepted_isDetected() {
    RandomStream stream = key.stream(3, 0);
    DoubleSupplier blunt =
        () -> {
          int layer = (int) (Ziggurat.LAYERS * stream.nextDouble());
          return layer == 0
              ? Ziggurat.next(stream)
              : Ziggurat.width(layer) * (2 * stream.nextDouble() - 1);
        };
    assertThat(shapeP(blunt)).isLessThan(P);
  }

  /** Chi-squared over 320 cells of width 1/40 in [-4, 4] and the rest, with 4,000,000 values. */
  private static double shapeP(DoubleSupplier values) {
    int n = 4_000_000;
    long[] observed = new long[322];
    for (int i = 0; i < n; i++) {
      double cell = Math.floor(values.getAsDouble() * 40) + 161;
      observed[(int) Math.max(0, Math.min(321, cell))]++;
    }
    double[] expected = new double[322];
    for (int i = 0; i < expected.length; i++) {
      double low = i == 0 ? Double.NEGATIVE_INFINITY : (i - 161) / 40.0;
      double high = i == 321 ? Double.POSITIVE_INFINITY : (i - 160) / 40.0;
      expected[i] = n * NORMAL.probability(low, high);
    }
    return ChiSquareTest.withDefaults().test(expected, observed).getPValue();
  }

  @Test
  void tail_beyondTheBase_isThatOfTheNormalDistribution() {
    RandomStream stream = key.stream(4, 0);
    assertThat(tailP(() -> Ziggurat.tail(stream, 1))).isGreaterThan(P);
  }

  /** The first of the two steps of Marsaglia's method, without the second. */
  @Test
  void tail_exponential_isDetected() {
    RandomStream stream = key.stream(4, 0);
    assertThat(tailP(() -> Ziggurat.R - Math.log1p(-stream.nextDouble()) / Ziggurat.R))
        .isLessThan(P);
  }

  private static double tailP(DoubleSupplier values) {
    double[] tail = new double[50_000];
    Arrays.setAll(tail, i -> values.getAsDouble());
    double all = NORMAL.survivalProbability(Ziggurat.R);
    return KolmogorovSmirnovTest.withDefaults()
        .test(tail, x -> 1 - NORMAL.survivalProbability(x) / all)
        .getPValue();
  }

  // Independence.

  @Test
  void correlation_stepsVectorsAndNeighbors_isNone() {
    double[] noise = noise(0, 0, 100_000);
    assertThat(correlationZ(noise, noise(1, 0, 100_000))).isBetween(-Z, Z);
    assertThat(correlationZ(noise, noise(0, 100_000, 200_000))).isBetween(-Z, Z);
    assertThat(correlationZ(noise, noise(0, 1, 100_001))).isBetween(-Z, Z);
    for (int lag : new int[] {1, 2, 3, 64, 16_384}) {
      double[] later = Arrays.copyOfRange(noise, lag, noise.length);
      assertThat(correlationZ(later, noise)).isBetween(-Z, Z);
      assertThat(correlationZ(squares(later), squares(noise))).isBetween(-Z, Z);
    }
  }

  /** The same stream is used for two steps, or for one value in fifty of another vector. */
  @Test
  void correlation_streamUsedTwice_isDetected() {
    double[] noise = noise(0, 0, 100_000);
    double[] other = noise(1, 0, 100_000);
    assertThat(correlationZ(noise, noise(0, 0, 100_000))).isGreaterThan(10 * Z);
    for (int i = 0; i < other.length; i += 50) {
      other[i] = noise[i];
    }
    assertThat(correlationZ(noise, other)).isGreaterThan(Z);
  }

  /** Noise of one step with the absolute values of another is detected in the squares. */
  @Test
  void correlation_signsOnlyDiffer_isDetected() {
    double[] noise = noise(0, 0, 100_000);
    double[] signs = noise(1, 0, 100_000);
    Arrays.setAll(signs, i -> Math.copySign(noise[i], signs[i]));
    assertThat(correlationZ(noise, signs)).isBetween(-Z, Z);
    assertThat(correlationZ(squares(noise), squares(signs))).isGreaterThan(10 * Z);
  }

  /** Returns (x^2 - 1) / sqrt(2), which has mean 0 and variance 1. */
  private static double[] squares(double[] values) {
    return Arrays.stream(values).map(x -> (x * x - 1) / Math.sqrt(2)).toArray();
  }

  private static double correlationZ(double[] x, double[] y) {
    int n = Math.min(x.length, y.length);
    double sum = 0;
    for (int i = 0; i < n; i++) {
      sum += x[i] * y[i];
    }
    return sum / Math.sqrt(n);
  }
}
