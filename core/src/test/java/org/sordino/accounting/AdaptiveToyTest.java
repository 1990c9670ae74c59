package org.sordino.accounting;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.sordino.Neighboring;
import org.sordino.PrivacyBudget;

/**
 * The theorem behind {@link GdpFilter}, on mechanisms with a few outcomes and up to three steps. At
 * every history, the adversary picks the next mechanism, or stops, so that the final delta is as
 * large as possible. All choices are tried, so the adversary is optimal. The filter is the real
 * one; mechanisms are priced by the definition of mu on a fine grid.
 */
class AdaptiveToyTest {

  private static final int STEPS = 3;
  private static final PrivacyBudget LIMIT = new PrivacyBudget(1, 0.1);

  /**
   * Probabilities of the outcomes with and without a record.
   *
   * @param foreign whether it is charged as an (epsilon, delta) release
   */
  private record Mechanism(double[] p, double[] q, boolean foreign) {

    /** Returns H_a(P||Q) = sum (p - a q)+. */
    double curve(double a) {
      double sum = 0;
      for (int i = 0; i < p.length; i++) {
        sum += Math.max(0, p[i] - a * q[i]);
      }
      return sum;
    }

    /** Returns the mu for a share of delta, slightly rounded up; the curves are convex in a. */
    double mu(double share) {
      double low = 0;
      double high = 50;
      while (high - low > 1e-6) {
        double middle = (low + high) / 2;
        if (isBelow(middle, share)) {
          high = middle;
        } else {
          low = middle;
        }
      }
      return high * (1 + 1e-3);
    }

    private boolean isBelow(double mu, double share) {
      for (double log = -8; log <= 8; log += 0.01) {
        double a = Math.exp(log);
        if (curve(a) - share > gauss(a, mu)) {
          return false;
        }
      }
      return true;
    }
  }

  /** Returns H_a(N(mu, 1) || N(0, 1)) for any a &gt; 0. */
  private static double gauss(double a, double mu) {
    return Normal.tail(Math.log(a) / mu - mu / 2) - a * Normal.tail(Math.log(a) / mu + mu / 2);
  }

  /** What the adversary has used so far. */
  private record Used(List<Double> mus, int shares, double epsilon, double delta) {}

  /** Costs of every mechanism: its mu for each index, or its epsilon and delta. */
  private record Menu(
      GdpFilter filter, List<Mechanism> mechanisms, double[][] mus, double[] deltas) {

    static Menu of(GdpFilter filter, List<Mechanism> mechanisms, double factor) {
      double[][] mus = new double[mechanisms.size()][STEPS];
      double[] deltas = new double[mechanisms.size()];
      for (int m = 0; m < mus.length; m++) {
        deltas[m] = mechanisms.get(m).curve(Math.exp(FOREIGN)) * (1 + 1e-9);
        for (int i = 0; i < STEPS; i++) {
          mus[m][i] = factor * mechanisms.get(m).mu(filter.share(i + 1));
        }
      }
      return new Menu(filter, mechanisms, mus, deltas);
    }

    /** Returns what is used after a mechanism, or an empty list if the filter refuses it. */
    List<Used> after(Used used, int m) {
      List<Double> mus = new ArrayList<>(used.mus);
      if (mechanisms.get(m).foreign) {
        PrivacyBudget sum = new PrivacyBudget(used.epsilon + FOREIGN, used.delta + deltas[m]);
        return filter.admitsForeign(sum)
            ? List.of(new Used(mus, used.shares, sum.epsilon(), sum.delta()))
            : List.of();
      }
      mus.add(mus(m, used.shares));
      return filter.admits(GdpFilter.total(mus))
          ? List.of(new Used(mus, used.shares + 1, used.epsilon, used.delta))
          : List.of();
    }

    private double mus(int m, int index) {
      return mus[m][index];
    }

    /** Returns the largest E_Q (w - e^epsilon)+ that any strategy reaches. */
    double worst(double w, Used used, int steps) {
      double best = Math.max(0, w - Math.exp(LIMIT.epsilon()));
      for (int m = 0; m < mechanisms.size() && steps > 0; m++) {
        for (Used next : after(used, m)) {
          Mechanism mechanism = mechanisms.get(m);
          double sum = 0;
          for (int i = 0; i < mechanism.p.length; i++) {
            double ratio = mechanism.p[i] / mechanism.q[i];
            sum += mechanism.q[i] * worst(w * ratio, next, steps - 1);
          }
          best = Math.max(best, sum);
        }
      }
      return best;
    }
  }

