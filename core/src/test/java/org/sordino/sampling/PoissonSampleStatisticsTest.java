package org.sordino.sampling;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.stream.IntStream;
import org.apache.commons.statistics.distribution.ChiSquaredDistribution;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.sordino.random.RandomKey;
import org.sordino.random.RandomStream;

/**
 * Checks that records are included with the correct probability, and independently. All seeds are
 * fixed. A check accepts |z| &lt; 5, which a correct sampler fails for 6e-7 of all seeds, or a
 * p-value above 1e-6. Each check has a counterpart with a plausible but wrong sampler that it must
 * reject.
 */
class PoissonSampleStatisticsTest {

  private static final double Z = 5;
  private static final double P = 1e-6;

  private final RandomKey key = RandomKey.insecure(2024);

  /** Draws a sample of the records 0, 1, ..., n - 1. */
  private interface Sampler {
    int[] draw(int step, int n);
  }

  private Sampler poisson(double rate) {
    return (step, n) -> PoissonSample.of(key, step, rate).offsets(0, n);
  }

  /** Returns a sampler of exactly n q different records, as a shuffling data loader draws them. */
  private Sampler fixedSize(double rate) {
    return (step, n) -> {
      int[] all = IntStream.range(0, n).toArray();
      RandomStream random = key.stream(step, 0);
      int size = (int) (n * rate);
      for (int i = 0; i < size; i++) {
        int other = i + (int) (random.nextDouble() * (n - i));
        int chosen = all[other];
        all[other] = all[i];
        all[i] = chosen;
      }
      return Arrays.stream(all, 0, size).sorted().toArray();
    };
  }

  // Number of included records.

  @ParameterizedTest
  @ValueSource(doubles = {0.9, 0.3, 0.126, 0.125, 0.05, 0.01, 0.002})
  void size_poisson_hasTheRightMean(double rate) {
    assertThat(meanZ(poisson(rate), rate)).isBetween(-Z, Z);
  }

  @Test
  void size_rateOffByOnePercent_isDetected() {
    assertThat(meanZ(poisson(0.0101), 0.01)).isGreaterThan(Z);
    assertThat(meanZ(poisson(0.0099), 0.01)).isLessThan(-Z);
  }

  /** Counting a gap from the record itself instead of the next one loses 1 record in 100. */
  @Test
  void size_gapsOneTooLong_isDetected() {
    Sampler late = (step, n) -> thinned(poisson(0.01).draw(step, n), n);
    assertThat(meanZ(late, 0.01)).isLessThan(-Z);
  }

  private static int[] thinned(int[] sample, int n) {
    return IntStream.range(0, sample.length).map(i -> sample[i] + i).filter(i -> i < n).toArray();
  }

  private static double meanZ(Sampler sampler, double rate) {
    int steps = (int) Math.max(30, 1000 * Math.min(1, 0.01 / rate));
    int n = 100_000;
    double hits = 0;
    for (int step = 0; step < steps; step++) {
      hits += sampler.draw(step, n).length;
    }
    double trials = (double) n * steps;
    return (hits - trials * rate) / Math.sqrt(trials * rate * (1 - rate));
  }

  @ParameterizedTest
  @ValueSource(doubles = {0.3, 0.05, 0.01})
  void size_poisson_isBinomial(double rate) {
    assertThat(spread(poisson(rate), rate)).isBetween(P, 1 - P);
  }

  @Test
  void size_fixedBatches_areDetected() {
    assertThat(spread(fixedSize(0.05), 0.05)).isLessThan(P);
  }

  /** Records that come in pairs double the variance. */
  @Test
  void size_recordsInPairs_areDetected() {
    Sampler pairs =
        (step, n) ->
            Arrays.stream(poisson(0.05).draw(step, n / 2))
                .flatMap(i -> IntStream.of(2 * i, 2 * i + 1))
                .toArray();
    assertThat(spread(pairs, 0.05)).isGreaterThan(1 - P);
  }

  /**
   * Returns the cumulative probability of the sum of squared deviations of 2,000 sizes, which is
   * chi-squared.
   */
  private static double spread(Sampler sampler, double rate) {
    int steps = 2000;
    int n = 4000;
    double squares = 0;
    for (int step = 0; step < steps; step++) {
      double deviation = sampler.draw(step, n).length - n * rate;
      squares += deviation * deviation / (n * rate * (1 - rate));
    }
    return ChiSquaredDistribution.of(steps).cumulativeProbability(squares);
  }

  // Equal probability of all records.

  @ParameterizedTest
  @ValueSource(doubles = {0.3, 0.05})
  void record_poisson_isIncludedAsOftenAsAnyOther(double rate) {
    assertThat(unevenness(poisson(rate), rate)).isBetween(P, 1 - P);
  }

  @Test
  void record_everySecondMoreOften_isDetected() {
    Sampler uneven =
        (step, n) -> {
          RandomStream random = key.stream(step, 0);
          return IntStream.range(0, n)
              .filter(i -> random.nextDouble() < 0.05 * (i % 2 == 0 ? 1.1 : 0.9))
              .toArray();
        };
    assertThat(unevenness(uneven, 0.05)).isGreaterThan(1 - P);
  }

  /** Each pass over the data includes every record once, so the counts are too even. */
  @Test
  void record_shuffledEpochs_areDetected() {
    assertThat(unevenness(this::epochs, 0.05)).isLessThan(P);
  }

  /** Divides a shuffled order among the steps 20 k to 20 k + 19. */
  private int[] epochs(int step, int n) {
    int[] order = IntStream.range(0, n).toArray();
    RandomStream random = key.stream(step / 20, 1);
    for (int i = n - 1; i > 0; i--) {
      int other = (int) (random.nextDouble() * (i + 1));
      int chosen = order[other];
      order[other] = order[i];
      order[i] = chosen;
    }
    int size = n / 20;
    return Arrays.stream(order, step % 20 * size, (step % 20 + 1) * size).sorted().toArray();
  }

