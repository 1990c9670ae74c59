package org.sordino.training;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.sordino.Neighboring;
import org.sordino.PrivacyPlan;
import org.sordino.ledger.Header;
import org.sordino.ledger.Ledger;
import org.sordino.mechanism.Clipping;
import org.sordino.mechanism.Layout;
import org.sordino.mechanism.Mechanism;
import org.sordino.mechanism.NoiseAllocation;
import org.sordino.mechanism.VectorGroup;
import org.sordino.random.RandomKey;
import org.sordino.sampling.PoissonSample;

/**
 * Tests that noise and samples of a step have the planned distribution: standard deviation and
 * independence of the noise, rate and independence of the sampled records. Keys are fixed, so a
 * passing test keeps passing. With random keys, each test would fail once in 10^6 runs (|score|
 * &gt; 4.9). A second test for each shows how small an error it detects.
 */
class StepStatisticsTest {

  private static final double LIMIT = 4.9;
  private static final int RECORDS = 100;
  private static final double BATCH = 20;
  private static final int STEPS = 2000;

  /**
   * Record i contributes 1 at coordinate i, so that a sum without noise shows the records in it.
   *
   * @param records number of records; 0 leaves only the noise
   */
  private record Names(int records) implements GradientEngine {

    @Override
    public Layout layout() {
      return Layout.of(new Layout.Vector("first", 50), new Layout.Vector("second", 50));
    }

    @Override
    public void sum(PoissonSample sample, double[] theta, Clipping clipping, long[] sums) {
      for (int i : sample.offsets(0, records)) {
        sums[i] += (long) (1 / clipping.unit(i / 50));
      }
    }

    @Override
    public byte[] fingerprint(RandomKey key) {
      return new byte[0];
    }
  }

  /** Returns the averages of all steps, [step][coordinate]. */
  private static double[][] averages(GradientEngine engine, double z, RandomKey key) {
    Mechanism mechanism =
        Mechanism.of(
            engine.layout(),
            List.of(
                VectorGroup.flat("small", List.of("first"), 1),
                VectorGroup.flat("large", List.of("second"), 3)),
            NoiseAllocation.PROPORTIONAL,
            z);
    PrivacyPlan plan = new PrivacyPlan(RECORDS, BATCH, STEPS, z, Neighboring.ADD_OR_REMOVE_ONE);
    Header header = Header.of("test", plan.neighboring(), "example", RECORDS, "test");
    try (Ledger ledger = Ledger.inMemory(header)) {
      PrivateStep step = new PrivateStep(plan, mechanism, 0, engine, key, ledger);
      ledger.reserve(step.event(), 0, STEPS);
      double[][] averages = new double[STEPS][];
      for (int t = 0; t < STEPS; t++) {
        int row = t;
        step.run(t, new double[RECORDS], average -> averages[row] = average.clone());
      }
      return averages;
    }
  }

  private static double[][] noise(RandomKey key) {
    double[][] noise = averages(new Names(0), 0.7, key);
    for (double[] step : noise) {
      for (int i = 0; i < step.length; i++) {
        step[i] /= expectedDeviation(i);
      }
    }
    return noise;
  }

  /** Proportional allocation: z sqrt(2) S on the sum, divided by the expected batch size. */
  private static double expectedDeviation(int coordinate) {
    return 0.7 * Math.sqrt(2) * (coordinate < 50 ? 1 : 3) / BATCH;
  }

  /** The sum of n squares has mean n and variance 2 n. */
  private static double varianceScore(double[][] values, double scale) {
    double squares = 0;
    long n = 0;
    for (double[] step : values) {
      for (double value : step) {
        squares += scale * value * scale * value;
        n++;
      }
    }
    return (squares - n) / Math.sqrt(2.0 * n);
  }

  private static double meanScore(double[][] values, double shift) {
    double sum = 0;
    long n = 0;
    for (double[] step : values) {
      for (double value : step) {
        sum += value + shift;
        n++;
      }
    }
    return sum / Math.sqrt(n);
  }

  /** Products of standard normal values, n of them, have mean 0 and variance n. */
  private static double correlationScore(double[][] first, double[][] second, int lag, double mix) {
    double sum = 0;
    long n = 0;
    for (int t = lag; t < first.length; t++) {
      for (int i = 0; i < first[t].length; i++) {
        double other = second[t - lag][i];
        sum += (first[t][i] * Math.sqrt(1 - mix * mix) + mix * other) * other;
        n++;
      }
    }
    return sum / Math.sqrt(n);
  }

