package org.sordino.accounting;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.sordino.accounting.LossQuadrature.Approximate;
import org.sordino.accounting.LossQuadrature.Cutoff;
import org.sordino.accounting.LossQuadrature.Tilt;

/**
 * The fast exact method. With M the moment generating function of the composed privacy loss,
 *
 * <pre>
 *   delta(epsilon) = 1/(2 pi i)  integral over Re z = c of  e^(-epsilon z) M(z) / (z (z+1)) dz,
 * </pre>
 *
 * where M is a product of powers of single-step moments, each a {@link LossQuadrature}. The line
 * passes near the saddle point, where the integrand is a narrow bump, so the trapezoid rule with a
 * few dozen nodes gives about twelve digits. Each error has a bound, and the bounds add up to the
 * bracket:
 *
 * <ul>
 *   <li>spacing of the nodes, 2 pi / W: the rule yields the sum over all integers k of e^(c k W)
 *       delta(epsilon + k W), which can only overestimate (Poisson summation);
 *   <li>omitted nodes beyond the last: {@link LossQuadrature#decay};
 *   <li>single-step moments: {@link LossQuadrature#quadratureError};
 *   <li>rare, huge losses that are cut off: the cut mass is added to the upper end;
 *   <li>rounding: a running bound on each node ({@link StepMoment}).
 * </ul>
 *
 * <p>docs/explanation/accounting.md contains the derivations. Zhu, Dong &amp; Wang
 * (arXiv:2106.08567) introduced the integral of the characteristic function, and Alghamdi et al.
 * (arXiv:2208.09595) the saddle point.
 */
final class Contour implements DeltaCurve {

  private static final double U = Bracket.U;

  /** Logarithm of the target size of each deliberate error, relative to delta. */
  private static final double LOG_TOLERANCE = -31;

  /** Mass cut off, relative to delta: a hundredth of what would affect the twelfth digit. */
  private static final double CUT = 1e-13;

  /** Below this, doubles lose digits that relative error bounds rely on. */
  private static final double UNDERFLOW = 1e-300;

  /** Scale of delta for cutting off losses while delta is unknown. */
  private static final double SMALL_DELTA = 1e-20;

  /** Nodes times points beyond which the lattice is no slower. */
  private static final double MAX_WORK = 2e6;

  private final double c;
  private final double window;
  private final double cutMass;

  /** Number of distinct steps; a sum over them has this many roundings. */
  private final int parts;

  private final double logTruncated;
  private final double aliasTilt;
  private final double aliasLogMoment;
  private final double estimate;

  /** Scale of the integrand on the line; its exact value does not matter. */
  private double logMoment;

  /** Modulus and phase of the integrand at each node, over its scale and without e^(-epsilon z). */
  private final double[] modulus;

  private final double[] phase;

  /** Bound on the error of the integrand at each node. */
  private final double[] error;

  private Contour(Plan plan, int nodes, double logTruncated) {
    this.c = plan.c;
    this.window = plan.window;
    this.logTruncated = logTruncated;
    this.aliasTilt = plan.aliasTilt;
    this.estimate = plan.epsilon;
    this.cutMass = plan.composite.cutMass;
    this.parts = plan.steps.size();
    Approximate alias = plan.composite.logMoment(aliasTilt);
    this.aliasLogMoment = alias.value() + alias.error();
    this.modulus = new double[nodes];
    this.phase = new double[nodes];
    this.error = new double[nodes];
  }

  /**
   * Prepares a contour for the epsilon at which delta is {@code delta}.
   *
   * @param steps sampled or plain steps with noise
   * @return null if this method cannot certify an answer at reasonable cost
   */
  static @Nullable Contour forDelta(List<Step> steps, Direction direction, double delta) {
    Plan plan = Plan.of(steps, direction, delta, Double.NaN);
    return plan == null ? null : plan.contour();
  }

