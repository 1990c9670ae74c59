package org.sordino.accounting;

import java.util.ArrayList;
import java.util.List;
import java.util.function.DoubleUnaryOperator;
import java.util.stream.DoubleStream;

/**
 * Chooses the tilt, the window and the mesh of a {@link Lattice} from rough estimates. Nothing here
 * affects the validity of the bracket, only its width.
 */
final class LatticePlan {

  /**
   * Logarithm of the relative error in delta that the window, and the mass beyond the last cell,
   * may cause.
   */
  private static final double LOG_NEGLIGIBLE = Math.log(1e-7);

  private static final double MIN_LOG_DELTA = -600;

  private static final double MANY_STEPS = 30_000;

  /** Standard deviations to the left of the center beyond which only 1e-21 of the mass remains. */
  private static final double FAR = 9.5;

  /** Amount of work to invest. */
  enum Quality {
    /** Locates epsilon and delta roughly: a wide and coarse lattice. */
    COARSE(1 << 15, 100, 0.25, 6, 300_000),
    /** Computes the bracket itself. */
    FINE(1 << 20, 1600, 0.8, 2, 2_500_000),
    /** As {@link #FINE}, for rare losses that make the window long and the mesh coarse. */
    FINEST(1 << 22, 1600, 0.8, 2, 2_500_000);

    private final int maxSize;

    /** Meshes per standard deviation of one step, and cells per unit of log-distance. */
    private final double fineness;

    /** The window must serve epsilons down to this fraction of epsilon ... */
    private final double reach;

    /** ... or this many standard deviations below it, whichever is nearer. */
    private final double deviations;

    /** Largest number of terms in direct sums. */
    private final long maxTerms;

    Quality(int maxSize, double fineness, double reach, double deviations, long maxTerms) {
      this.maxSize = maxSize;
      this.fineness = fineness;
      this.reach = reach;
      this.deviations = deviations;
      this.maxTerms = maxTerms;
    }
  }

  /** A shape that occurs count times, with its relevant range of z. */
  record Part(LossShape shape, double count, double first, double last, boolean capped) {}

  /** Losses of a part at sample points, with their probabilities. */
  private record Samples(double count, double[] loss, double[] weight) {}

  private final List<LossShape> shapes;
  private final List<Double> counts;
  private final Quality quality;
  private final double epsilon;
  private final double logDelta;
  private double tilt;
  private double window;
  private double mesh;
  private final List<Part> parts = new ArrayList<>();
  private final List<Samples> samples = new ArrayList<>();

  private LatticePlan(
      List<LossShape> shapes,
      List<Double> counts,
      double epsilon,
      double logDelta,
      Quality quality) {
    this.shapes = shapes;
    this.counts = counts;
    this.quality = quality;
    this.epsilon = epsilon;
    this.logDelta = Math.max(MIN_LOG_DELTA, Math.min(logDelta, Math.log(0.5)));
    sample(epsilon + slack());
  }

  /** Creates a plan for a lattice that is accurate near (epsilon, delta), a point of the curve. */
  static LatticePlan of(
      List<LossShape> shapes, List<Double> counts, double epsilon, double delta, Quality quality) {
    LatticePlan plan = new LatticePlan(shapes, counts, epsilon, Math.log(delta), quality);
    plan.choose();
    return plan;
  }

  /** Estimates epsilon at a given delta by the saddle-point method; 0 if it is not positive. */
  static double epsilon(List<LossShape> shapes, List<Double> counts, double delta) {
    double cap = Double.POSITIVE_INFINITY;
    double log = Math.log(delta);
    for (int i = 0; i < 3; i++) { // later rounds use the range of losses that matters
      LatticePlan plan = new LatticePlan(shapes, counts, cap, log, Quality.COARSE);
      cap = Math.max(0, plan.saddleEpsilon(plan.solve(t -> plan.logDeltaAt(t) - log)));
    }
    return cap;
  }

  /** Estimates delta at a given epsilon by the saddle-point method. */
  static double delta(List<LossShape> shapes, List<Double> counts, double epsilon) {
    double log = MIN_LOG_DELTA;
    for (int i = 0; i < 3; i++) {
      LatticePlan plan = new LatticePlan(shapes, counts, epsilon, log, Quality.COARSE);
      log = plan.logDeltaAt(plan.solve(t -> epsilon - plan.saddleEpsilon(t)));
    }
    return Math.exp(Math.max(MIN_LOG_DELTA, Math.min(log, Math.log(0.5))));
  }

  double tilt() {
    return tilt;
  }

  double mesh() {
    return mesh;
  }

  /** Returns the number of lattice points in the window, a power of two. */
  int size() {
    return (int) Math.round(window / mesh);
  }

  double epsilon() {
    return epsilon;
  }

  List<Part> parts() {
    return parts;
  }

  /** Returns the layout of the i-th part on the lattice. */
  LatticeCells.Layout layout(int i) {
    Part part = parts.get(i);
    double[] moments = moments(samples.get(i), tilt);
    LossShape shape = part.shape;
    return new LatticeCells.Layout(
        mesh,
        tilt,
        moments[0],
        moments[1],
        shape.loss(shape.a() > 0.5 ? shape.kappa() : 0),
        part.first,
        part.last,
        part.capped,
        fineness());
  }

  /** Returns the distance above epsilon beyond which a single loss is effectively infinite. */
  private double slack() {
    double sum = -LOG_NEGLIGIBLE;
    for (int i = 0; i < shapes.size(); i++) {
      double q = Math.max(shapes.get(i).a(), shapes.get(i).b());
      sum -= q < 1 ? counts.get(i) * Math.log1p(-q) : Double.NEGATIVE_INFINITY;
    }
    return sum;
  }

