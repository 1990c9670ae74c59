package org.sordino.accounting;

import java.util.function.DoublePredicate;
import org.jspecify.annotations.Nullable;

/**
 * The privacy loss of one sampled step as a weighted set of points. The points form a trapezoid
 * rule in the released number x that integrates p(x) chi(x) e^(z loss(x)) for every complex tilt z
 * = c + it in a declared range, with proven error bounds.
 *
 * <p>With b(x) = 1-q + q e^v, v = (2x-1)/(2 sigma^2), the integrand is analytic in the strip |Im x|
 * &lt; pi sigma^2. Shifting the path of integration by i a bounds the error of the trapezoid rule
 * relative to the real integral at t = 0 by 2 e^-X / (1 - e^(-2 pi a / eta)),
 *
 * <pre>
 *   X = 2 pi a / eta - a^2/(2 sigma^2) - a^2/(2 w^2) - m |t| a / sigma^2 + kappa log cos(a / (2 sigma^2))
 * </pre>
 *
 * because |n(x+ia)| = n(x) e^(a^2/(2 sigma^2)), |b(x+ia)| is at most b(x) and at least b(x)
 * cos(a/(2 sigma^2)), 0 &lt;= arg b(x+ia) &lt;= a/sigma^2, and |chi(x+ia)| &lt;= chi(x) e^(a^2/(2
 * w^2)). (m = 1; for REPLACE 2. kappa = 0 for REMOVE, else c.) See Trefethen &amp; Weideman, SIAM
 * Review 56 (2014), theorem 5.1, for the rule.
 *
 * <p>Every array has one entry per point. docs/explanation/accounting.md derives all bounds used
 * here.
 */
final class LossQuadrature {

  private static final double U = Bracket.U;

  /**
   * The trapezoid rule's relative error, and the mass left outside the range, are below e^-this.
   */
  private static final double EXPONENT = 47;

  /** Outside this range of noise multipliers, the rule would need too many points. */
  private static final double LEAST_NOISE = 0.005;

  private static final double LARGEST_NOISE = 1e100;

  /** Largest number of points; steps that need more are left to the lattice. */
  static final int MAX_POINTS = 60_000;

  /**
   * A smooth cut of rare, huge losses: chi(x) = P(G w &gt; x - center) for a standard normal G. The
   * caller adds the cut mass to delta.
   */
  record Cutoff(double center, double width) {

    static final Cutoff NONE = new Cutoff(Double.POSITIVE_INFINITY, Double.POSITIVE_INFINITY);

    /**
     * Returns a cutoff that loses a mass of at most {@code mass} under p; {@link #lost} returns the
     * exact mass.
     */
    static Cutoff losing(double mass, double q, double sigma) {
      double low = 0;
      double high = 1;
      while (new Cutoff(high, sigma).lost(q, sigma) > mass) {
        high *= 2;
      }
      for (int i = 0; i < 30; i++) {
        double middle = 0.5 * (low + high);
        if (new Cutoff(middle, sigma).lost(q, sigma) > mass) {
          low = middle;
        } else {
          high = middle;
        }
      }
      return new Cutoff(high, sigma);
    }

    /**
     * Returns E[1 - chi] under p = (1-q) n_0 + q n_1: a normal tail, because 1 - chi is itself a
     * normal tail.
     */
    double lost(double q, double sigma) {
      return (1 - q) * lostAt(0, sigma) + q * lostAt(1, sigma);
    }

    /** Returns E[1 - chi] under the normal law of this mean. */
    double lostAt(double mean, double sigma) {
      return exists() ? Normal.tail((center - mean) / Math.hypot(sigma, width)) : 0;
    }

    boolean exists() {
      return center < Double.POSITIVE_INFINITY;
    }

    double logChi(double x) {
      return exists() ? Normal.logTail((x - center) / width) : 0;
    }

    /** Returns -chi'(x) / chi(x). */
    double hazard(double x) {
      return exists() ? 1 / (width * Normal.mills((x - center) / width)) : 0;
    }
  }

