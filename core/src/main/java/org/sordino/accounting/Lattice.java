package org.sordino.accounting;

import java.util.ArrayList;
import java.util.List;
import org.sordino.accounting.LatticePlan.Quality;

/**
 * Rigorous brackets for delta(epsilon) of any composition: the privacy loss of each step is rounded
 * to a lattice, once so that delta grows and once so that it shrinks ({@link LatticeCells}), and
 * both are composed by fast Fourier transform.
 *
 * <p>With M(z) = E[e^(z loss)] on a lattice of mesh h, z_k = c + 2 pi i k / (n h) and W = n h,
 *
 * <pre>
 *   (1/n) sum_k M(z_k) e^(-z_k e) g(z_k) = sum_j e^(c j W) delta(e + j W)
 *   g(z) = sum_(i>0) e^(-z i h) (1 - e^(-i h)) = A (1-C) / ((1-A) (1-A C)),  A = e^(-z h), C = e^(-h)
 * </pre>
 *
 * at every lattice point e. One transform turns the left side into a table. On the right only the
 * term j = 0 is needed. The others are not negative, so the table can only overestimate; they are
 * bounded by delta &lt;= 1 (j &lt; 0) and by Chernoff's inequality (j &gt; 0). Between lattice
 * points delta is linear in e^epsilon. Every error bound is added to the upper end and subtracted
 * from the lower end.
 */
final class Lattice implements DeltaCurve {

  private static final double U = Bracket.U;

  private static final int MAX_ROUNDS = 5;

  /** Expected width, relative to epsilon, above which a finer mesh is used. */
  private static final double TOO_WIDE = 3e-3;

  private final Side upper;
  private final Side lower;
  private final double target;
  private final List<Anchor> anchors = new ArrayList<>();

  private Lattice(Side upper, Side lower, double target) {
    this.upper = upper;
    this.lower = lower;
    this.target = target;
    double step = Math.min(target / 20, 0.25 / upper.tilt); // delta changes by up to e^(1/4)
    for (int i = -16; i <= 16; i++) {
      double epsilon = Math.max(0, target + i * step);
      anchors.add(new Anchor(epsilon, lower.least(epsilon), upper.most(epsilon)));
    }
  }

  /**
   * Bounds at one epsilon; they also hold for neighboring epsilons and replace worse bounds there.
   */
  private record Anchor(double epsilon, double least, double most) {}

  /**
   * Creates brackets that are narrow where delta(epsilon) is about the given delta, or at epsilon
   * 0.
   */
  static Lattice forDelta(List<Step> steps, Direction direction, double delta) {
    List<LossShape> shapes = new ArrayList<>();
    List<Double> counts = new ArrayList<>();
    shapes(steps, direction, shapes, counts);
    double epsilon = LatticePlan.epsilon(shapes, counts, delta);
    for (int i = 0; i < MAX_ROUNDS; i++) {
      Lattice coarse = of(LatticePlan.of(shapes, counts, epsilon, delta, Quality.COARSE));
      double found = coarse.epsilon(delta);
      if (found == 0) {
        return coarse; // epsilon is 0, as this lattice proves
      }
      if (Math.abs(found - epsilon) <= 0.01 * epsilon
          || found > epsilon && !coarse.isUseful(found)) {
        break;
      }
      epsilon = found;
    }
    return fine(shapes, counts, epsilon, delta);
  }

  /** Creates brackets that are narrow near the given epsilon. */
  static Lattice forEpsilon(List<Step> steps, Direction direction, double epsilon) {
    List<LossShape> shapes = new ArrayList<>();
    List<Double> counts = new ArrayList<>();
    shapes(steps, direction, shapes, counts);
    double delta = LatticePlan.delta(shapes, counts, epsilon);
    for (int i = 0; i < MAX_ROUNDS; i++) {
      Lattice coarse = of(LatticePlan.of(shapes, counts, epsilon, delta, Quality.COARSE));
      double found = coarse.estimate(epsilon);
      if (Math.abs(found - delta) <= 0.1 * delta || found > delta && !coarse.isUseful(epsilon)) {
        break;
      }
      delta = found;
    }
    return fine(shapes, counts, epsilon, delta);
  }

