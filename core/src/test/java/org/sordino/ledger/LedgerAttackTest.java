package org.sordino.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.sordino.Neighboring;
import org.sordino.PrivacyEvent;
import org.sordino.accounting.TightAccountant;

/**
 * Programs that reserve steps with much noise and run them with little. The ledger contains the
 * bounds and standard deviations that were used, so it must not cost less than they do.
 */
class LedgerAttackTest {

  private static final double DELTA = 1e-5;
  private static final PrivacyEvent.SampledGaussian RESERVED =
      new PrivacyEvent.SampledGaussian(0.01, 4);
  private static final Header HEADER =
      Header.of("attack", Neighboring.ADD_OR_REMOVE_ONE, "example", 1000, Header.SECURE);

  @Test
  void lessNoiseThanReserved_isCharged() {
    try (Ledger ledger = Ledger.inMemory(HEADER)) {
      ledger.reserve(RESERVED, 0, 1000);
      ledger.realized(0, groups(1, 4));
      ledger.realized(200, groups(1, 0.5));
      ledger.realized(900, groups(1, 4)); // the last line is as planned
      ledger.finish(1000);
      double charged = epsilon(ledger.contents().event());
      double executed =
          epsilon(
              new PrivacyEvent.Composition(
                  List.of(RESERVED.times(300), RESERVED_WITH_HALF.times(700))));
      print("reserved z = 4, 700 of 1,000 steps with z = 0.5", charged, executed);
      assertThat(charged).isEqualTo(executed);
      assertThat(charged).isGreaterThan(10 * epsilon(RESERVED.times(1000)));
    }
  }

  private static final PrivacyEvent.SampledGaussian RESERVED_WITH_HALF =
      new PrivacyEvent.SampledGaussian(0.01, 0.5);

  /** Each group alone has the reserved noise; together, two such groups have less. */
  @Test
  void groupsThatComposeToLess_areCharged() {
    try (Ledger ledger = Ledger.inMemory(HEADER)) {
      ledger.reserve(RESERVED, 0, 100);
      List<Realized> groups = new ArrayList<>();
      for (int g = 0; g < 16; g++) {
        groups.add(new Realized("group " + g, 0.5, 2));
      }
      ledger.realized(0, groups);
      double charged = epsilon(ledger.contents().event());
      double executed = epsilon(new PrivacyEvent.SampledGaussian(0.01, 1).times(100));
      print("reserved z = 4, 16 groups with sigma = 4 S", charged, executed);
      assertThat(charged).isEqualTo(executed);
    }
  }

  /** No noise, and bounds and deviations at the ends of the doubles. */
  @Test
  void extremeValues_neverLowerTheCost() {
    double[][] attacks = {
      {1, 0},
      {Double.POSITIVE_INFINITY, 1},
      {Double.MAX_VALUE, Double.MIN_VALUE},
      {1e200, 1e199},
      {1e-200, 1e-201},
      {Double.MIN_VALUE, Double.MIN_VALUE}
    };
    for (double[] attack : attacks) {
      assertThat(limit(4, attack[0], attack[1]))
          .isLessThanOrEqualTo(attack[1] / attack[0] < 1 ? 0.11 : 1);
    }
    assertThat(limit(4, 1, 0)).isZero();
    assertThat(limit(4, 0, 0)).isEqualTo(4); // a sum of zeros
    assertThat(limit(4, 1, Double.POSITIVE_INFINITY)).isEqualTo(4);
    assertThat(limit(Double.POSITIVE_INFINITY, 1, 3)).isEqualTo(3);
  }

  /**
   * Standard deviations that are rounded up cost nothing; rounded down, they cost almost nothing.
   */
  @Test
  void roundedDeviations_costAsReserved() {
    SplittableRandom random = new SplittableRandom(1);
    for (int trial = 0; trial < 2000; trial++) {
      double z = Math.exp(random.nextDouble(-3, 6));
      double bound = Math.exp(random.nextDouble(-20, 20));
      double deviation = z * bound;
      assertThat(limit(z, bound, deviation * (1 + 17 * 0x1p-53))).isEqualTo(z);
      assertThat(limit(z, bound, Math.nextDown(deviation)))
          .isBetween(z * (1 - 0x1p-40), z)
          .isNotEqualTo(Math.nextDown(z)); // one of two values, so that events stay equal
      assertThat(limit(z, bound, deviation * (1 - 1e-9))).isLessThan(z * (1 - 0.9e-9));
    }
    assertThat(limit(3, 1, 3)).isEqualTo(3);
    assertThat(limit(4, 1, 2)).isEqualTo(2);
  }