  /** A real tilt of the loss: its log moment K(c), and the mean and variance of the tilted loss. */
  record Tilt(double logMoment, double mean, double variance) {}

  /** A number and a bound on its absolute error. */
  record Approximate(double value, double error) {}

  final double q;
  final double sigma;
  final Direction direction;
  final Cutoff cutoff;
  final double eta;

  /** Shift of the path, over sigma^2, that bounds the error of the rule. */
  private final double theta;

  /** Logarithm of eta p chi and loss at each point, and bounds on their rounding errors. */
  final double[] logMass;

  final double[] loss;
  final double[] logMassError;
  final double[] lossError;

  /** P(record was drawn | x) under both data sets; the second is used for REPLACE only. */
  private final double[] drawn;

  private final double[] drawnOther;
  private final double first;

  private LossQuadrature(
      double q, double sigma, Direction direction, Cutoff cutoff, Shift shift, long from, long to) {
    this.q = q;
    this.sigma = sigma;
    this.direction = direction;
    this.cutoff = cutoff;
    this.eta = shift.spacing;
    this.theta = shift.theta;
    this.first = from * shift.spacing;
    int n = Math.toIntExact(to - from + 1);
    logMass = new double[n];
    loss = new double[n];
    logMassError = new double[n];
    lossError = new double[n];
    drawn = new double[n];
    drawnOther = new double[n];
    for (int j = 0; j < n; j++) {
      fill(j);
    }
  }

  /**
   * Creates a rule for tilts with 0 &lt; c &lt;= {@code maxTilt} and |t| &lt;= {@code
   * maxFrequency}.
   *
   * @return null if it would need more than {@link #MAX_POINTS} points or the noise is extreme
   */
  static @Nullable LossQuadrature of(
      Step step, Direction direction, Cutoff cutoff, double maxTilt, double maxFrequency) {
    double q = step.samplingRate();
    double sigma = step.noiseMultiplier();
    if (!(sigma >= LEAST_NOISE && sigma <= LARGEST_NOISE)) {
      return null;
    }
    Shift shift = Shift.best(sigma, direction, cutoff, maxTilt, maxFrequency);
    double eta = shift.spacing;
    Range range = new Range(q, sigma, direction, cutoff, maxTilt);
    double low = range.low();
    double high = range.high();
    if (!((high - low) / eta < MAX_POINTS)) {
      return null;
    }
    return new LossQuadrature(
        q,
        sigma,
        direction,
        cutoff,
        shift,
        (long) Math.floor(low / eta),
        (long) Math.ceil(high / eta));
  }

  int size() {
    return loss.length;
  }

  double x(int j) {
    return first + j * eta;
  }

  // ---------------------------------------------------------------- building

  private void fill(int j) {
    double x = x(j);
    LogRatio in = LogRatio.at((x - 0.5) / (sigma * sigma), q);
    drawn[j] = in.drawn;
    double scaled = x / sigma;
    double logNormal = Normal.logDensity(scaled) + Math.log(eta / sigma);
    double logChi = cutoff.logChi(x);
    double logP = logNormal + logChi;
    // x/sigma and its square: 3 roundings; the logs of normal density and chi: 4 more each.
    double error = U * (2 * scaled * scaled + 8 + 16 * Math.abs(logChi));
    switch (direction) {
      case REMOVE -> {
        loss[j] = in.log;
        lossError[j] = in.error;
      }
      case ADD -> {
        loss[j] = -in.log;
        lossError[j] = in.error;
      }
      case REPLACE -> {
        LogRatio out = LogRatio.at((-x - 0.5) / (sigma * sigma), q);
        drawnOther[j] = out.drawn;
        loss[j] = in.log - out.log;
        lossError[j] = in.error + out.error + U * Math.abs(loss[j]);
      }
    }
    if (direction != Direction.ADD) {
      logP += in.log;
      error += in.error;
    }
    logMass[j] = logP;
    logMassError[j] = error + 4 * U * Math.abs(logP);
  }

  /**
   * The logarithm of b at v, the posterior q e^v / b, and a bound on the error of the logarithm.
   */
  private record LogRatio(double log, double drawn, double error) {

