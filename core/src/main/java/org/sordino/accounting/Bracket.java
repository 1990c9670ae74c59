package org.sordino.accounting;

/**
 * Two numbers that enclose the truth, and how they were found.
 *
 * @param lower at most the true value
 * @param upper at least the true value; what is reported as the guarantee
 * @param method how both ends were certified
 */
public record Bracket(double lower, double upper, Method method) {

  /** Unit round-off, the relative error of one correct rounding: what the ends must allow for. */
  static final double U = 0x1p-53;

  /** The ways to a certified answer, fastest first. */
  public enum Method {
    /** A formula, up to rounding: no events, plain Gaussians, or a single sampled step. */
    CLOSED_FORM,
    /** The characteristic function of the privacy loss, integrated along a contour. */
    CONTOUR,
    /** The privacy loss rounded outwards to a lattice and composed by fast Fourier transform. */
    LATTICE,
    /** Renyi divergences: an upper end only, where nothing better is certain. */
    RDP
  }

  public Bracket {
    if (!(lower >= 0 && lower <= upper)) { // also refuses NaN: fail closed
      throw new ArithmeticException(
          "bracket must satisfy 0 <= lower <= upper, got ["
              + lower
              + ", "
              + upper
              + "] by "
              + method);
    }
  }

  /** How far apart the two ends are. */
  public double width() {
    return upper == lower ? 0 : upper - lower;
  }

  /** What two brackets of the same value leave; fails closed where they exclude each other. */
  Bracket intersect(Bracket other) {
    return new Bracket(
        Math.max(lower, other.lower),
        Math.min(upper, other.upper),
        width() <= other.width() ? method : other.method);
  }

  /** The bracket of the larger of two values. */
  Bracket max(Bracket other) {
    return new Bracket(
        Math.max(lower, other.lower),
        Math.max(upper, other.upper),
        method.compareTo(other.method) >= 0 ? method : other.method);
  }
}