  private static Lattice fine(
      List<LossShape> shapes, List<Double> counts, double epsilon, double delta) {
    LatticePlan plan = LatticePlan.of(shapes, counts, epsilon, delta, Quality.FINE);
    boolean coarse = plan.expectedWidth() > TOO_WIDE;
    return of(coarse ? LatticePlan.of(shapes, counts, epsilon, delta, Quality.FINEST) : plan);
  }

  private boolean isUseful(double epsilon) {
    return lower.least(epsilon) > 0.1 * upper.most(epsilon);
  }

  /** Returns the geometric mean of the bounds, whose errors have opposite signs. */
  private double estimate(double epsilon) {
    double most = upper.most(epsilon);
    double least = lower.least(epsilon);
    return least > 0.01 * most ? Math.sqrt(most) * Math.sqrt(least) : most;
  }

  /**
   * Returns roughly the epsilon where delta(epsilon) is delta; exactly 0 only if that is certain.
   */
  private double epsilon(double delta) {
    if (upper.most(0) <= delta) {
      return 0;
    }
    double low = 0;
    double high = Math.max(1e-12, 2 * target);
    while (upper.most(high) > delta && high < 1e15) {
      low = high;
      high *= 2;
    }
    for (int i = 0; i < 30; i++) {
      double middle = (low + high) / 2;
      if (estimate(middle) > delta) {
        low = middle;
      } else {
        high = middle;
      }
    }
    return high;
  }

  @Override
  public Bracket delta(double epsilon) {
    double most = upper.most(epsilon);
    double least = lower.least(epsilon);
    for (Anchor anchor : anchors) { // delta decreases with epsilon
      if (anchor.epsilon >= epsilon) {
        least = Math.max(least, anchor.least);
      }
      if (anchor.epsilon <= epsilon) {
        most = Math.min(most, anchor.most);
      }
    }
    return new Bracket(least, most, Bracket.Method.LATTICE);
  }

  /** Creates one shape for each distinct step; all plain Gaussians together form one Gaussian. */
  private static void shapes(
      List<Step> steps, Direction direction, List<LossShape> shapes, List<Double> counts) {
    double squares = 0;
    for (Step step : steps) {
      double q = step.samplingRate();
      double kappa = Math.min(LossShape.REVEALING, 1 / step.noiseMultiplier());
      if (q == 1) {
        squares += step.count() / step.noiseMultiplier() / step.noiseMultiplier();
      } else {
        double a = direction == Direction.ADD ? 0 : q;
        double b = direction == Direction.REMOVE ? 0 : q;
        shapes.add(new LossShape(a, b, kappa));
        counts.add((double) step.count());
      }
    }
    if (squares > 0) {
      // One Gaussian is equivalent to many weaker ones, which are easier to integrate.
      double mu = Math.sqrt(squares) * (direction == Direction.REPLACE ? 2 : 1);
      double count = Math.min(1e6, Math.ceil(mu * mu / 16));
      shapes.add(new LossShape(1, 0, Math.min(LossShape.REVEALING, mu / Math.sqrt(count))));
      counts.add(count);
    }
  }

  private static Lattice of(LatticePlan plan) {
    List<LatticeCells> upper = new ArrayList<>();
    List<LatticeCells> lower = new ArrayList<>();
    Side up = new Side(plan);
    Side low = new Side(plan);
    double slack = 1e-12; // accuracy of 1/sigma and of the root of a sum of its squares
    for (int i = 0; i < plan.parts().size(); i++) {
      LossShape s = plan.parts().get(i).shape();
      LatticeCells.Layout at = plan.layout(i);
      lower.add(LatticeCells.lower(new LossShape(s.a(), s.b(), s.kappa() * (1 - slack)), at));
      double offset = lower.get(i).offset();
      LossShape more = new LossShape(s.a(), s.b(), s.kappa() * (1 + slack));
      upper.add(LatticeCells.upper(more, at, offset));
    }
    LatticeSpectrum spectrum =
        new LatticeSpectrum(plan.size(), plan.mesh(), plan.tilt(), plan.directTerms());
    for (int i = 0; i < upper.size(); i++) {
      double count = plan.parts().get(i).count();
      double scale = plan.layout(i).scale();
      up.add(upper.get(i), count, scale);
      low.add(lower.get(i), count, scale);
      spectrum.add(upper.get(i), lower.get(i), count);
    }
    double[][] tables = spectrum.tables();
    up.table = tables[0];
    low.table = tables[1];
    up.tableError = spectrum.error(0);
    low.tableError = spectrum.error(1);
    up.chernoff(upper, plan);
    low.chernoff(lower, plan);
    return new Lattice(up, low, plan.epsilon());
  }

