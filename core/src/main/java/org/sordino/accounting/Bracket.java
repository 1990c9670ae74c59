package org.sordino.accounting;

/**
 * An interval that contains the true value, and the method that certified it.
 *
 * @param lower lower end, at most the true value
 * @param upper upper end, at least the true value; reported as the guarantee
 * @param method how both ends were certified
 */
public record Bracket(double lower, double upper, Method method) {

  /** Unit round-off, the relative error of one correct rounding, which both ends must allow for. */
  static final double U = 0x1p-53;

  /** Methods of certification, fastest first. */
  public enum Method {
    /** A formula, exact up to rounding: no events, plain Gaussians, or one sampled step. */
    CLOSED_FORM,
    /** The characteristic function of the privacy loss, integrated along a contour. */
    CONTOUR,
    /** The privacy loss rounded outward to a lattice and composed by fast Fourier transform. */
    LATTICE,
    /** Renyi divergences: only an upper end, used where nothing tighter is certified. */
    RDP
  }

  public Bracket {
    if (!(lower >= 0 && lower <= upper)) { // also rejects NaN: fail closed
      throw new ArithmeticException(
          "bracket must satisfy 0 <= lower <= upper, got ["
              + lower
              + ", "
              + upper
              + "] by "
              + method);
    }
  }

  /** Returns the distance between the two ends. */
  public double width() {
    return upper == lower ? 0 : upper - lower;
  }

  /**
   * Returns the intersection of two brackets of the same value; fails closed if they are disjoint.
   */
  Bracket intersect(Bracket other) {
    return new Bracket(
        Math.max(lower, other.lower),
        Math.min(upper, other.upper),
        width() <= other.width() ? method : other.method);
  }

  /** Returns the bracket of the larger of two values. */
  Bracket max(Bracket other) {
    return new Bracket(
        Math.max(lower, other.lower),
        Math.max(upper, other.upper),
        method.compareTo(other.method) >= 0 ? method : other.method);
  }
}
