package org.sordino.training;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.sordino.Neighbouring;
import org.sordino.PrivacyPlan;
import org.sordino.ledger.Header;
import org.sordino.ledger.Ledger;
import org.sordino.mechanism.Layout;
import org.sordino.mechanism.Mechanism;
import org.sordino.mechanism.NoiseAllocation;
import org.sordino.mechanism.VectorGroup;
import org.sordino.random.RandomKey;
import org.sordino.sampling.PoissonSample;

class PrivateKMeansTest {

  private static final double[][] CENTRES = {{0.6, 0.6}, {-0.6, 0.5}, {0, -0.7}};

  private static Examples blobs(int size) {
    SplittableRandom random = new SplittableRandom(4);
    float[] features = new float[2 * size];
    for (int i = 0; i < size; i++) {
      for (int j = 0; j < 2; j++) {
        double spread = random.nextDouble(-0.2, 0.2) + random.nextDouble(-0.2, 0.2);
        features[2 * i + j] = (float) (CENTRES[i % 3][j] + spread);
      }
    }
    return new Examples(features, 2, new float[size]);
  }

  @Test
  void findsTheCentres_andEveryRoundIsInTheLedger() {
    PrivacyPlan plan = new PrivacyPlan(20_000, 4000, 12, 4, Neighbouring.ADD_OR_REMOVE_ONE);
    double[] start = {0.3, 0.1, -0.3, 0.1, 0, -0.2};
    try (Ledger ledger =
        Ledger.inMemory(
            Header.of("k-means", plan.neighbouring(), "example", 20_000, Header.SECURE))) {
      double[] centres =
          PrivateKMeans.run(plan, 1.2, blobs(20_000), start, ledger, RandomKey.secure());
      // The noise on a centre is about 4 * 1.2 * sqrt(2) / (4000 / 3) = 0.005.
      for (int c = 0; c < 3; c++) {
        assertThat(Math.hypot(centres[2 * c] - CENTRES[c][0], centres[2 * c + 1] - CENTRES[c][1]))
            .isLessThan(0.06);
      }
      assertThat(ledger.contents().event()).isEqualTo(plan.event());
    }
  }

  @Test
  void recordMovesCountsAndSums_byNoMoreThanTheBound() {
    SplittableRandom random = new SplittableRandom(8);
    Mechanism mechanism = PrivateKMeans.mechanism(3, 2, 1.2, 1);
    PoissonSample all = PoissonSample.of(RandomKey.insecure(1), 0, 1);
    for (int c = 0; c < 1000; c++) {
      float[] x = {(float) random.nextDouble(-9, 9), (float) random.nextDouble(-9, 9)};
      if (c % 10 == 0) {
        x[c / 10 % 2] = c % 20 == 0 ? Float.NaN : 1e30f;
      }
      long[] sums = new long[9];
      double[] theta = random.doubles(6, -1, 1).toArray();
      var clipping = mechanism.clipping(10, 0, 0);
      PrivateKMeans.engine(new Examples(x, 2, new float[1]), 3).sum(all, theta, clipping, sums);
      double square = 0;
      for (int i = 0; i < 9; i++) {
        double value = i < 3 ? sums[i] * clipping.unit(0) : sums[i] * clipping.unit(1) / 1.2;
        square += value * value;
      }
      assertThat(square).isLessThanOrEqualTo(2 * (1 + 1e-14));
    }
  }

  @Test
  void randomCentres_lieInTheBall() {
    double[] centres = PrivateKMeans.randomCentres(5, 3, 2, 1);
    assertThat(centres).hasSize(15);
    for (int c = 0; c < 5; c++) {
      double square = 0;
      for (int j = 0; j < 3; j++) {
        square += centres[3 * c + j] * centres[3 * c + j];
      }
      assertThat(square).isLessThanOrEqualTo(4);
    }
  }

  @Test
  void aPlanForOtherVectors_isRefused() {
    Mechanism other =
        Mechanism.of(
            Layout.of(new Layout.Vector("v", 3)),
            List.of(VectorGroup.flat("g", List.of("v"), 1)),
            NoiseAllocation.EQUAL,
            1);
    PrivacyPlan plan = new PrivacyPlan(10, 5, 2, 1, Neighbouring.ADD_OR_REMOVE_ONE);
    try (Ledger ledger =
        Ledger.inMemory(Header.of("x", plan.neighbouring(), "example", 10, Header.SECURE))) {
      org.assertj.core.api.Assertions.assertThatIllegalArgumentException()
          .isThrownBy(
              () ->
                  new PrivateStep(
                      plan,
                      other,
                      0,
                      PrivateKMeans.engine(blobs(10), 3),
                      RandomKey.secure(),
                      ledger))
          .withMessageContaining("the plan is for the vectors");
    }
  }
}
