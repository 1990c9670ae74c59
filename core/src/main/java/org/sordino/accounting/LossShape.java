package org.sordino.accounting;

import org.apache.commons.numbers.gamma.Erfc;

/**
 * The privacy loss of one step as an increasing function of z = x / sigma:
 *
 * <pre>
 *   p(z) = (1-a) n(z) + a n(z - kappa)     r(z) = (1-b) n(z) + b n(z + kappa)     loss = log(p/r)
 * </pre>
 *
 * with n the standard normal density, kappa = 1/sigma, and (a, b) = (q, 0) for REMOVE, (0, q) for
 * ADD (mirrored), (q, q) for REPLACE. A plain Gaussian is (1, 0) in every direction. A larger kappa
 * only makes the pair easier to distinguish, so rounding kappa up (down) is safe for upper (lower)
 * bounds.
 *
 * <p>The mass of a cell comes from {@link #above} and {@link #below}: integrals of p - e^l r from
 * the point where this difference vanishes. They are sums of positive terms, so no digits cancel
 * even in a narrow cell.
 *
 * @param a weight of the shifted normal under p
 * @param b weight of the shifted normal under r
 * @param kappa distance between the normals in standard deviations
 */
record LossShape(double a, double b, double kappa) {

  /** Unit round-off. */
  private static final double U = Bracket.U;

  /** From this kappa on, upper bounds assume no noise. */
  static final double REVEALING = 50;

  private static final double LOG_SQRT_2PI = 0.9189385332046727;

  // Gauss-Legendre nodes and weights on [0, 1].
  private static final double[] NODES_4 = {
    0.06943184420297371, 0.33000947820757187, 0.6699905217924281, 0.9305681557970263
  };
  private static final double[] WEIGHTS_4 = {
    0.17392742256872692, 0.32607257743127305, 0.32607257743127305, 0.17392742256872692
  };
  private static final double[] NODES_8 = {
    0.019855071751231884, 0.10166676129318664, 0.2372337950418355, 0.4082826787521751,
    0.591717321247825, 0.7627662049581645, 0.8983332387068134, 0.9801449282487681
  };
  private static final double[] WEIGHTS_8 = {
    0.05061426814518813, 0.11119051722668724, 0.15685332293894363, 0.181341891689181,
    0.181341891689181, 0.15685332293894363, 0.11119051722668724, 0.05061426814518813
  };

  /** Returns the loss at z. */
  double loss(double z) {
    return logMixture(a, kappa * (z - kappa / 2)) - logMixture(b, -kappa * (z + kappa / 2));
  }

  /** Returns log(1 - w + w e^v). */
  private static double logMixture(double w, double v) {
    if (w == 0) {
      return 0;
    }
    if (v > 500) {
      return v + Math.log(w + (1 - w) * Math.exp(-v));
    }
    double y = w * Math.expm1(v);
    return y > -0.5 ? Math.log1p(y) : w == 1 ? v : Math.log((1 - w) + w * Math.exp(v));
  }

  /** Returns the mirrored pair: z becomes -z, p and r swap. */
  LossShape mirrored() {
    return new LossShape(b, a, kappa);
  }

  /** Returns the magnitude of the logarithms of the weights. */
  double logWeight() {
    return a == 0 ? -Math.log(b) : -Math.log(a);
  }

  /** Returns the derivative of the loss with respect to kappa z, between 0 and 2. */
  double slope(double z) {
    return share(a, kappa * (z - kappa / 2)) + share(b, -kappa * (z + kappa / 2));
  }

  private static double share(double w, double v) {
    return w == 0 ? 0 : 1 / (1 + (1 - w) / w * Math.exp(-v));
  }

  /** Returns the point where the loss is l; infinite if the loss is never that small or large. */
  double point(double l) {
    if (b == 0) {
      return quantile(a, l) / kappa + kappa / 2;
    }
    if (a == 0) {
      return -(quantile(b, -l) / kappa + kappa / 2);
    }
    // p = e^l r is 2 sinh(kappa z - l/2) = (1-q)/q e^(kappa^2/2) 2 sinh(l/2).
    double log = Math.log((1 - a) / a) + kappa * kappa / 2;
    double m = Math.abs(l) / 2;
    double logSinh = log + m + Math.log(-Math.expm1(-2 * m)) - Math.log(2);
    double arc = logSinh > 40 ? logSinh + Math.log(2) : arsinh(Math.exp(log) * Math.sinh(m));
    return Math.copySign((m + arc) / kappa, l);
  }

  /** Returns the v with log(1 - w + w e^v) = l. */
  private static double quantile(double w, double l) {
    if (w == 1 || l > 700) {
      return l - Math.log(w);
    }
    double y = Math.expm1(l) / w;
    return y <= -1 ? Double.NEGATIVE_INFINITY : Math.log1p(y);
  }

  private static double arsinh(double y) {
    return Math.log1p(y + y * y / (1 + Math.sqrt(1 + y * y)));
  }

  /**
   * Bounds the distance from l of the loss at the rounded {@link #point} of l. The rounding of
   * expm1(l) amounts to a shift of l by u (1 - e^-l) (mirrored for ADD). All later operations
   * change kappa z by a few u relative to its size, and the loss by {@link #slope} times that.
   */
  double pointError(double l, double z) {
    double edge = a == 1 || a == b ? 0 : Math.abs(Math.expm1(a == 0 ? l : -l));
    double moved = slope(z) * kappa * (Math.abs(z) + kappa);
    return 8 * U * (Math.abs(l) + edge + moved);
  }

