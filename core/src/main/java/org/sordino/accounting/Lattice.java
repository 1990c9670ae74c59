package org.sordino.accounting;

import java.util.ArrayList;
import java.util.List;

/**
 * Rigorous brackets for delta(epsilon) of any composition: the privacy loss of each step is moved
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
 * at every lattice point e. One transform turns the left side into a table. On the right the term j
 * = 0 is wanted; the others are not negative, so the table only overstates, and they are bounded by
 * delta &lt;= 1 (j &lt; 0) and by Chernoff's inequality (j &gt; 0). Between lattice points delta is
 * linear in e^epsilon. Every bound on an error is added to the upper and taken off the lower end.
 */
final class Lattice implements DeltaCurve {

  private static final double U = LossShape.U;

  /** Powers of the characteristic function below e^-60 count as an error instead. */
  private static final double LOG_DROPPED = -60;

  private final Side upper;
  private final Side lower;
  private final List<Anchor> anchors = new ArrayList<>();

  private Lattice(Side upper, Side lower, double target) {
    this.upper = upper;
    this.lower = lower;
    for (double factor = 1.0 / 64; factor < 4; factor *= 1.1) {
      double epsilon = factor * target;
      anchors.add(new Anchor(epsilon, lower.least(epsilon), upper.most(epsilon)));
    }
  }

  /** Bounds at one epsilon, which serve its neighbours where their own are worse. */
  private record Anchor(double epsilon, double least, double most) {}

  /** Brackets that are narrow where delta(epsilon) is about the given delta, or epsilon is 0. */
  static Lattice forDelta(List<Step> steps, Direction direction, double delta) {
    List<LossShape> shapes = new ArrayList<>();
    List<Double> counts = new ArrayList<>();
    shapes(steps, direction, shapes, counts);
    return of(LatticePlan.forDelta(shapes, counts, delta));
  }

  /** Brackets that are narrow near the given epsilon. */
  static Lattice forEpsilon(List<Step> steps, Direction direction, double epsilon) {
    List<LossShape> shapes = new ArrayList<>();
    List<Double> counts = new ArrayList<>();
    shapes(steps, direction, shapes, counts);
    return of(LatticePlan.forEpsilon(shapes, counts, epsilon));
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
    return new Bracket(Math.min(least, most), most, Bracket.Method.LATTICE);
  }

  /** One shape for each kind of step; all plain Gaussians together are one Gaussian. */
  private static void shapes(
      List<Step> steps, Direction direction, List<LossShape> shapes, List<Double> counts) {
    double squares = 0;
    for (Step step : steps) {
      double q = step.samplingRate();
      double kappa = 1 / step.noiseMultiplier();
      if (q == 1) {
        squares += step.count() * kappa * kappa;
      } else {
        double a = direction == Direction.ADD ? 0 : q;
        double b = direction == Direction.REMOVE ? 0 : q;
        shapes.add(new LossShape(a, b, kappa));
        counts.add((double) step.count());
      }
    }
    if (squares > 0) {
      double mu = Math.sqrt(squares) * (direction == Direction.REPLACE ? 2 : 1);
      shapes.add(new LossShape(1, 0, mu));
      counts.add(1.0);
    }
  }

  private static Lattice of(LatticePlan plan) {
    List<LatticeCells> upper = new ArrayList<>();
    List<LatticeCells> lower = new ArrayList<>();
    Side up = new Side(plan);
    Side low = new Side(plan);
    double slack = 64 * U; // 1/sigma, and the root of a sum of its squares, are good to that
    for (int i = 0; i < plan.parts().size(); i++) {
      LossShape s = plan.parts().get(i).shape();
      LatticeCells.Layout at = plan.layout(i);
      lower.add(LatticeCells.lower(new LossShape(s.a(), s.b(), s.kappa() * (1 - slack)), at));
      double offset = lower.get(i).offset();
      upper.add(
          LatticeCells.upper(new LossShape(s.a(), s.b(), s.kappa() * (1 + slack)), at, offset));
    }
    Composer composer = new Composer(plan);
    for (int i = 0; i < upper.size(); i++) {
      double count = plan.parts().get(i).count();
      double scale = plan.layout(i).scale();
      up.add(upper.get(i), count, scale);
      low.add(lower.get(i), count, scale);
      composer.add(upper.get(i), lower.get(i), count);
    }
    composer.finish(up, low);
    up.chernoff(upper, plan);
    low.chernoff(lower, plan);
    return new Lattice(up, low, plan.epsilon());
  }