  /**
   * Returns the cumulative probability of chi-squared over the inclusion counts of 1,000 records.
   */
  private static double unevenness(Sampler sampler, double rate) {
    int steps = 3000;
    int[] counts = new int[1000];
    for (int step = 0; step < steps; step++) {
      for (int i : sampler.draw(step, counts.length)) {
        counts[i]++;
      }
    }
    double mean = steps * rate;
    double squares = 0;
    for (int count : counts) {
      squares += (count - mean) * (count - mean) / (mean * (1 - rate));
    }
    return ChiSquaredDistribution.of(counts.length).cumulativeProbability(squares);
  }

  // Pairs of records in the same step.

  /** Neighbors, and records about one cap of the gaps apart. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 17, 40, 41, 42})
  void pair_sameStep_isIndependent(int distance) {
    assertThat(Gaps.of(0.05).cap()).isEqualTo(41);
    assertThat(pairZ(poisson(0.05), 0.05, distance)).isBetween(-Z, Z);
    assertThat(pairZ(poisson(0.3), 0.3, distance)).isBetween(-Z, Z);
  }

  @Test
  void pair_neverNeighbors_isDetected() {
    Sampler apart = (step, n) -> thinned(poisson(0.05 / 0.95).draw(step, n), n);
    assertThat(pairZ(apart, 0.05, 1)).isLessThan(-2 * Z);
  }

  /** The next record is also included in one case of fifty. */
  @Test
  void pair_slightCorrelation_isDetected() {
    Sampler sticky =
        (step, n) -> {
          RandomStream random = key.stream(step, 2);
          return Arrays.stream(poisson(0.049).draw(step, n - 1))
              .flatMap(i -> random.nextDouble() < 0.02 ? IntStream.of(i, i + 1) : IntStream.of(i))
              .distinct()
              .toArray();
        };
    assertThat(pairZ(sticky, 0.05, 1)).isGreaterThan(2 * Z);
  }

  /**
   * Tests how often records i and i + distance are both included, over 20 steps with 60,000
   * records. Each centered product has mean 0 and variance q^2 (1 - q)^2, and the products are
   * uncorrelated.
   */
  private static double pairZ(Sampler sampler, double rate, int distance) {
    int n = 60_000;
    int steps = 20;
    double sum = 0;
    for (int step = 0; step < steps; step++) {
      double[] x = centered(sampler.draw(step, n), n, rate);
      for (int i = 0; i + distance < n; i++) {
        sum += x[i] * x[i + distance];
      }
    }
    return sum / (rate * (1 - rate) * Math.sqrt((double) steps * (n - distance)));
  }

  private static double[] centered(int[] sample, int n, double rate) {
    double[] x = new double[n];
    Arrays.fill(x, -rate);
    for (int i : sample) {
      x[i] = 1 - rate;
    }
    return x;
  }

  // Blocks and steps.

  /** The last records of one block and the first of the next, over 1,000 steps. */
  @Test
  void pair_acrossBlocks_isIndependent() {
    double z = 0;
    for (int step = 0; step < 1000; step++) {
      PoissonSample sample = PoissonSample.of(key, step, 0.05);
      int before = sample.offsets(65_536 - 50, 65_536).length;
      int after = sample.offsets(65_536, 65_536 + 50).length;
      z += (before - 2.5) * (after - 2.5) / (50 * 0.05 * 0.95);
    }
    assertThat(z / Math.sqrt(1000)).isBetween(-Z, Z);
  }

  @Test
  void pair_sameRecordInAnotherBlock_isIndependent() {
    for (double rate : new double[] {0.05, 0.3}) {
      assertThat(twiceZ(rate, step -> PoissonSample.of(key, step, rate).offsets(65_536, 85_536)))
          .isBetween(-Z, Z);
    }
  }

  @Test
  void pair_sameRecordInAnotherStep_isIndependent() {
    for (double rate : new double[] {0.05, 0.3}) {
      for (int later : new int[] {1, 2, 100}) {
        assertThat(
                twiceZ(rate, step -> PoissonSample.of(key, step + later, rate).offsets(0, 20_000)))
            .isBetween(-Z, Z);
      }
    }
  }

  /** The same stream is used for two steps or two blocks, or batches divide an epoch. */
  @Test
  void pair_streamUsedTwiceOrEpochs_areDetected() {
    assertThat(twiceZ(0.05, step -> poisson(0.05).draw(step, 20_000))).isGreaterThan(10 * Z);
    double sum = 0;
    for (int step = 0; step < 20; step++) {
      double[] x = centered(epochs(20 * step, 20_000), 20_000, 0.05);
      double[] y = centered(epochs(20 * step + 1, 20_000), 20_000, 0.05);
      for (int i = 0; i < x.length; i++) {
        sum += x[i] * y[i];
      }
    }
    assertThat(sum / (0.05 * 0.95 * Math.sqrt(20 * 20_000))).isLessThan(-2 * Z);
  }

  private interface Second {
    int[] draw(int step);
  }

  private double twiceZ(double rate, Second second) {
    int n = 20_000;
    int steps = 50;
    double sum = 0;
    for (int step = 0; step < steps; step++) {
      double[] x = centered(poisson(rate).draw(step, n), n, rate);
      double[] y = centered(second.draw(step), n, rate);
      for (int i = 0; i < n; i++) {
        sum += x[i] * y[i];
      }
    }
    return sum / (rate * (1 - rate) * Math.sqrt((double) steps * n));
  }
}