    static LogRatio at(double v, double q) {
      double y = v < 600 ? q * Math.expm1(v) : Double.POSITIVE_INFINITY;
      double log;
      double relative; // error of b relative to b, in addition to that of v
      if (v >= 600) {
        log = v + Math.log(q + (1 - q) * Math.exp(-v));
        relative = 5 + Math.abs(v);
      } else if (y < -0.6) {
        log = Math.log((1 - q) + q * Math.exp(v)); // 1 - q is exact for q > 1/2
        relative = 5;
      } else {
        log = Math.log1p(y);
        relative = 3 * Math.abs(y) / (1 + y);
      }
      double drawn = Math.min(1, Math.exp(v + Math.log(q) - log));
      // v has 3 roundings, and d log b = drawn dv. log and log1p: one ulp, that is 2 U relative.
      return new LogRatio(log, drawn, U * (3 * Math.abs(v) * drawn + relative + 2 * Math.abs(log)));
    }
  }

  /** The shift of the path of integration, over sigma^2, and the spacing that it permits. */
  private record Shift(double theta, double spacing) {

    /**
     * Returns the widest spacing with an error bound of e^-EXPONENT at the largest tilt and
     * frequency.
     */
    static Shift best(
        double sigma, Direction direction, Cutoff cutoff, double maxTilt, double maxFrequency) {
      Shift best = new Shift(0, 0);
      double widest = Math.min(Math.PI, 2 * reach(sigma, direction, cutoff, maxTilt));
      for (int k = 1; k <= 40; k++) {
        double theta = widest * k / 41;
        double growth = growth(theta, sigma, direction, cutoff, maxTilt, maxFrequency);
        double spacing = 2 * Math.PI * theta * sigma * sigma / (EXPONENT + 1 + growth);
        if (spacing > best.spacing) {
          best = new Shift(theta, spacing);
        }
      }
      // Few mantissa bits, so that j * spacing is exact.
      int scale = 20 - Math.getExponent(best.spacing);
      return new Shift(best.theta, Math.scalb(Math.floor(Math.scalb(best.spacing, scale)), -scale));
    }
  }

  /** Returns the shift, over sigma^2, at which the quadratic terms of the growth reach EXPONENT. */
  private static double reach(double sigma, Direction direction, Cutoff cutoff, double c) {
    double chi = cutoff.exists() ? sigma * sigma / cutoff.width : 0;
    double inverse = direction == Direction.REMOVE ? 0 : c / 8;
    return Math.sqrt(EXPONENT / (0.5 * sigma * sigma + 0.5 * chi * chi + inverse));
  }

  /**
   * Returns the logarithm of a bound on the growth of the integrand's modulus on the path shifted
   * by theta sigma^2.
   */
  private static double growth(
      double theta, double sigma, Direction direction, Cutoff cutoff, double c, double t) {
    double a = theta * sigma * sigma;
    double normal = 0.5 * theta * theta * sigma * sigma;
    double chi = cutoff.exists() ? 0.5 * (a / cutoff.width) * (a / cutoff.width) : 0;
    double oscillation = (direction == Direction.REPLACE ? 2 : 1) * Math.abs(t) * theta;
    double inverse = direction == Direction.REMOVE ? 0 : -c * Math.log(Math.cos(theta / 2));
    return normal + chi + oscillation + inverse;
  }

  /**
   * Bounds the error of the trapezoid rule at c + it relative to the moment at c, including the
   * mass outside the range.
   */
  double quadratureError(double c, double t) {
    double fine = 2 * Math.PI * theta * sigma * sigma / eta;
    double log = growth(theta, sigma, direction, cutoff, c, t) - fine;
    return 2 * Math.exp(log) / -Math.expm1(-fine) + 2 * Math.exp(-EXPONENT);
  }

  /**
   * The range of integration. The integral outside is below e^-EXPONENT on either side, for all
   * tilts from -1 to c. Tilt -1 is the density of the other data set, which {@link #logMoment}
   * requires.
   */
  private record Range(double q, double sigma, Direction direction, Cutoff cutoff, double c) {