  @Test
  void noise_ofTheAverage_hasThePlannedStandardDeviation() {
    double[][] noise = noise(RandomKey.insecure(31));
    assertThat(varianceScore(noise, 1)).isBetween(-LIMIT, LIMIT);
    assertThat(meanScore(noise, 0)).isBetween(-LIMIT, LIMIT);
  }

  /**
   * With 200,000 values, the test detects an error of 1.5% in the standard deviation and of 0.02
   * standard deviations in the mean.
   */
  @Test
  void noise_slightlyOff_isDetected() {
    double[][] noise = noise(RandomKey.insecure(31));
    assertThat(varianceScore(noise, 0.985)).isLessThan(-LIMIT);
    assertThat(varianceScore(noise, 1.015)).isGreaterThan(LIMIT);
    assertThat(meanScore(noise, 0.02)).isGreaterThan(LIMIT);
  }

  @Test
  void noise_ofOtherStepsCoordinatesAndKeys_isIndependent() {
    double[][] noise = noise(RandomKey.insecure(32));
    for (int lag = 1; lag <= 5; lag++) {
      assertThat(correlationScore(noise, noise, lag, 0)).isBetween(-LIMIT, LIMIT);
    }
    assertThat(correlationScore(half(noise, 0), half(noise, 50), 0, 0)).isBetween(-LIMIT, LIMIT);
    double[][] other = noise(RandomKey.insecure(33));
    assertThat(correlationScore(noise, other, 0, 0)).isBetween(-LIMIT, LIMIT);
  }

  /** A correlation of 0.025 is detected. */
  @Test
  void noise_slightlyCorrelated_isDetected() {
    double[][] noise = noise(RandomKey.insecure(32));
    assertThat(correlationScore(noise, noise, 1, 0.025)).isGreaterThan(LIMIT);
  }

  /** Returns the values of one of the two vectors, which have separate noise streams. */
  private static double[][] half(double[][] values, int from) {
    return Arrays.stream(values)
        .map(step -> Arrays.copyOfRange(step, from, from + 50))
        .toArray(double[][]::new);
  }

  /** Recovers the sampled records from sums without noise: [step][record], 0 or 1, standardized. */
  private static double[][] inclusions(double q) {
    double[][] averages = averages(new Names(RECORDS), 0, RandomKey.insecure(34));
    for (double[] step : averages) {
      for (int i = 0; i < step.length; i++) {
        double in = step[i] * BATCH;
        assertThat(in == 0 || in == 1).isTrue();
        step[i] = (in - q) / Math.sqrt(q * (1 - q));
      }
    }
    return averages;
  }

  @Test
  void sample_ofAStep_hasThePlannedRateAndIndependentRecords() {
    double[][] in = inclusions(BATCH / RECORDS);
    assertThat(meanScore(in, 0)).isBetween(-LIMIT, LIMIT);
    for (int lag = 1; lag <= 3; lag++) {
      assertThat(correlationScore(in, in, lag, 0)).isBetween(-LIMIT, LIMIT);
    }
    assertThat(correlationScore(half(in, 0), half(in, 50), 0, 0)).isBetween(-LIMIT, LIMIT);
    assertThat(sizeScore(in)).isBetween(-LIMIT, LIMIT);
  }

  /** A sampling rate of 0.2 that is off by 3%, or batches of a fixed size, are detected. */
  @Test
  void sample_slightlyOff_isDetected() {
    assertThat(meanScore(inclusions(1.03 * BATCH / RECORDS), 0)).isLessThan(-LIMIT);
    assertThat(sizeScore(new double[STEPS][RECORDS])).isLessThan(-LIMIT);
  }

  /**
   * Standardized sample sizes are nearly normal: the sum of their squares is close to their number.
   */
  private static double sizeScore(double[][] in) {
    double[][] sizes = new double[in.length][1];
    for (int t = 0; t < in.length; t++) {
      for (double value : in[t]) {
        sizes[t][0] += value / Math.sqrt(in[t].length);
      }
    }
    return varianceScore(sizes, 1);
  }
}
