package org.sordino.accounting;

/**
 * The moment M(z) = E[chi e^(z loss)] of one step at complex tilts z = c + it on one line, with
 * nearly full relative precision of log M.
 *
 * <p>M is raised to the power of T, so the error of M - 1 matters. Since E[e^-loss] = 1 under p,
 *
 * <pre>
 *   M(z) = 1 + E[gap(z, loss)] - (cut),   gap(z, l) = e^(zl) - 1 + z (e^-l - 1) = z (z+1) l^2/2 + ...
 * </pre>
 *
 * and the gap has no first-order term. The rounding error is therefore T u E|z l|^2, about u times
 * the exponent, instead of T u E|z l|, which grows with the square root of T.
 */
final class StepMoment {

  private static final double U = Bracket.U;

  /** The series is used below this |z l| and |l|. */
  private static final double SMALL = 0.5;

  private final LossQuadrature quadrature;
  private final double c;
  private final double shift;

  /**
   * For each point, over e^shift: the mass, the mass tilted by c, and the mass times e^-loss - 1.
   */
  private final double[] mass;

  private final double[] tilted;
  private final double[] other;
  private final double moment;

  /** Values at the last t: log |M|, arg M, and a bound on the error relative to |M|. */
  double log;

  double turn;
  double error;

  StepMoment(LossQuadrature quadrature, double c) {
    this.quadrature = quadrature;
    this.c = c;
    int n = quadrature.size();
    tilted = new double[n];
    mass = new double[n];
    other = new double[n];
    shift = Math.max(0, quadrature.tiltedLogMasses(c, tilted));
    double sum = 0;
    for (int j = 0; j < n; j++) {
      double l = quadrature.loss[j];
      double logMass = quadrature.logMass[j] - shift;
      tilted[j] = Math.exp(tilted[j] - shift);
      mass[j] = Math.exp(logMass);
      other[j] = l < -30 ? Math.exp(logMass - l) - mass[j] : mass[j] * Math.expm1(-l);
      sum += tilted[j];
    }
    moment = 1.01 * sum;
  }

  /** Evaluates the moment at c + it, t &gt;= 0. */
  void at(double t) {
    double z = Math.hypot(c, t);
    double square = z * Math.hypot(c + 1, t);
    double re = 0;
    double im = 0;
    double reCarry = 0;
    double imCarry = 0;
    double bound = 0;
    double[] gap = new double[2];
    for (int j = 0; j < mass.length; j++) {
      double l = quadrature.loss[j];
      double size = Math.abs(l);
      if (z * size < SMALL && size < SMALL) {
        series(t, l, gap);
        gap[0] *= mass[j];
        gap[1] *= mass[j];
        // |gap| < |z (z+1)| l^2 and |gap'| < 1.7 |z (z+1) l| here; 13 terms of 6 roundings each,
        // which fall by 1/6 or more, and the rest of the series below u.
        bound +=
            mass[j]
                * square
                * (size * size * (24 * U + quadrature.logMassError[j])
                    + 1.7 * size * quadrature.lossError[j]);
      } else {
        double angle = t * l;
        gap[0] = tilted[j] * Math.cos(angle) - mass[j] + c * other[j];
        gap[1] = tilted[j] * Math.sin(angle) + t * other[j];
        double parts = tilted[j] + mass[j] + z * Math.abs(other[j]);
        // Exponents have one rounding each plus their size; |gap'| <= |z| (e^(cl) + e^-l).
        bound +=
            parts * (quadrature.logMassError[j] + U * (12 + 4 * (c + t) * size + 2 * shift))
                + z * (tilted[j] + mass[j] + Math.abs(other[j])) * quadrature.lossError[j];
      }
      double termRe = gap[0] - reCarry;
      double nextRe = re + termRe;
      reCarry = (nextRe - re) - termRe;
      re = nextRe;
      double termIm = gap[1] - imCarry;
      double nextIm = im + termIm;
      imCarry = (nextIm - im) - termIm;
      im = nextIm;
    }
    finish(t, z, re, im, bound);
  }

  /** Adds 1, subtracts what the cut removes, and converts the sum to modulus, phase and error. */
  private void finish(double t, double z, double gapRe, double gapIm, double bound) {
    double one = Math.exp(-shift);
    double lost = quadrature.lost();
    double difference = lost - quadrature.lostUnderOther();
    double re = gapRe - one * (lost + c * difference); // M - 1, over e^shift
    double im = gapIm - one * t * difference;
    double absolute =
        1.01 * bound
            + 4 * U * (Math.abs(gapRe) + Math.abs(gapIm))
            + 1e-12 * one * (lost + z * (lost + Math.abs(difference)))
            + 2 * (1 + z) * quadrature.quadratureError(c, t) * moment
            + (shift > 0 ? 4 * U * (one + Math.abs(re) + Math.abs(im)) : 0);
    double modulus = Math.hypot(one + re, im);
    turn = Math.atan2(im, one + re);
    if (!(modulus > absolute)) { // only its size is known: treat all of it as error
      log = shift + Math.log(absolute);
      error = 2;
      return;
    }
    boolean nearOne = shift == 0 && re > -SMALL;
    log = nearOne ? 0.5 * Math.log1p(2 * re + re * re + im * im) : shift + Math.log(modulus);
    error =
        absolute / modulus + 8 * U * (nearOne ? Math.abs(re) + Math.abs(im) : 1 + Math.abs(log));
  }

  /** Computes the real and imaginary parts of sum_{k>=2} (z^k + z (-1)^k) l^k / k!. */
  private void series(double t, double l, double[] sum) {
    double stepRe = c * l;
    double stepIm = t * l;
    double upRe = stepRe;
    double upIm = stepIm;
    double down = -l;
    double re = 0;
    double im = 0;
    for (int k = 2; k <= 14; k++) {
      double next = (upRe * stepRe - upIm * stepIm) / k;
      upIm = (upRe * stepIm + upIm * stepRe) / k;
      upRe = next;
      down *= -l / k;
      re += upRe + c * down;
      im += upIm + t * down;
    }
    sum[0] = re;
    sum[1] = im;
  }
}