    private static final double LEAST_TILT = -1;

    /**
     * Returns the right end. A larger tilt moves mass toward larger losses. For ADD these are on
     * the left, so the smallest tilt is the worst case.
     */
    double high() {
      double tilt = direction == Direction.ADD ? LEAST_TILT : c;
      return search(sigma / 2, x -> outside(x, tilt, rightDecay(x), cutoff.logChi(x)));
    }

    double low() {
      double tilt = direction == Direction.ADD ? c : LEAST_TILT;
      return search(-sigma / 2, x -> outside(x, tilt, leftDecay(x), 0));
    }

    /**
     * Searches in growing strides and returns the first point at which {@code found} holds; NaN if
     * there is none within a reasonable distance.
     */
    private double search(double stride, DoublePredicate found) {
      double x = stride;
      for (int i = 0; i < 1500; i++) { // about 1e14 sigma
        if (found.test(x)) {
          return x;
        }
        x += stride;
        stride *= 1.02;
      }
      return Double.NaN;
    }

    /**
     * Returns whether the integral beyond x is negligible: there the integrand falls at least like
     * e^(-decay distance), so the integral is at most f(x)/decay.
     */
    private boolean outside(double x, double tilt, double decay, double logChi) {
      double log = Math.max(logIntegrand(x, tilt), logIntegrand(x, 0));
      return decay > 0 && log + logChi - Math.log(decay) < -EXPONENT;
    }

    private double logIntegrand(double x, double tilt) {
      double in = LogRatio.at((x - 0.5) / (sigma * sigma), q).log;
      double log = Normal.logDensity(x / sigma) - Math.log(sigma);
      return switch (direction) {
        case REMOVE -> log + (1 + tilt) * in;
        case ADD -> log - tilt * in;
        case REPLACE ->
            log + (1 + tilt) * in - tilt * LogRatio.at((-x - 0.5) / (sigma * sigma), q).log;
      };
    }

    /** Returns a lower bound on -d log f / dx for all larger x: the posteriors are at most 1. */
    private double rightDecay(double x) {
      double shift =
          switch (direction) {
            case REMOVE -> 1 + c;
            case ADD -> 1;
            case REPLACE -> 1 + 2 * c;
          };
      double cut = cutoff.exists() ? (x - cutoff.center) / (cutoff.width * cutoff.width) : 0;
      return (x - shift) / (sigma * sigma) + cut;
    }

    /** Returns a lower bound on d log f / dx for all smaller x; chi is at most 1 there. */
    private double leftDecay(double x) {
      double pull =
          switch (direction) {
            case REMOVE -> 0;
            case ADD -> c * LogRatio.at((x - 0.5) / (sigma * sigma), q).drawn;
            case REPLACE -> 1;
          };
      return (-x - pull) / (sigma * sigma);
    }
  }

  // ---------------------------------------------------------------- real tilts

  /** Returns log moment, mean and variance at a real tilt c, to plain floating-point accuracy. */
  Tilt tilt(double c) {
    double[] logs = new double[size()];
    double shift = tiltedLogMasses(c, logs);
    double sum = 0;
    double first = 0;
    double second = 0;
    for (int j = 0; j < logs.length; j++) {
      double w = Math.exp(logs[j] - shift);
      sum += w;
      first += w * loss[j];
      second += w * loss[j] * loss[j];
    }
    double mean = first / sum;
    return new Tilt(shift + Math.log(sum), mean, Math.max(0, second / sum - mean * mean));
  }

  /** Fills {@code logs} with the log masses tilted by c and returns the largest. */
  double tiltedLogMasses(double c, double[] logs) {
    double shift = Double.NEGATIVE_INFINITY;
    for (int j = 0; j < logs.length; j++) {
      logs[j] = logMass[j] + c * loss[j];
      shift = Math.max(shift, logs[j]);
    }
    return shift;
  }