  /** Prepares a contour for delta at {@code epsilon}; null as for {@link #forDelta}. */
  static @Nullable Contour forEpsilon(List<Step> steps, Direction direction, double epsilon) {
    Plan rough = Plan.of(steps, direction, SMALL_DELTA, epsilon);
    return rough == null ? null : forEpsilon(steps, direction, epsilon, Math.exp(rough.logDelta));
  }

  /** As above, given a rough value of delta. */
  static @Nullable Contour forEpsilon(
      List<Step> steps, Direction direction, double epsilon, double delta) {
    Plan plan = Plan.of(steps, direction, Math.min(0.5, Math.max(1e-290, delta)), epsilon);
    return plan == null ? null : plan.contour();
  }

  /** Returns the epsilon, approximately, for which this curve was prepared. */
  double estimate() {
    return estimate;
  }

  @Override
  public Bracket delta(double epsilon) {
    double exponent = logMoment - c * epsilon;
    double sum = 0;
    double sumError = 0;
    double absolute = 0;
    for (int k = 0; k < modulus.length; k++) {
      double t = 2 * Math.PI * k / window;
      double weight = (k == 0 ? 1 : 2) * modulus[k];
      double turn = t * epsilon;
      sum += weight * Math.cos(phase[k] - turn);
      // t and turn carry 4 roundings each, the phase 1, the cosine 1, the sum one per node.
      double angle = U * (6 * turn + 2 * Math.abs(phase[k]) + 4);
      sumError += (k == 0 ? 1 : 2) * (error[k] + modulus[k] * angle);
      absolute += weight;
    }
    sumError += absolute * U * (modulus.length + 8);
    double scale = Math.exp(exponent) / window;
    double relative =
        U * ((4 + parts) * Math.abs(logMoment) + 4 * c * epsilon + 2 * Math.abs(exponent) + 8);
    double truncated = Math.exp(exponent + logTruncated);
    double slack =
        1.001 * (scale * (sumError + (Math.abs(sum) + sumError) * Math.expm1(relative)) + truncated)
            + UNDERFLOW;
    if (!(slack < Double.POSITIVE_INFINITY)) { // too far from the epsilon of this line
      return new Bracket(0, 1, Bracket.Method.CONTOUR);
    }
    double center = scale * sum;
    double lower = Math.max(0, center - slack - alias(epsilon));
    double upper = Math.min(1, (center + slack + cutMass) * (1 + 4 * U));
    return new Bracket(lower, upper, Bracket.Method.CONTOUR);
  }

  /**
   * Bounds the overestimate of the trapezoid rule: the windows to the left plus those to the right.
   */
  private double alias(double epsilon) {
    double left = Math.exp(-c * window) / -Math.expm1(-c * window);
    double fall = (aliasTilt - c) * window;
    double right = Math.exp(aliasLogMoment - aliasTilt * epsilon - fall) / -Math.expm1(-fall);
    return 1.001 * (left + right);
  }

  private void evaluate(Composite composite) {
    List<StepMoment> moments = new ArrayList<>();
    double scale = 0;
    for (int i = 0; i < composite.quadratures.size(); i++) {
      StepMoment moment = new StepMoment(composite.quadratures.get(i), c);
      moments.add(moment);
      moment.at(0);
      scale += composite.counts.get(i) * moment.log;
    }
    logMoment = scale + composite.gaussian * c * (c + 1) / 2;
    for (int k = 0; k < modulus.length; k++) {
      double t = 2 * Math.PI * k / window;
      double log = -0.5 * composite.gaussian * t * t - 0.5 * Math.log(c * c + t * t);
      log -= 0.5 * Math.log((c + 1) * (c + 1) + t * t) + scale;
      double turn = composite.gaussian * (c + 0.5) * t - Math.atan2(t, c) - Math.atan2(t, c + 1);
      double logError = 0;
      double absolute = Math.abs(log) + Math.abs(turn) + composite.gaussian * t * (t + c + 1);
      for (int i = 0; i < moments.size(); i++) {
        StepMoment moment = moments.get(i);
        double count = composite.counts.get(i);
        moment.at(t);
        log += count * moment.log;
        turn += count * moment.turn;
        logError += count * Math.log1p(moment.error);
        absolute += count * (Math.abs(moment.log) + Math.abs(moment.turn));
      }
      modulus[k] = Math.exp(log);
      phase[k] = turn;
      double rounding = modulus[k] * U * ((8 + parts) * (absolute + Math.abs(scale)) + 8);
      error[k] =
          rounding + (logError < 1 ? modulus[k] * Math.expm1(logError) : Math.exp(log + logError));
    }
  }

