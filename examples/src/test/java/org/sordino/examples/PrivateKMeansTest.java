package org.sordino.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.HexFormat;
import java.util.List;
import java.util.SplittableRandom;
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
import org.sordino.training.Examples;
import org.sordino.training.PrivateStep;

class PrivateKMeansTest {

  private static final double[][] CENTERS = {{0.6, 0.6}, {-0.6, 0.5}, {0, -0.7}};
  private static final double[] START = {0.3, 0.1, -0.3, 0.1, 0, -0.2};

  private static Examples blobs(int size) {
    SplittableRandom random = new SplittableRandom(4);
    float[] features = new float[2 * size];
    for (int i = 0; i < size; i++) {
      for (int j = 0; j < 2; j++) {
        double spread = random.nextDouble(-0.2, 0.2) + random.nextDouble(-0.2, 0.2);
        features[2 * i + j] = (float) (CENTERS[i % 3][j] + spread);
      }
    }
    return new Examples(features, 2, new float[size]);
  }

  private static Ledger ledger(PrivacyPlan plan) {
    return Ledger.inMemory(
        Header.of("k-means", plan.neighboring(), "example", plan.population(), Header.SECURE));
  }

  @Test
  void run_findsTheCenters_andEveryRoundIsInTheLedger() {
    PrivacyPlan plan = new PrivacyPlan(20_000, 4000, 12, 4, Neighboring.ADD_OR_REMOVE_ONE);
    try (Ledger ledger = ledger(plan)) {
      double[] centers =
          PrivateKMeans.run(plan, 1.2, blobs(20_000), START, ledger, RandomKey.secure());
      // The standard deviation of the noise on a center is about 4 * 1.2 * sqrt(2) / (4000 / 3) =
      // 0.005.
      for (int c = 0; c < 3; c++) {
        assertThat(Math.hypot(centers[2 * c] - CENTERS[c][0], centers[2 * c + 1] - CENTERS[c][1]))
            .isLessThan(0.06);
      }
      assertThat(ledger.contents().event()).isEqualTo(plan.event());
      assertThat(ledger.contents().finished()).isTrue();
    }
  }

  /** The expected values were computed at commit 7fef5f5, when this program was part of core. */
  @Test
  void run_knownKey_isReproducedBitForBit() {
    PrivacyPlan plan = new PrivacyPlan(300, 150, 5, 1, Neighboring.ADD_OR_REMOVE_ONE);
    try (Ledger ledger = ledger(plan)) {
      assertThat(PrivateKMeans.run(plan, 1.2, blobs(300), START, ledger, RandomKey.insecure(11)))
          .containsExactly(
              0.6272467149028678,
              0.6188686953280127,
              -0.5596417568469143,
              0.5164267433509397,
              0.009697519267642323,
              -0.7440235538781641);
    }
    assertThat(
            HexFormat.of()
                .formatHex(new ClusterSums(blobs(300), 3).fingerprint(RandomKey.insecure(2))))
        .isEqualTo("f50622c7a0299475251e3d5996e15658030232c0672f0124982847b5dfd67991");
  }

  @Test
  void record_changesCountsAndSums_byAtMostTheBound() {
    SplittableRandom random = new SplittableRandom(8);
    PoissonSample all = PoissonSample.of(RandomKey.insecure(1), 0, 1);
    for (int c = 0; c < 1000; c++) {
      float[] x = {(float) random.nextDouble(-9, 9), (float) random.nextDouble(-9, 9)};
      if (c % 10 == 0) {
        x[c / 10 % 2] = c % 20 == 0 ? Float.NaN : 1e30f;
      }
      ClusterSums engine = new ClusterSums(new Examples(x, 2, new float[1]), 3);
      long[] sums = new long[9];
      double[] theta = random.doubles(6, -1, 1).toArray();
      Clipping clipping =
          PrivateKMeans.mechanism(engine.layout(), 1.2, 1).clipping(10, 0, engine.roundingSlack());
      engine.sum(all, theta, clipping, sums);
      double square = 0;
      for (int i = 0; i < 9; i++) {
        double value = i < 3 ? sums[i] * clipping.unit(0) : sums[i] * clipping.unit(1) / 1.2;
        square += value * value;
      }
      assertThat(square).isLessThanOrEqualTo(2 * (1 + 1e-14));
    }
  }

  @Test
  void planForOtherVectors_isRefused() {
    Mechanism other =
        Mechanism.of(
            Layout.of(new Layout.Vector("v", 3)),
            List.of(VectorGroup.flat("g", List.of("v"), 1)),
            NoiseAllocation.EQUAL,
            1);
    PrivacyPlan plan = new PrivacyPlan(10, 5, 2, 1, Neighboring.ADD_OR_REMOVE_ONE);
    ClusterSums engine = new ClusterSums(blobs(10), 3);
    try (Ledger ledger = ledger(plan)) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> new PrivateStep(plan, other, 0, engine, RandomKey.secure(), ledger))
          .withMessageContaining("vectors of a record must be those of the plan");
    }
  }
}