  /**
   * Returns K(c) = log E[chi e^(c loss)] with a bound on its error, without cancellation even if
   * K(c) is tiny.
   *
   * <p>E[e^-loss - 1] = 0 under p, so E[e^(c loss)] = 1 + E[gap] with gap(c, l) = e^(cl) - 1 +
   * c(e^-l - 1) &gt;= 0. The cut removes E[(1-chi)(1 + c(1 - e^-loss))], which has a closed form.
   */
  Approximate logMoment(double c) {
    double[] logs = new double[size()];
    double shift = 0;
    for (int j = 0; j < logs.length; j++) {
      logs[j] = logMass[j] + logGap(c, loss[j]);
      shift = Math.max(shift, logs[j]);
    }
    double sum = 0;
    double carry = 0;
    double error = 0;
    for (int j = 0; j < logs.length; j++) {
      double term = Math.exp(logs[j] - shift);
      double next = sum + (term - carry); // Kahan: 2 U relative for terms of one sign
      carry = (next - sum) - (term - carry);
      sum = next;
      error += term * (logMassError[j] + 16 * U) + gapError(c, j, shift);
    }
    return shift > 0 ? large(c, shift, sum, error) : small(c, sum, error);
  }

  private Approximate small(double c, double gap, double error) {
    double cut = cutMoment(c);
    double moment = 1 + gap - cut;
    double total = error + 4 * U * gap + 1e-12 * cut + 2 * (1 + c) * quadratureError(c, 0) * moment;
    return new Approximate(Math.log1p(gap - cut), 1.01 * total / moment + 2 * U * gap);
  }

  private Approximate large(double c, double shift, double sum, double error) {
    double log = shift + Math.log(sum + Math.exp(-shift) * (1 - cutMoment(c)));
    double total = error / sum + 2 * (1 + c) * quadratureError(c, 0) + 8 * U;
    return new Approximate(log, 1.01 * total + 4 * U * Math.abs(log) + 4 * U * shift);
  }

  private double cutMoment(double c) {
    return lost() + c * (lost() - lostUnderOther());
  }

  /** Returns E[1 - chi] under p. */
  double lost() {
    return cutoff.lost(q, sigma);
  }

  /** Returns E[1 - chi] under the density of the other data set. */
  double lostUnderOther() {
    return direction == Direction.REPLACE
        ? (1 - q) * cutoff.lostAt(0, sigma) + q * cutoff.lostAt(-1, sigma)
        : cutoff.lostAt(0, sigma);
  }

  /**
   * Returns the effect of an error of the loss on mass * gap, over e^shift: d gap / d l = c (e^(cl)
   * - e^-l).
   */
  private double gapError(double c, int j, double shift) {
    double up = Math.exp(logMass[j] + c * loss[j] - shift);
    double down = Math.exp(logMass[j] - loss[j] - shift);
    double slope = Math.abs(up - down) + U * (up + down) * (8 + c * Math.abs(loss[j]));
    return c * slope * lossError[j] * 1.01;
  }

  /** Returns the logarithm of gap(c, l) = expm1(c l) + c expm1(-l), to about 12 U. */
  static double logGap(double c, double l) {
    if (Math.max(1, c) * Math.abs(l) < 0.5) {
      return Math.log(gapSeries(c, l));
    }
    if (c * l > 600) {
      return c * l;
    }
    if (-l > 600) {
      return Math.log(c) - l;
    }
    return Math.log(Math.expm1(c * l) + c * Math.expm1(-l));
  }

  /**
   * Returns sum_{k>=2} (c^k + c (-1)^k) l^k / k!; the second order dominates, so nothing cancels.
   */
  private static double gapSeries(double c, double l) {
    double up = c * l;
    double down = -c * l;
    double sum = 0;
    for (int k = 2; k <= 17; k++) {
      up *= c * l / k;
      down *= -l / k;
      sum += up + down;
    }
    return sum;
  }

  // ---------------------------------------------------------------- decay

