package org.sordino.accounting;

import java.util.ArrayList;
import java.util.List;
import java.util.function.DoubleUnaryOperator;

/**
 * Chooses tilt, window and mesh of a {@link Lattice}. Works with rough numbers: nothing here bears
 * on the validity of the bracket, only on its width.
 */
final class LatticePlan {

  /** Relative error in delta that the window, and the mass beyond the last cell, may cause. */
  private static final double LOG_NEGLIGIBLE = Math.log(1e-7);

  /** Beyond so many standard deviations on the left, 1e-21 of the mass is left. */
  private static final double FAR = 9.5;

  private static final int MAX_SIZE = 1 << 20;

  /** Meshes per standard deviation of one step that are worth having. */
  private static final double FINENESS = 2000;

  /** A shape that occurs count times, with the range of z that counts. */
  record Part(LossShape shape, double count, double first, double last) {}

  /** Sampled losses of a part, with their probabilities. */
  private record Samples(double count, double[] loss, double[] weight) {}

  private final List<LossShape> shapes;
  private final List<Double> counts;
  private double logDelta;
  private double epsilon;
  private double tilt;
  private double window;
  private double mesh;
  private List<Part> parts = List.of();
  private List<Samples> samples = List.of();

  private LatticePlan(List<LossShape> shapes, List<Double> counts) {
    this.shapes = shapes;
    this.counts = counts;
  }

  /** A plan for finding epsilon at a given delta. */
  static LatticePlan forDelta(List<LossShape> shapes, List<Double> counts, double delta) {
    LatticePlan plan = new LatticePlan(shapes, counts);
    plan.logDelta = Math.log(Math.max(1e-280, Math.min(delta, 0.5)));
    double cap = Double.POSITIVE_INFINITY;
    for (int i = 0; i < 2; i++) { // the second round knows epsilon, hence which losses matter
      plan.sample(cap);
      double c = plan.solve(t -> plan.logDeltaAt(t) - plan.logDelta);
      plan.epsilon = plan.saddleEpsilon(c);
      if (!(plan.epsilon > 0)) {
        return forEpsilon(shapes, counts, 0);
      }
      cap = plan.epsilon + plan.slack();
    }
    return plan.finish();
  }

  /** A plan for finding delta at a given epsilon. */
  static LatticePlan forEpsilon(List<LossShape> shapes, List<Double> counts, double epsilon) {
    LatticePlan plan = new LatticePlan(shapes, counts);
    plan.epsilon = epsilon;
    plan.logDelta = -600;
    for (int i = 0; i < 6; i++) {
      plan.sample(epsilon + plan.slack());
      double c = plan.solve(t -> epsilon - plan.saddleEpsilon(t));
      double found = Math.min(Math.log(0.5), Math.max(-640, plan.logDeltaAt(c)));
      boolean settled = Math.abs(found - plan.logDelta) < 1;
      plan.logDelta = found;
      if (settled) {
        break;
      }
    }
    return plan.finish();
  }

  double tilt() {
    return tilt;
  }

  double mesh() {
    return mesh;
  }

  /** Number of lattice points in the window, a power of two. */
  int size() {
    return (int) Math.round(window / mesh);
  }

  double epsilon() {
    return epsilon;
  }

  List<Part> parts() {
    return parts;
  }

  /** How the i-th part is to be put on the lattice. */
  LatticeCells.Layout layout(int i) {
    Part part = parts.get(i);
    double[] moments = moments(samples.get(i), tilt);
    return new LatticeCells.Layout(mesh, tilt, moments[0], moments[1], part.first, part.last);
  }

  /** Beyond epsilon plus this, a single loss is as good as infinite. */
  private double slack() {
    double sum = -LOG_NEGLIGIBLE;
    for (int i = 0; i < shapes.size(); i++) {
      double q = Math.max(shapes.get(i).a(), shapes.get(i).b());
      sum -= q < 1 ? counts.get(i) * Math.log1p(-q) : Double.NEGATIVE_INFINITY;
    }
    return sum;
  }

  /** Fixes the ranges of z for the current delta, and samples the losses there. */
  private void sample(double cap) {
    double total = counts.stream().mapToDouble(x -> x).sum();
    double lost = Math.exp(Math.max(-640, logDelta + LOG_NEGLIGIBLE - Math.log(total)));
    parts = new ArrayList<>();
    samples = new ArrayList<>();
    for (int i = 0; i < shapes.size(); i++) {
      LossShape shape = shapes.get(i);
      double first = shape.a() == 1 ? shape.kappa() - FAR : -FAR;
      double last = Math.min(tail(shape, lost), Math.max(first + 1, shape.point(cap)));
      parts.add(new Part(shape, counts.get(i), first, last));
      samples.add(samples(shape, counts.get(i), first, last));
    }
  }