  /** Determines the ranges of z for the current delta, and samples the losses there. */
  private void sample(double cap) {
    double total = counts.stream().mapToDouble(x -> x).sum();
    double lost = Math.exp(Math.max(-640, logDelta + LOG_NEGLIGIBLE - Math.log(total)));
    for (int i = 0; i < shapes.size(); i++) {
      LossShape shape = shapes.get(i);
      double first = shape.a() == 1 ? shape.kappa() - FAR : -FAR;
      double tail = tail(shape, lost);
      double last = Math.min(tail, Math.max(first + 1, shape.point(cap)));
      Part part = new Part(shape, counts.get(i), first, last, last < tail);
      parts.add(part);
      samples.add(samples(part));
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

  private static Samples samples(Part part) {
    int n = (int) Math.min(20_000, Math.max(300, 30 * (part.last - part.first)));
    double[] loss = new double[n + 1];
    double[] weight = new double[n + 1];
    double step = (part.last - part.first) / n;
    for (int i = 0; i < n; i++) {
      double z = part.first + (i + 0.5) * step;
      loss[i] = part.shape.loss(z);
      weight[i] = part.shape.mass(0, z - step / 2, step);
    }
    loss[n] = part.shape.loss(part.last); // high moments depend on the very end
    weight[n] = part.capped ? part.shape.massAbove(part.last) : weight[n - 1] / 2;
    double sum = DoubleStream.of(weight).sum();
    for (int i = 0; i <= n; i++) {
      weight[i] /= sum;
    }
    return new Samples(part.count, loss, weight);
  }

  /** Returns log E[e^(cL)], and mean and variance of L weighted by e^(cL). */
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

  /** Returns the epsilon whose saddle point is c. */
  private double saddleEpsilon(double c) {
    return moments(c)[1] - 1 / c - 1 / (c + 1);
  }

  /** Returns the saddle-point approximation of log delta at that epsilon. */
  private double logDeltaAt(double c) {
    double[] k = moments(c);
    double saddle = k[1] - 1 / c - 1 / (c + 1);
    double curvature = k[2] + 1 / (c * c) + 1 / ((c + 1) * (c + 1));
    return k[0] - c * saddle - Math.log(c * (c + 1)) - Math.log(2 * Math.PI * curvature) / 2;
  }

  /** Returns the c where a decreasing function changes sign. */
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
   * Chooses the smallest window such that the parts folded in from the left, e^(-c window), and
   * from the right are negligible. The left part shrinks with c and the right part grows.
   */
  private void choose() {
    double target = logDelta + LOG_NEGLIGIBLE;
    double part = quality.reach * epsilon;
    tilt = solve(c -> -target / c - rightWindow(c, part, target));
    double deviation = Math.sqrt(moments(tilt)[2]);
    double least = Math.max(part, epsilon - quality.deviations * deviation);
    tilt = solve(c -> -target / c - rightWindow(c, least, target));
    tilt = Math.max(tilt, solve(c -> noise(c) - logDelta - Math.log(1e-4)));
    window = 1.05 * Math.max(-target / tilt, rightWindow(tilt, least, target));
    double finest = epsilon / (4 * fineness()); // rare losses can be far larger than epsilon
    for (Samples s : samples) {
      finest = Math.min(finest, Math.sqrt(moments(s, tilt)[2]) / fineness());
    }
    int most = quality.maxSize / Integer.highestOneBit(parts.size()); // each part needs a transform
    double size = Math.min(Math.max(1 << 15, most), Math.max(1 << 10, 2 * window / finest));
    mesh = window / Integer.highestOneBit((int) size);
  }

  /**
   * Returns the fineness of the quality, reduced for many steps: these need sums with fewer
   * rounding errors, whose cost grows with the number of cells.
   */
  private double fineness() {
    return mostSteps() >= MANY_STEPS ? quality.fineness / 8 : quality.fineness;
  }

  private double mostSteps() {
    return counts.stream().mapToDouble(x -> x).max().orElse(1);
  }

  /**
   * Estimates the width of the bracket on epsilon, relative to epsilon. Rounding losses outward and
   * inward adds h^2/4 to the variance of each step between the two bounds, and epsilon gains half
   * the tilt for each unit of variance.
   */
  double expectedWidth() {
    double steps = counts.stream().mapToDouble(x -> x).sum();
    return steps * mesh * mesh * tilt / 8 / epsilon;
  }

  /**
   * Returns the number of terms to spend on direct sums: 0 unless the rounding errors of the
   * transform would matter.
   */
  long directTerms() {
    double most = mostSteps();
    double log = moments(tilt)[0] - tilt * epsilon - logDelta;
    boolean noisy = most >= 100 && log + Math.log(2e-14 * most) > Math.log(1e-6);
    return noisy ? quality.maxTerms : 0;
  }

  /**
   * Returns the logarithm of the rounding errors that direct sums leave, scaled back by the tilt.
   * It falls with c up to the saddle; beyond that, a larger c brings no improvement.
   */
  private double noise(double c) {
    double[] k = moments(c);
    return k[1] > epsilon ? Double.NEGATIVE_INFINITY : k[0] - c * epsilon + Math.log(1e-12);
  }

  private double rightWindow(double c, double least, double target) {
    double best = Double.POSITIVE_INFINITY;
    for (double factor = 1.0 / 16; factor < 100; factor *= 1.5) {
      double c2 = c * (1 + factor);
      best = Math.min(best, (moments(c2)[0] - c2 * least - target) / (c2 - c));
    }
    return best;
  }
}