  /**
   * Returns an upper bound on |E[chi e^((c+is) loss)]| / E[chi e^(c loss)] for <em>every</em> s
   * &gt;= t.
   *
   * <p>On the path shifted by i a the factor e^(is loss) shrinks by e^(-s arg), arg &gt;= 0, which
   * falls with s, so the bound at t holds for all larger s. theta = a/sigma^2 is kept at most pi/2,
   * where the integrand of the bound itself is analytic in a strip of half-width pi sigma^2 / 2 and
   * not larger there.
   */
  double decay(double c, double t, double[] tiltedMass) {
    double best = 1;
    double limit = Math.min(Math.PI / 2, reach(sigma, direction, cutoff, c));
    double guess = Math.min(limit, t * meanDrawn(tiltedMass) / (sigma * sigma));
    for (double factor : new double[] {0.5, 0.75, 1, 1.4, 2, 4, 16}) {
      double theta = Math.min(limit, guess * factor);
      best = Math.min(best, decayAt(theta, c, t, tiltedMass));
      if (theta == limit) {
        break;
      }
    }
    return best;
  }

  private double meanDrawn(double[] mass) {
    double mean = 0;
    for (int j = 0; j < mass.length; j++) {
      mean += mass[j] * (drawn[j] + drawnOther[j]);
    }
    return mean;
  }

  private double decayAt(double theta, double c, double t, double[] mass) {
    double a = theta * sigma * sigma;
    double sinHalf = Math.sin(theta / 2);
    double sin = Math.sin(theta);
    double power = direction == Direction.ADD ? -c : 1 + c;
    double edge = cutoff.exists() ? a * Math.exp(0.5 * (a / cutoff.width) * (a / cutoff.width)) : 0;
    double sum = 0;
    double still = 0;
    for (int j = 0; j < mass.length; j++) {
      if (mass[j] == 0) {
        continue;
      }
      double chi = edge == 0 ? 1 : 1 + edge * cutoff.hazard(x(j));
      double log = power * logModulus(drawn[j], sinHalf) - t * argument(drawn[j], sin, sinHalf);
      if (direction == Direction.REPLACE) {
        log += -c * logModulus(drawnOther[j], sinHalf) - t * argument(drawnOther[j], sin, sinHalf);
      }
      sum += mass[j] * chi * Math.exp(log);
      still += mass[j] * chi;
    }
    double normal = Math.exp(0.5 * theta * theta * sigma * sigma);
    // Beyond the grid lies a mass of 2 e^-EXPONENT, with the largest factors that it can have.
    double inverse = direction == Direction.REMOVE ? 1 : Math.pow(Math.cos(theta / 2), -c);
    double last = edge == 0 ? 0 : edge * cutoff.hazard(x(size() - 1));
    double outside = 4 * Math.exp(-EXPONENT) * inverse * (1 + last);
    // 1e-10 covers rounding: at most 60,000 terms in two sums, exponents below 700, 4 U each.
    return normal * (sum * (1 + 1e-10) + still * decayQuadratureError(theta, c) + outside);
  }

  /** Returns log |1 - p + p e^(i theta)|. */
  private static double logModulus(double p, double sinHalf) {
    return 0.5 * Math.log1p(-4 * p * (1 - p) * sinHalf * sinHalf);
  }

  /** Returns arg(1 - p + p e^(i theta)). */
  private static double argument(double p, double sin, double sinHalf) {
    return Math.atan2(p * sin, 1 - 2 * p * sinHalf * sinHalf);
  }

  private double decayQuadratureError(double theta, double c) {
    double best = Double.POSITIVE_INFINITY;
    double limit = Math.min(Math.PI / 2, reach(sigma, direction, cutoff, c));
    for (int k = 1; k <= 8; k++) {
      double shift = limit * k / 8;
      double fine = 2 * Math.PI * shift * sigma * sigma / eta;
      double inverse =
          direction == Direction.REMOVE ? 0 : -c * Math.log(Math.cos((shift + theta) / 2));
      double log = growth(shift, sigma, Direction.REMOVE, cutoff, c, 0) + inverse - fine;
      best = Math.min(best, 2 * Math.exp(log) / -Math.expm1(-fine));
    }
    return best;
  }
}
