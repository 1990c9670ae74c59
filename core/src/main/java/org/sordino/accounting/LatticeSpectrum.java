package org.sordino.accounting;

/**
 * The characteristic functions of both bounds of a {@link Lattice}, multiplied over the steps and
 * then turned into tables of delta. Two real sequences share each complex transform: the upper
 * bound is its real part and the lower bound its imaginary part.
 */
final class LatticeSpectrum {

  private static final double U = Bracket.U;

  /**
   * Powers below e^-60 are dropped and count as an error. The computed power may itself be off by
   * up to a factor of e^2 for each part: there the modulus is at least e^(-60/count) or the floor.
   */
  private static final double LOG_DROPPED = -60;

  /** Smaller moduli are replaced by this floor, and the difference counts as an error. */
  private static final double FLOOR = 1e-9;

  private final int size;
  private final double mesh;
  private final double tilt;
  private final long maxTerms;
  private final Fft fft;
  private final double[][] logModulus; // [side][bin]; side 0 is the upper bound, side 1 the lower
  private final double[][] angle;
  private final double[][] logError; // of the product: its modulus may be off by e^this
  private int parts;
  private final double[] errors = new double[2];
  private final double[] sums = new double[2];

  /**
   * Creates a spectrum with the characteristic function 1.
   *
   * @param maxTerms number of terms to spend on direct sums for one bound of one step; direct sums
   *     are slower than the transform and have smaller rounding errors
   */
  LatticeSpectrum(int size, double mesh, double tilt, long maxTerms) {
    this.maxTerms = maxTerms;
    this.size = size;
    this.mesh = mesh;
    this.tilt = tilt;
    fft = Fft.of(size);
    logModulus = new double[2][size / 2 + 1];
    angle = new double[2][size / 2 + 1];
    logError = new double[2][size / 2 + 1];
  }

  /** Multiplies by the characteristic functions of a step that occurs count times. */
  void add(LatticeCells upper, LatticeCells lower, double count) {
    parts++;
    double[] re = new double[size];
    double[] im = new double[size];
    upper.addTo(re, Math.exp(-upper.logMoment(0)));
    lower.addTo(im, Math.exp(-lower.logMoment(0)));
    fft.transform(re, im);
    Powers up = new Powers(0, upper, count);
    Powers low = new Powers(1, lower, count);
    for (int k = 0; k <= size / 2; k++) {
      int m = (size - k) & (size - 1);
      up.multiply(k, (re[k] + re[m]) / 2, (im[k] - im[m]) / 2);
      low.multiply(k, (im[k] + im[m]) / 2, (re[m] - re[k]) / 2);
    }
  }

  /** Returns a bound on the error of any entry of a table; valid after {@link #tables}. */
  double error(int side) {
    double transform = (sums[0] + sums[1]) * fft.relativeError();
    return 1.01 * (errors[side] + transform) / size;
  }

  /** Returns delta e^(tilt e) / M(tilt), at the lattice points e, for both bounds. */
  double[][] tables() {
    double[] re = new double[size];
    double[] im = new double[size];
    double dropped = kernel(0)[0] * Math.exp(LOG_DROPPED + 2 * parts); // largest at 0
    for (int k = 0; k <= size / 2; k++) {
      double[] kernel = null;
      for (int side = 0; side < 2; side++) {
        double twice = k == 0 || k == size / 2 ? 1 : 2;
        if (logModulus[side][k] <= LOG_DROPPED) {
          errors[side] += twice * dropped;
        } else {
          kernel = kernel == null ? kernel(k) : kernel;
          double modulus = kernel[0] * Math.exp(logModulus[side][k]);
          sums[side] += twice * modulus;
          errors[side] += twice * modulus * (Math.expm1(logError[side][k]) + 64 * U);
          put(re, im, k, side, modulus, kernel[1] + angle[side][k]);
        }
      }
    }
    fft.transform(re, im);
    for (int i = 0; i < size; i++) {
      re[i] /= size;
      im[i] /= size;
    }
    return new double[][] {re, im};
  }

  /** Adds x (upper) or i x (lower) at k, and its conjugate at size - k. */
  private void put(double[] re, double[] im, int k, int side, double modulus, double phase) {
    double x = modulus * Math.cos(phase);
    double y = modulus * Math.sin(phase);
    int m = (size - k) & (size - 1);
    re[k] += side == 0 ? x : -y;
    im[k] += side == 0 ? y : x;
    if (m != k) {
      re[m] += side == 0 ? x : y;
      im[m] += side == 0 ? -y : x;
    }
  }

  /**
   * Returns modulus and phase of A (1-C) / ((1-A) (1-AC)) with A = e^(-z h) and C = e^-h. The real
   * parts of 1-A and 1-AC are sums of positive terms, so both results are accurate to about 20 u.
   */
  private double[] kernel(int k) {
    double half = Math.sin(Math.PI * k / size);
    double sine = 2 * half * Math.cos(Math.PI * k / size);
    double a = Math.exp(-tilt * mesh);
    double ac = Math.exp(-(tilt + 1) * mesh);
    double re1 = -Math.expm1(-tilt * mesh) + 2 * a * half * half;
    double re2 = -Math.expm1(-(tilt + 1) * mesh) + 2 * ac * half * half;
    double modulus = a * -Math.expm1(-mesh) / Math.hypot(re1, a * sine);
    double phase = Math.atan2(a * sine, re1) + Math.atan2(ac * sine, re2);
    return new double[] {modulus / Math.hypot(re2, ac * sine), -2 * Math.PI * k / size - phase};
  }

  /** Raises one bound of one step to its power, bin by bin. */
  private final class Powers {
    private final int side;
    private final LatticeCells cells;
    private final double count;
    private final double factor;
    private long terms = maxTerms;

    Powers(int side, LatticeCells cells, double count) {
      this.side = side;
      this.cells = cells;
      this.count = count;
      factor = Math.exp(-cells.logMoment(0));
    }

    /** Multiplies by the power of a value of the transform, which uses the opposite sign of i. */
    void multiply(int k, double re, double im) {
      double modulus = Math.max(FLOOR, Math.sqrt(re * re + im * im));
      double log = count * Math.log(modulus);
      if (logModulus[side][k] + log <= LOG_DROPPED) {
        logModulus[side][k] = Double.NEGATIVE_INFINITY;
        return;
      }
      terms -= cells.count();
      if (terms >= 0) {
        direct(k);
        return;
      }
      logModulus[side][k] += log;
      angle[side][k] -= count * Math.atan2(im, re);
      double error = 2 * fft.relativeError() + 16 * U;
      logError[side][k] += modulus == FLOOR ? 1.2 : count * error / modulus; // e^1.2 - 1 > 2
    }

    /** Does the same by a direct sum, whose error is proportional to the distance from 1. */
    private void direct(int k) {
      double[] c = cells.characteristic(k, size, cells.middle(), factor);
      double excess = c[0] * (2 + c[0]) + c[1] * c[1]; // |1 + c|^2 - 1
      long turns = Math.floorMod(cells.middle(), (long) size) * k % size;
      long allTurns = turns * (long) (count % size) % size;
      logModulus[side][k] += count / 2 * Math.log1p(excess);
      angle[side][k] += count * Math.atan2(c[1], 1 + c[0]) + 2 * Math.PI * allTurns / size;
      logError[side][k] += count * 32 * U * c[2] / Math.sqrt(1 + excess) + 32 * U;
    }
  }
}