  /** A product of steps, whose log moments and tilted means and variances add up. */
  private static final class Composite {

    final List<LossQuadrature> quadratures = new ArrayList<>();
    final List<Long> counts = new ArrayList<>();

    /** mu^2 of all plain Gaussians together; their loss is normal with mean mu^2/2. */
    final double gaussian;

    private double cutMass;

    private Composite(double gaussian) {
      this.gaussian = gaussian;
    }

    /** Returns null if some step would need too many points. */
    static @Nullable Composite of(
        List<Step> steps, Direction direction, double cut, double maxTilt, double maxFrequency) {
      double gaussian = 0;
      for (Step step : steps) {
        if (step.samplingRate() == 1) {
          gaussian += step.count() / (step.noiseMultiplier() * step.noiseMultiplier());
        }
      }
      Composite composite = new Composite(direction == Direction.REPLACE ? 4 * gaussian : gaussian);
      for (Step step : steps) {
        if (step.samplingRate() < 1
            && !composite.add(step, direction, cut, maxTilt, maxFrequency, steps.size())) {
          return null;
        }
      }
      return composite;
    }

    private boolean add(
        Step step,
        Direction direction,
        double cut,
        double maxTilt,
        double maxFrequency,
        int parts) {
      double q = step.samplingRate();
      double sigma = step.noiseMultiplier();
      Cutoff cutoff =
          direction == Direction.ADD
              ? Cutoff.NONE
              : Cutoff.losing(cut / parts / step.count(), q, sigma);
      LossQuadrature quadrature = LossQuadrature.of(step, direction, cutoff, maxTilt, maxFrequency);
      if (quadrature == null) {
        return false;
      }
      quadratures.add(quadrature);
      counts.add(step.count());
      cutMass += step.count() * cutoff.lost(q, sigma) * (1 + 1e-12);
      return true;
    }

    Tilt tilt(double c) {
      double log = gaussian * c * (c + 1) / 2;
      double mean = gaussian * (c + 0.5);
      double variance = gaussian;
      for (int i = 0; i < quadratures.size(); i++) {
        Tilt tilt = quadratures.get(i).tilt(c);
        log += counts.get(i) * tilt.logMoment();
        mean += counts.get(i) * tilt.mean();
        variance += counts.get(i) * tilt.variance();
      }
      return new Tilt(log, mean, variance);
    }

    Approximate logMoment(double c) {
      double value = gaussian * c * (c + 1) / 2;
      double error = 4 * U * value;
      for (int i = 0; i < quadratures.size(); i++) {
        Approximate step = quadratures.get(i).logMoment(c);
        value += counts.get(i) * step.value();
        error += counts.get(i) * (step.error() + 2 * U * Math.abs(step.value()));
      }
      return new Approximate(value, error + U * counts.size() * Math.abs(value));
    }

    /** Returns the logarithm of a bound on |M(c + is)| / M(c) for all s &gt;= t. */
    double logDecay(double c, double t, List<double[]> masses) {
      double log = -0.5 * gaussian * t * t;
      for (int i = 0; i < quadratures.size(); i++) {
        log += counts.get(i) * Math.log(quadratures.get(i).decay(c, t, masses.get(i)));
      }
      return log;
    }