  /**
   * Returns the mass of p above z. The largest observed error of the erfc in use is 2.4 ulp. The
   * rounding of its argument x adds 2 x^2 ulp (its logarithmic derivative). The total is below
   * 1e-12 for |z| up to 40, and below 1e-13 up to 10.
   */
  double massAbove(double z) {
    return ((1 - a) * Erfc.value(z / Math.sqrt(2)) + a * Erfc.value((z - kappa) / Math.sqrt(2)))
        / 2;
  }

  /** Returns the mass of p below z. */
  double massBelow(double z) {
    return ((1 - a) * Erfc.value(-z / Math.sqrt(2)) + a * Erfc.value((kappa - z) / Math.sqrt(2)))
        / 2;
  }

  /** Returns the mass of r below z. */
  double otherBelow(double z) {
    return ((1 - b) * Erfc.value(-z / Math.sqrt(2)) + b * Erfc.value(-(z + kappa) / Math.sqrt(2)))
        / 2;
  }

  /** Returns e^tilt times the integral of p - e^l r from its zero z to z + w. */
  double above(double tilt, double l, double z, double w) {
    double t = tilt - LOG_SQRT_2PI;
    double first = a == 0 ? 0 : excess(t + Math.log(a) - square(z - kappa), z, w, kappa);
    double second = b == 0 ? 0 : excess(t + l + Math.log(b) - square(z + kappa), z, w, -kappa);
    return first + second;
  }

  /** Returns e^tilt times the integral of e^l r - p from z - w to its zero z. */
  double below(double tilt, double l, double z, double w) {
    double t = tilt - LOG_SQRT_2PI;
    double first = a == 0 ? 0 : excess(t + Math.log(a) - square(z - kappa), -z, w, -kappa);
    double second = b == 0 ? 0 : excess(t + l + Math.log(b) - square(z + kappa), -z, w, kappa);
    return first + second;
  }

  /** Returns e^tilt (p - e^l r) at z + w, where z is its zero: the derivative of {@link #above}. */
  double gain(double tilt, double l, double z, double w) {
    double t = tilt - LOG_SQRT_2PI;
    double bell = -w * (z + w / 2);
    double first = a == 0 ? 0 : term(t + Math.log(a) - square(z - kappa) + bell, kappa * w);
    double second = b == 0 ? 0 : term(t + l + Math.log(b) - square(z + kappa) + bell, -kappa * w);
    return first + second;
  }

  /** Returns e^tilt times the mass of p between z and z + w. */
  double mass(double tilt, double z, double w) {
    return mixture(tilt, a, kappa, z, w);
  }

  /** Returns e^tilt times the mass of r between z and z + w. */
  double otherMass(double tilt, double z, double w) {
    return mixture(tilt, b, -kappa, z, w);
  }

  private static double square(double z) {
    return z * z / 2;
  }

  /** Returns e^exponent |expm1(v)|, without intermediate overflow. */
  private static double term(double exponent, double v) {
    return v > 1
        ? Math.exp(exponent + v) * -Math.expm1(-v)
        : Math.exp(exponent) * Math.abs(Math.expm1(v));
  }

  /** Returns the integral of e^(exponent - z t - t^2/2) |expm1(k t)| over t in (0, w). */
  private double excess(double exponent, double z, double w, double k) {
    int panels = panels(z, w);
    double[] nodes = panels == 0 ? NODES_4 : NODES_8;
    double[] weights = panels == 0 ? WEIGHTS_4 : WEIGHTS_8;
    double width = w / Math.max(1, panels);
    double sum = 0;
    for (int i = 0; i < Math.max(1, panels); i++) {
      for (int j = 0; j < nodes.length; j++) {
        double t = (i + nodes[j]) * width;
        sum += weights[j] * term(exponent - t * (z + t / 2), k * t);
      }
    }
    return sum * width;
  }

  private double mixture(double tilt, double weight, double shift, double z, double w) {
    int panels = panels(z, w);
    double[] nodes = panels == 0 ? NODES_4 : NODES_8;
    double[] weights = panels == 0 ? WEIGHTS_4 : WEIGHTS_8;
    double width = w / Math.max(1, panels);
    double sum = 0;
    for (int i = 0; i < Math.max(1, panels); i++) {
      for (int j = 0; j < nodes.length; j++) {
        double x = z + (i + nodes[j]) * width;
        double main = weight == 1 ? 0 : (1 - weight) * Math.exp(tilt - square(x));
        double shifted = weight == 0 ? 0 : weight * Math.exp(tilt - square(x - shift));
        sum += weights[j] * (main + shifted);
      }
    }
    return sum * width * Math.exp(-LOG_SQRT_2PI);
  }

  /**
   * Returns the number of 8-node panels that keep the relative error of the quadrature below u; 0
   * for one 4-node panel.
   *
   * <p>m nodes on a panel of length w have an error of at most 64/15 w/2 M rho^-2m / (1 - rho^-2),
   * with M the largest modulus on the Bernstein ellipse with parameter rho around the panel
   * (Trefethen, Approximation Theory and Approximation Practice, theorem 19.3). The ellipse extends
   * d = rho w / 4 (1 + rho^-2) from the center. On it, |e^(-z t - t^2/2)| exceeds its value at the
   * center by a factor of at most e^(|z| d + d^2/2), and |expm1(k t)| by at most e^(k d) (1 + 4 d
   * e^(1/2) / w). The integral is at least w/8 times the central value. For w (|z| + k + 1) at most
   * 1/2, m = 8 and rho = 32, the relative error is below 3e-18; for 1/64, m = 4 and rho = 512, it
   * is below 3e-17.
   */
  private int panels(double z, double w) {
    double scaled = w * (Math.abs(z) + w + kappa + 1);
    return scaled <= 1.0 / 64 ? 0 : (int) Math.ceil(2 * scaled);
  }
}