  private static double tail(LossShape shape, double lost) {
    double low = shape.a() == 1 ? shape.kappa() : 0;
    double high = low + shape.kappa() + 40;
    for (int i = 0; i < 50; i++) {
      double middle = (low + high) / 2;
      if (shape.massAbove(middle) > lost) {
        low = middle;
      } else {
        high = middle;
      }
    }
    return high;
  }

  private static Samples samples(LossShape shape, double count, double first, double last) {
    int n = (int) Math.min(20_000, Math.max(300, 30 * (last - first)));
    double[] loss = new double[n];
    double[] weight = new double[n];
    double step = (last - first) / n;
    double sum = 0;
    for (int i = 0; i < n; i++) {
      double z = first + (i + 0.5) * step;
      loss[i] = shape.loss(z);
      weight[i] = shape.mass(0, z - step / 2, step);
      sum += weight[i];
    }
    for (int i = 0; i < n; i++) {
      weight[i] /= sum;
    }
    return new Samples(count, loss, weight);
  }

  /** log E[e^(cL)], and mean and variance of L weighted by e^(cL). */
  private static double[] moments(Samples s, double c) {
    double top = Double.NEGATIVE_INFINITY;
    for (double l : s.loss) {
      top = Math.max(top, c * l);
    }
    double sum = 0;
    double first = 0;
    double second = 0;
    double pivot = s.loss[s.loss.length / 2];
    for (int i = 0; i < s.loss.length; i++) {
      double w = s.weight[i] * Math.exp(c * s.loss[i] - top);
      double l = s.loss[i] - pivot;
      sum += w;
      first += w * l;
      second += w * l * l;
    }
    double mean = first / sum;
    return new double[] {
      top + Math.log(sum), pivot + mean, Math.max(1e-300, second / sum - mean * mean)
    };
  }

  private double[] moments(double c) {
    double[] total = new double[3];
    for (Samples s : samples) {
      double[] one = moments(s, c);
      for (int i = 0; i < 3; i++) {
        total[i] += s.count * one[i];
      }
    }
    return total;
  }

  /** The epsilon whose saddle point is c. */
  private double saddleEpsilon(double c) {
    return moments(c)[1] - 1 / c - 1 / (c + 1);
  }

  /** The saddle-point approximation of log delta at that epsilon. */
  private double logDeltaAt(double c) {
    double[] k = moments(c);
    double saddle = k[1] - 1 / c - 1 / (c + 1);
    double curvature = k[2] + 1 / (c * c) + 1 / ((c + 1) * (c + 1));
    return k[0] - c * saddle - Math.log(c * (c + 1)) - Math.log(2 * Math.PI * curvature) / 2;
  }

  /** The c where a decreasing function changes sign. */
  private double solve(DoubleUnaryOperator decreasing) {
    double low = Math.log(1e-12);
    double high = Math.log(1e15);
    for (int i = 0; i < 45; i++) {
      double middle = (low + high) / 2;
      if (decreasing.applyAsDouble(Math.exp(middle)) > 0) {
        low = middle;
      } else {
        high = middle;
      }
    }
    return Math.exp((low + high) / 2);
  }

  /**
   * The smallest window such that what it folds in from the left, e^(-c window), and from the
   * right, is negligible: the first shrinks and the second grows with c.
   */
  private LatticePlan finish() {
    double target = logDelta + LOG_NEGLIGIBLE;
    tilt = solve(c -> -target / c - rightWindow(c, target));
    window = Math.max(-target / tilt, rightWindow(tilt, target));
    double finest = Double.POSITIVE_INFINITY;
    for (Samples s : samples) {
      finest = Math.min(finest, Math.sqrt(moments(s, tilt)[2]) / FINENESS);
    }
    double size = Math.min(MAX_SIZE, Math.max(1 << 10, window / finest));
    mesh = window / Integer.highestOneBit((int) size);
    return this;
  }

  private double rightWindow(double c, double target) {
    double best = Double.POSITIVE_INFINITY;
    for (double factor = 1.0 / 16; factor < 100; factor *= 1.5) {
      double c2 = c * (1 + factor);
      best = Math.min(best, (moments(c2)[0] - c2 * epsilon - target) / (c2 - c));
    }
    return best;
  }
}