    List<double[]> tiltedMasses(double c) {
      List<double[]> masses = new ArrayList<>();
      for (LossQuadrature quadrature : quadratures) {
        double[] logs = new double[quadrature.size()];
        double shift = quadrature.tiltedLogMasses(c, logs);
        double total = 0;
        for (double l : logs) {
          total += Math.exp(l - shift);
        }
        for (int j = 0; j < logs.length; j++) {
          logs[j] = Math.exp(logs[j] - shift) / total;
        }
        masses.add(logs);
      }
      return masses;
    }

    int points() {
      return quadratures.stream().mapToInt(LossQuadrature::size).sum();
    }
  }

  /**
   * Chooses the line, its length and the spacing of its nodes. None of this needs to be rigorous.
   */
  private static final class Plan {

    /** Candidates for the line and for the tilt of the alias bound, relative to the saddle. */
    private static final double[] FACTORS = {
      0.5, 0.6, 0.7, 0.78, 0.84, 0.88, 0.92, 0.95, 0.98, 1, 1.03, 1.06, 1.1, 1.15, 1.25, 1.5, 2, 3,
      4
    };

    /** Logarithm of how far the integrand may exceed delta. A larger excess loses digits. */
    private static final double MAX_LOG_CONDITION = 6;

    private final List<Step> steps;
    private final Direction direction;
    private final double cut;
    private final Composite composite;
    private final double epsilon;
    private final double logDelta;

    /** The line, the tilt of the alias bound, and the window that both require. */
    private double c;

    private double aliasTilt;
    private double window = Double.POSITIVE_INFINITY;

    private Plan(
        List<Step> steps,
        Direction direction,
        double cut,
        Composite composite,
        double epsilon,
        double logDelta) {
      this.steps = steps;
      this.direction = direction;
      this.cut = cut;
      this.composite = composite;
      this.epsilon = epsilon;
      this.logDelta = logDelta;
    }

    static @Nullable Plan of(
        List<Step> steps, Direction direction, double deltaScale, double epsilon) {
      double cut = deltaScale * CUT;
      double tilt = firstTilt(steps, direction, deltaScale);
      for (int attempt = 0; attempt < 12; attempt++) {
        Composite composite = Composite.of(steps, direction, cut, 8 * tilt, 0);
        if (composite == null) {
          return null;
        }
        double c = saddle(composite, 2 * tilt, Math.log(deltaScale), epsilon);
        if (c < 1.9 * tilt) {
          Tilt at = composite.tilt(c);
          double target = Double.isNaN(epsilon) ? Math.max(0, impliedEpsilon(at, c)) : epsilon;
          double logDelta =
              deltaScale == SMALL_DELTA ? logDelta(at, c, target) : Math.log(deltaScale);
          Plan plan = new Plan(steps, direction, cut, composite, target, logDelta);
          plan.chooseLine(c);
          return plan;
        }
        tilt *= 4;
      }
      return null;
    }

    /**
     * Returns the saddle for a normal loss with a variance on the small side, but not far beyond
     * the tilt 2 sigma^2 log(1/q): from there on the rare losses of drawn records outweigh all
     * others.
     */
    private static double firstTilt(List<Step> steps, Direction direction, double delta) {
      double variance = 0;
      double highest = Double.POSITIVE_INFINITY;
      for (Step step : steps) {
        double ratio = step.samplingRate() / step.noiseMultiplier();
        variance += step.count() * ratio * ratio;
        if (direction != Direction.ADD && step.samplingRate() < 1) {
          double sigma = step.noiseMultiplier();
          highest = Math.min(highest, 1 - 4 * sigma * sigma * Math.log(step.samplingRate()));
        }
      }
      return Math.min(highest, (1 + Math.sqrt(-2 * Math.log(delta))) / Math.sqrt(variance));
    }