  /** One of the two bounds: its table and the errors of the table. */
  private static final class Side {
    private final double tilt;
    private final double mesh;
    private final int size;
    private double offset; // loss of table index 0
    private double logMoment; // log M(c)
    private double logFinite; // log of the mass at finite loss
    private double relativeError; // of delta, from masses and moments
    private double shift; // of epsilon, from the loss of cells
    private double[] table = {}; // delta e^(c e) / M(c)
    private double tableError;
    private final List<double[]> chernoff = new ArrayList<>();

    Side(LatticePlan plan) {
      tilt = plan.tilt();
      mesh = plan.mesh();
      size = plan.size();
    }

    void add(LatticeCells cells, double count, double scale) {
      double log = scale + cells.logMoment(0);
      offset += count * cells.offset();
      logMoment += count * log;
      logFinite += count * Math.log1p(-cells.infinite());
      double rounding = 8 * U * (Math.abs(log) + Math.abs(scale));
      relativeError += count * (cells.relativeError() + rounding);
      shift += count * (cells.shift() + 4 * U * Math.abs(cells.offset()));
    }

    /** Prepares Chernoff's bound for the windows to the right: pairs (d, log M(c + d)). */
    void chernoff(List<LatticeCells> cells, LatticePlan plan) {
      for (double factor = 1.0 / 16; factor < 100; factor *= 1.5) {
        double more = factor * tilt;
        double log = 0;
        for (int i = 0; i < cells.size(); i++) {
          log +=
              plan.parts().get(i).count() * (plan.layout(i).scale() + cells.get(i).logMoment(more));
        }
        chernoff.add(new double[] {more, log});
      }
    }

    double most(double epsilon) {
      double at = epsilon - shift(epsilon);
      double delta = interpolate(at, tableError) * Math.exp(error(at));
      double bound = (delta - Math.expm1(logFinite)) * (1 + 16 * U) + 1e-300;
      return bound < 1 ? bound : 1; // also if an exponential overflowed to NaN
    }

    double least(double epsilon) {
      double at = epsilon + shift(epsilon);
      double delta = interpolate(at, -tableError) - folded(at - mesh);
      double bound = delta * Math.exp(-error(at)) - 1e-300;
      return bound > 0 ? Math.min(1, bound) : 0; // also if an exponential overflowed to NaN
    }

    private double shift(double epsilon) {
      return shift + 8 * U * (Math.abs(offset) + epsilon);
    }

    private double error(double epsilon) {
      double exponents = Math.abs(logMoment) + tilt * (epsilon + Math.abs(offset));
      return relativeError + 16 * U * (4 + exponents);
    }

    /** Returns the weighted mean of two neighboring entries, after {@code add} is added to both. */
    private double interpolate(double epsilon, double add) {
      double position = Math.floor((epsilon - offset) / mesh);
      double point = offset + position * mesh;
      double weight = Math.min(1, Math.max(0, Math.expm1(epsilon - point) / Math.expm1(mesh)));
      long j = (long) position;
      double left = table[(int) Math.floorMod(j, (long) size)] + add;
      double right = table[(int) Math.floorMod(j + 1, (long) size)] + add;
      double sum =
          Math.max(0, left) * (1 - weight) + Math.max(0, right) * Math.exp(-tilt * mesh) * weight;
      return Math.exp(logMoment - tilt * point) * sum;
    }

    /** Bounds the sum of the terms j &lt; 0 and j &gt; 0, at epsilon and beyond. */
    private double folded(double epsilon) {
      double window = size * mesh;
      double left = 1 / Math.expm1(tilt * window);
      double right = Double.POSITIVE_INFINITY;
      for (double[] c : chernoff) {
        double ratio = Math.exp(-c[0] * window);
        double bound = Math.exp(c[1] - (tilt + c[0]) * epsilon) * ratio / (1 - ratio);
        right = Math.min(right, Double.isNaN(bound) ? right : bound);
      }
      return 1.001 * Math.exp(relativeError) * (left + right);
    }
  }
}