  /** Compares random attempts, also with steps in another order, with a step-by-step oracle. */
  @Test
  void randomLines_costAsTheOracleSays() {
    SplittableRandom random = new SplittableRandom(2);
    for (int trial = 0; trial < 300; trial++) {
      try (Ledger ledger = Ledger.inMemory(HEADER)) {
        int steps = 1 + random.nextInt(20);
        int from = 0;
        List<PrivacyEvent> expected = new ArrayList<>();
        for (int attempt = 0; attempt < 2; attempt++) {
          double[] least = attempt(ledger, random, from, steps);
          for (int step = from; step < steps; step++) {
            expected.add(new PrivacyEvent.SampledGaussian(0.01, Math.min(4, least[step])));
          }
          from = random.nextInt(steps + 1);
          if (attempt == 0) {
            ledger.restart(from, "again");
          }
        }
        List<PrivacyEvent> actual = new ArrayList<>();
        for (LedgerContents.Part part : ledger.contents().parts()) {
          for (int k = 0; k < part.steps(); k++) {
            actual.add(part.event());
          }
        }
        assertThat(actual).isEqualTo(expected);
      }
    }
  }

  /** Returns the least z that was used from a step on, or that may have been used. */
  private static double[] attempt(Ledger ledger, SplittableRandom random, int from, int steps) {
    double[] least = new double[steps];
    java.util.Arrays.fill(least, Double.POSITIVE_INFINITY);
    ledger.reserve(RESERVED, from, steps - from);
    int lines = from == steps ? 0 : random.nextInt(6);
    int[] at = new int[lines];
    double[] z = new double[lines];
    for (int i = 0; i < lines; i++) {
      at[i] = from + random.nextInt(steps - from);
      do {
        z[i] = 1 + random.nextInt(6);
      } while (i > 0 && z[i] == z[i - 1]);
      ledger.realized(at[i], groups(1, z[i]));
    }
    for (int i = 0; i < lines; i++) {
      boolean ends = i + 1 < lines && at[i + 1] > at[i];
      for (int step = at[i]; step < (ends ? at[i + 1] : steps); step++) {
        least[step] = Math.min(least[step], z[i]);
      }
    }
    return least;
  }

  /** Values that apply to an earlier step than the last line are written again. */
  @Test
  void stepsInAnotherOrder_areAllCovered() {
    try (Ledger ledger = Ledger.inMemory(HEADER)) {
      ledger.reserve(RESERVED, 0, 3);
      ledger.realized(0, groups(1, 4));
      ledger.realized(2, groups(1, 0.5));
      ledger.realized(1, groups(1, 0.5));
      ledger.finish(3);
      assertThat(ledger.contents().parts())
          .containsExactly(
              new LedgerContents.Part(RESERVED, 1), new LedgerContents.Part(RESERVED_WITH_HALF, 2));
    }
  }

  @Test
  void stepsThatAreNotReservedYet_areChargedLikeTheLast() {
    try (Ledger ledger = Ledger.inMemory(HEADER)) {
      ledger.reserve(RESERVED, 0, 10);
      assertThat(ledger.contents().later(RESERVED)).isEqualTo(RESERVED);
      ledger.realized(3, groups(1, 0.5));
      assertThat(ledger.contents().later(RESERVED)).isEqualTo(RESERVED_WITH_HALF);
    }
  }

  private static List<Realized> groups(double bound, double deviation) {
    return List.of(new Realized("all", bound, deviation));
  }

  private static double limit(double reserved, double bound, double deviation) {
    PrivacyEvent limited =
        RealizedNoise.of(groups(bound, deviation)).limit(new PrivacyEvent.Gaussian(reserved));
    return ((PrivacyEvent.Gaussian) limited).noiseMultiplier();
  }

  private static double epsilon(PrivacyEvent event) {
    return TightAccountant.of(Neighboring.ADD_OR_REMOVE_ONE).epsilonBracket(event, DELTA).upper();
  }

  private static void print(String attack, double charged, double executed) {
    System.out.printf("%s: charged %.4f, executed %.4f%n", attack, charged, executed);
  }
}