  /** Epsilon of every foreign release. */
  private static final double FOREIGN = 0.25;

  private static double worst(long seed, double foreign, double factor) {
    SplittableRandom random = new SplittableRandom(seed);
    PrivacyBudget reserved = new PrivacyBudget(foreign, foreign > 0 ? 0.02 : 0);
    GdpFilter filter = new GdpFilter(LIMIT, Neighboring.ADD_OR_REMOVE_ONE, reserved);
    List<Mechanism> mechanisms = new ArrayList<>();
    double size = filter.capacity() / Math.sqrt(STEPS);
    for (int i = 0; i < 6; i++) {
      double strength = size * random.nextDouble(0.5, 1.7);
      mechanisms.add(i % 2 == 0 ? buckets(random, strength) : randomised(random, strength));
    }
    if (foreign > 0) {
      mechanisms.add(leaking(FOREIGN, 0.004));
      mechanisms.add(leaking(FOREIGN, 0.015));
    }
    Menu menu = Menu.of(filter, mechanisms, factor);
    return menu.worst(1, new Used(List.of(), 0, 0, 0), STEPS);
  }

  /** Returns a Gaussian mechanism of which only a few intervals are visible. */
  private static Mechanism buckets(SplittableRandom random, double mu) {
    double[] ends = {
      Double.NEGATIVE_INFINITY,
      random.nextDouble(-1, 0.3),
      random.nextDouble(0.4, 2.5),
      Double.POSITIVE_INFINITY
    };
    double[] p = new double[3];
    double[] q = new double[3];
    for (int i = 0; i < 3; i++) {
      p[i] = Normal.tail(ends[i] - mu) - Normal.tail(ends[i + 1] - mu);
      q[i] = Normal.tail(ends[i]) - Normal.tail(ends[i + 1]);
    }
    return new Mechanism(p, q, false);
  }

  /** Returns a randomised response with a rare outcome that reveals more. */
  private static Mechanism randomised(SplittableRandom random, double strength) {
    double rare = random.nextDouble(0, 0.004);
    double more = Math.exp(-random.nextDouble(1, 5));
    double p = (1 - rare) / (1 + Math.exp(-strength));
    double q = (1 - rare * more) / (1 + Math.exp(strength));
    return new Mechanism(
        new double[] {p, 1 - p - rare, rare},
        new double[] {q, 1 - q - rare * more, rare * more},
        false);
  }

  /** Returns a mechanism that is almost exactly (epsilon, delta)-differentially private. */
  private static Mechanism leaking(double epsilon, double delta) {
    double odds = Math.exp(epsilon);
    double p = (1 - delta) * odds / (1 + odds);
    double tiny = 1e-6;
    double q = (1 - tiny) / (1 + odds);
    return new Mechanism(
        new double[] {p, 1 - p - delta, delta}, new double[] {q, 1 - q - tiny, tiny}, true);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
  void bestStrategy_staysWithinTheBudget(long seed) {
    double worst = worst(seed, 0, 1);
    System.out.printf("adaptive toy %d: delta %.5f of %.5f%n", seed, worst, LIMIT.delta());
    assertThat(worst).isPositive().isLessThanOrEqualTo(LIMIT.delta());
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
  void bestStrategy_withForeignReleases_staysWithinTheBudget(long seed) {
    double worst = worst(seed, 0.5, 1);
    System.out.printf("with releases %d: delta %.5f of %.5f%n", seed, worst, LIMIT.delta());
    assertThat(worst).isPositive().isLessThanOrEqualTo(LIMIT.delta());
  }

  /** The twin: if every mu were too small by a third, some strategy would exceed the budget. */
  @Test
  void chargingTooLittle_isFound() {
    double worst = 0;
    for (long seed = 1; seed <= 6; seed++) {
      worst = Math.max(worst, worst(seed, 0, 0.67));
    }
    assertThat(worst).isGreaterThan(LIMIT.delta());
  }
}