  /** One of the two bounds: the table and its errors. */
  private static final class Side {
    private final double tilt;
    private final double mesh;
    private final int size;
    private double offset; // loss of table index 0
    private double logMoment; // log M(c)
    private double infinite; // mass at infinite loss
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
      double log = scale + Math.log(cells.moment(0));
      offset += count * cells.offset();
      logMoment += count * log;
      infinite += count * cells.infinite();
      double rounding = 8 * U * (Math.abs(log) + Math.abs(scale));
      relativeError += count * (cells.relativeError() + rounding);
      shift += count * (cells.shift() + 4 * U * Math.abs(cells.offset()));
    }

    /** For the right neighbours: pairs (d, log M(c + d)). */
    void chernoff(List<LatticeCells> cells, LatticePlan plan) {
      for (double factor = 1.0 / 16; factor < 100; factor *= 1.5) {
        double more = factor * tilt;
        double log = 0;
        for (int i = 0; i < cells.size(); i++) {
          log +=
              plan.parts().get(i).count()
                  * (plan.layout(i).scale() + Math.log(cells.get(i).moment(more)));
        }
        chernoff.add(new double[] {more, log});
      }
    }

    double most(double epsilon) {
      double at = epsilon - shift(epsilon);
      double delta = interpolate(at, tableError) * Math.exp(error(at));
      double bound = (delta + infinite) * (1 + 16 * U) + 1e-300;
      return bound < 1 ? bound : 1; // also if an exponential overflowed to NaN
    }

    double least(double epsilon) {
      double at = epsilon + shift(epsilon);
      double delta = interpolate(at, -tableError) - folded(at);
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

    /** The weighted mean of two neighbours in the table, an error added to both. */
    private double interpolate(double epsilon, double add) {
      double position = Math.floor((epsilon - offset) / mesh);
      double point = offset + position * mesh;
      double weight = Math.expm1(epsilon - point) / Math.expm1(mesh);
      long j = (long) position;
      double left = table[(int) Math.floorMod(j, (long) size)] + add;
      double right = table[(int) Math.floorMod(j + 1, (long) size)] + add;
      double sum =
          Math.max(0, left) * (1 - weight) + Math.max(0, right) * Math.exp(-tilt * mesh) * weight;
      return Math.exp(logMoment - tilt * point) * sum;
    }

    /** At most what the window folds in from both sides. */
    private double folded(double epsilon) {
      double window = size * mesh;
      double left = 1 / Math.expm1(tilt * window);
      double right = Double.POSITIVE_INFINITY;
      for (double[] c : chernoff) {
        double ratio = Math.exp(-c[0] * window);
        double bound = Math.exp(c[1] - (tilt + c[0]) * epsilon) * ratio / (1 - ratio);
        right = Math.min(right, Double.isNaN(bound) ? right : bound);
      }
      return 1.001 * (left + right);
    }
  }

  /** Both characteristic functions at once: the upper as the real, the lower as imaginary part. */
  private static final class Composer {
    private final LatticePlan plan;
    private final Fft fft;
    private final int size;
    private final double[][] logModulus; // [side][bin]
    private final double[][] angle;
    private final double[][] error;

    Composer(LatticePlan plan) {
      this.plan = plan;
      size = plan.size();
      fft = Fft.of(size);
      logModulus = new double[2][size / 2 + 1];
      angle = new double[2][size / 2 + 1];
      error = new double[2][size / 2 + 1];
    }