    /** Finds the tilt at which the integrand is smallest on the real axis, by bisection. */
    private static double saddle(
        Composite composite, double highest, double logDelta, double epsilon) {
      double low = Math.log(highest) - 20;
      double high = Math.log(highest);
      for (int i = 0; i < 16; i++) {
        double middle = 0.5 * (low + high);
        double c = Math.exp(middle);
        Tilt tilt = composite.tilt(c);
        double implied = impliedEpsilon(tilt, c);
        boolean below =
            Double.isNaN(epsilon)
                ? implied < 0 || logDelta(tilt, c, implied) > logDelta
                : implied < epsilon;
        if (below) {
          low = middle;
        } else {
          high = middle;
        }
      }
      return Math.exp(high);
    }

    /** Returns the epsilon whose saddle is at c. */
    private static double impliedEpsilon(Tilt tilt, double c) {
      return tilt.mean() - 1 / c - 1 / (c + 1);
    }

    /** Returns the saddle-point estimate of log delta. */
    private static double logDelta(Tilt tilt, double c, double epsilon) {
      double curvature = tilt.variance() + 1 / (c * c) + 1 / ((c + 1) * (c + 1));
      return tilt.logMoment()
          - c * epsilon
          - Math.log(c * (c + 1))
          - 0.5 * Math.log(2 * Math.PI * curvature);
    }

    /**
     * Chooses the line with the smallest window: moving it left costs conditioning, moving it right
     * costs aliasing.
     */
    private void chooseLine(double saddle) {
      double[] scales = new double[FACTORS.length];
      double[] sizes = new double[FACTORS.length];
      for (int i = 0; i < scales.length; i++) {
        double tilt = FACTORS[i] * saddle;
        Tilt at = composite.tilt(tilt);
        scales[i] = at.logMoment() - tilt * epsilon;
        sizes[i] = logDelta(at, tilt, epsilon);
      }
      double allowed = logDelta + LOG_TOLERANCE;
      for (int i = 0; i < scales.length; i++) {
        double line = FACTORS[i] * saddle;
        if (sizes[i] > logDelta + MAX_LOG_CONDITION) {
          continue;
        }
        for (int j = i + 1; j < scales.length; j++) {
          double right = (scales[j] - allowed) / ((FACTORS[j] - FACTORS[i]) * saddle);
          double needed = Math.max(right, -allowed / line);
          if (needed < window) {
            window = needed;
            c = line;
            aliasTilt = FACTORS[j] * saddle;
          }
        }
      }
    }

    @Nullable Contour contour() {
      if (!(window < Double.POSITIVE_INFINITY)) {
        return null;
      }
      Tilt tilt = composite.tilt(c);
      double allowed = logDelta + LOG_TOLERANCE - (tilt.logMoment() - c * epsilon);
      List<double[]> masses = composite.tiltedMasses(c);
      double t = 0.8 * Math.sqrt(-2 * allowed / tilt.variance());
      double logTail = tail(t, masses);
      while (logTail > allowed) {
        t *= 1.2;
        if (!(t * window / (2 * Math.PI) * composite.points() < MAX_WORK)) {
          return null;
        }
        logTail = tail(t, masses);
      }
      double nodes = Math.floor(t * window / (2 * Math.PI)) + 1;
      Composite fine = Composite.of(steps, direction, cut, aliasTilt, t);
      if (fine == null || !(nodes * fine.points() < MAX_WORK)) {
        return null;
      }
      Contour contour = new Contour(this, (int) nodes, logTail);
      contour.evaluate(fine);
      return contour;
    }

    /**
     * Returns the logarithm of a bound on the sum of all nodes beyond t, over the integrand's
     * scale. With h the spacing and |z (z+1)| >= t^2, the sum of h/t^2 over these nodes is at most
     * h/t^2 + 1/t.
     */
    private double tail(double t, List<double[]> masses) {
      double sum = (1 + 2 * Math.PI / (window * t)) / (Math.PI * t);
      return composite.logDecay(c, t, masses) + Math.log(sum);
    }
  }
}