    void add(LatticeCells upper, LatticeCells lower, double count) {
      double[] re = new double[size];
      double[] im = new double[size];
      upper.addTo(re, 1 / upper.moment(0));
      lower.addTo(im, 1 / lower.moment(0));
      fft.transform(re, im);
      for (int k = 0; k <= size / 2; k++) {
        int m = (size - k) & (size - 1);
        raise(0, k, (re[k] + re[m]) / 2, (im[k] - im[m]) / 2, count);
        raise(1, k, (im[k] + im[m]) / 2, (re[m] - re[k]) / 2, count);
      }
    }

    private void raise(int side, int k, double re, double im, double count) {
      double squared = re * re + im * im;
      double floor = Math.max(squared, 1e-18);
      double log = Math.log(floor) / 2;
      logModulus[side][k] += count * log;
      if (logModulus[side][k] > LOG_DROPPED) {
        angle[side][k] -= count * Math.atan2(im, re); // the transform has e^-i, M has e^+i
        double e = 2 * fft.relativeError() + 16 * U;
        error[side][k] += squared < floor ? 1 : count * e / Math.sqrt(floor);
      }
    }

    void finish(Side up, Side low) {
      double[] re = new double[size];
      double[] im = new double[size];
      double[] errors = new double[2];
      double[] sums = new double[2];
      double decay = Math.exp(-plan.tilt() * plan.mesh());
      double decay1 = decay * Math.exp(-plan.mesh());
      double a0 = -Math.expm1(-plan.tilt() * plan.mesh());
      double b0 = -Math.expm1(-(plan.tilt() + 1) * plan.mesh());
      double gain0 = decay * -Math.expm1(-plan.mesh()) / (a0 * b0);
      for (int k = 0; k <= size / 2; k++) {
        if (logModulus[0][k] <= LOG_DROPPED && logModulus[1][k] <= LOG_DROPPED) {
          errors[0] += 2 * gain0 * Math.exp(LOG_DROPPED + 1);
          errors[1] += 2 * gain0 * Math.exp(LOG_DROPPED + 1);
          continue;
        }
        double half = Math.sin(Math.PI * k / size);
        double sine = 2 * half * Math.cos(Math.PI * k / size);
        double aRe = a0 + 2 * decay * half * half;
        double aIm = decay * sine;
        double bRe = b0 + 2 * decay1 * half * half;
        double bIm = decay1 * sine;
        double dRe = aRe * bRe - aIm * bIm;
        double dIm = aRe * bIm + aIm * bRe;
        double numerator = decay * -Math.expm1(-plan.mesh());
        double modulus = numerator / Math.sqrt(dRe * dRe + dIm * dIm);
        double phase = -2 * Math.PI * k / size - Math.atan2(dIm, dRe);
        int m = (size - k) & (size - 1);
        double twice = m == k ? 1 : 2;
        for (int side = 0; side < 2; side++) {
          double log = logModulus[side][k];
          if (log <= LOG_DROPPED) {
            errors[side] += twice * gain0 * Math.exp(LOG_DROPPED + 1);
            continue;
          }
          double f = modulus * Math.exp(log);
          double theta = phase + angle[side][k];
          errors[side] += twice * f * (Math.expm1(error[side][k]) + 64 * U);
          sums[side] += twice * f;
          double c = f * Math.cos(theta);
          double s = f * Math.sin(theta);
          if (side == 0) {
            re[k] += c;
            im[k] += s;
            if (m != k) {
              re[m] += c;
              im[m] -= s;
            }
          } else {
            re[k] -= s;
            im[k] += c;
            if (m != k) {
              re[m] += s;
              im[m] += c;
            }
          }
        }
      }
      fft.transform(re, im);
      double both = (sums[0] + sums[1]) * fft.relativeError();
      up.tableError = (errors[0] + both) / size * 1.01;
      low.tableError = (errors[1] + both) / size * 1.01;
      up.table = re;
      low.table = im;
      for (int i = 0; i < size; i++) {
        re[i] /= size;
        im[i] /= size;
      }
    }
  }
}
