package org.sordino.accounting;

import java.util.Arrays;

/**
 * The privacy loss of one step, rounded to the points offset + j mesh of a lattice and tilted: mass
 * m at loss l is stored as m e^(tilt l - scale).
 *
 * <p>{@link #upper} splits the mass of each cell between the two ends of the cell so that its mass
 * under p and under r stays the same: "connect the dots", Doroshenko et al. 2022, arXiv:2207.04380.
 * The resulting pair dominates. {@link #lower} merges the outcomes of each cell into one and
 * chooses the cells so that log(p/r) of the merged outcome is a lattice point. Merging is
 * post-processing, which can only lower delta. Both errors are of second order in the cell width.
 * Widths grow with the distance from the bulk of the mass, and only the lattice points at cell ends
 * carry mass.
 */
final class LatticeCells {

  /**
   * Position of the lattice and weights of the loss.
   *
   * @param mesh distance between neighboring lattice points
   * @param tilt exponent c of the weight e^(c loss)
   * @param scale about log E[e^(c loss)], so that the weighted masses add up to about 1
   * @param center mean of the weighted loss
   * @param bulk a loss in the middle of the unweighted mass
   * @param first z below which the mass is negligible
   * @param last z above which the mass is negligible
   * @param keepsTail whether the mass above last matters for a lower bound
   * @param fineness ratio of the distance from center and bulk to the cell width, if the mesh is
   *     fine enough
   */
  record Layout(
      double mesh,
      double tilt,
      double scale,
      double center,
      double bulk,
      double first,
      double last,
      boolean keepsTail,
      double fineness) {

    /**
     * Returns the layout of the mirrored pair: z becomes -z, p and r swap, the loss changes sign.
     */
    Layout mirrored() {
      return new Layout(mesh, -1 - tilt, scale, -center, -bulk, -last, -first, false, fineness);
    }
  }

  private static final double U = Bracket.U;

  private final LossShape shape;
  private final Layout at;
  private final double offset;
  private long[] index = new long[1 << 12];
  private double[] mass = new double[1 << 12];
  private int count;
  private double infinite;
  private double shift;
  private double relativeError;

  private LatticeCells(LossShape shape, Layout at, double offset) {
    this.shape = shape;
    this.at = at;
    this.offset = offset;
  }

  /** Returns a loss that is above the true one in the sense of dominating pairs. */
  static LatticeCells upper(LossShape shape, Layout at, double offset) {
    LatticeCells cells = new LatticeCells(shape, at, offset);
    if (shape.kappa() < LossShape.REVEALING) {
      cells.connectTheDots();
    } else {
      cells.reveal();
    }
    return cells;
  }

  /** Returns a loss that is below the true one in the sense of dominating pairs. */
  static LatticeCells lower(LossShape shape, Layout at) {
    if (shape.b() == 0) {
      return fromEdge(shape, at, false);
    }
    if (shape.a() == 0) {
      return fromEdge(shape.mirrored(), at.mirrored(), true).mirrored(shape, at);
    }
    LatticeCells cells = new LatticeCells(shape, at, 0);
    double end = Math.min(shape.point(at.mesh / 2), Math.min(at.last, -at.first));
    cells.add(0, shape.mass(-at.scale, -end, 2 * end)); // symmetric: its loss is exactly 0
    cells.merge(end, false);
    LatticeCells left = new LatticeCells(shape.mirrored(), at.mirrored(), 0);
    left.merge(end, true);
    cells.addAll(left.mirrored(shape, at));
    return cells;
  }

  /**
   * Builds the cells from the lower edge of the loss, log(1-q), near which the loss may be dense.
   * The first cell determines the offset of the lattice.
   */
  private static LatticeCells fromEdge(LossShape shape, Layout at, boolean mirrored) {
    double end = firstEnd(shape, at);
    LatticeCells cells = new LatticeCells(shape, at, firstLoss(shape, end));
    double mass = shape.massBelow(end);
    if (mass > 1e-15) { // else not worth the error of its loss, the log of a ratio of two masses
      cells.add(0, mass * (1 - 1e-13) * Math.exp(cells.exponent(0)));
      double reach = Math.abs(end) + shape.kappa();
      cells.shift = 8 * U * (8 + reach * reach);
    }
    cells.merge(end, mirrored);
    return cells;
  }

  /** Returns the loss of the lattice point with index 0. */
  double offset() {
    return offset;
  }

  /** Returns the mass at infinite loss, not tilted. */
  double infinite() {
    return infinite;
  }

  /** Returns a bound on the error of the loss of any cell. */
  double shift() {
    return shift;
  }

  /** Returns a bound on the relative error of any mass. */
  double relativeError() {
    return relativeError + 64 * U;
  }

  /** Returns the logarithm of the sum of mass e^(more loss), the scaled moment at tilt + more. */
  double logMoment(double more) {
    double top = Double.NEGATIVE_INFINITY;
    for (int i = 0; i < count; i++) {
      top = mass[i] > 0 ? Math.max(top, more * loss(index[i])) : top;
    }
    double sum = 0;
    double carry = 0; // the sum for more = 0 is raised to the number of steps: 4 u, not n u
    for (int i = 0; i < count; i++) {
      double term = (mass[i] > 0 ? mass[i] * Math.exp(more * loss(index[i]) - top) : 0) - carry;
      double next = sum + term;
      carry = (next - sum) - term;
      sum = next;
    }
    return top + Math.log(sum);
  }

  /**
   * Computes the characteristic function at 2 pi k / ring, minus 1, of the masses scaled by {@code
   * factor} to a distribution, with the lattice point j0 as the origin. No digits cancel, whereas a
   * transform loses all digits beyond the 15th behind the 1.
   *
   * @return real part, imaginary part, and the sum of the absolute terms. The error is at most 16 u
   *     times that sum: 1 ulp for the sine, 2 for its argument, 3 for the factor, 2 for the sum
   */
  double[] characteristic(int k, int ring, long j0, double factor) {
    double[] sum = new double[3];
    double[] carry = new double[2];
    for (int i = 0; i < count; i++) {
      long turns = ((index[i] - j0 & ring - 1) * k) & ring - 1; // ring is a power of two
      double half = Math.PI * (turns > ring / 2 ? turns - ring : turns) / ring;
      double sine = Math.sin(half);
      double re = -2 * sine * sine * mass[i] * factor;
      double im = 2 * sine * Math.cos(half) * mass[i] * factor;
      accumulate(sum, carry, 0, re);
      accumulate(sum, carry, 1, im);
      sum[2] += Math.abs(re) + Math.abs(im);
    }
    return sum;
  }

  /** Adds a value by Kahan summation. */
  private static void accumulate(double[] sum, double[] carry, int i, double value) {
    double term = value - carry[i];
    double next = sum[i] + term;
    carry[i] = (next - sum[i]) - term;
    sum[i] = next;
  }

  /** Returns the number of masses. */
  int count() {
    return count;
  }

  /** Returns the index of the lattice point closest to the mean of the weighted loss. */
  long middle() {
    return Math.round((at.center - offset) / at.mesh);
  }

  /** Adds the masses, times a factor, to a ring of lattice points. */
  void addTo(double[] ring, double factor) {
    for (int i = 0; i < count; i++) {
      ring[(int) Math.floorMod(index[i], (long) ring.length)] += mass[i] * factor;
    }
  }

  private double loss(long j) {
    return offset + j * at.mesh;
  }

  private double exponent(long j) {
    return at.tilt * loss(j) - at.scale;
  }

  /** Returns the cell width near a loss, in multiples of the mesh. */
  private long width(double loss) {
    double distance = Math.min(Math.abs(loss - at.center), Math.abs(loss - at.bulk));
    return (long) Math.max(1, distance / (at.fineness * at.mesh));
  }

  private void connectTheDots() {
    double z = at.first;
    double loss = shape.loss(z);
    long j = (long) Math.floor((loss - offset) / at.mesh);
    boolean firstCell = true;
    while (z < at.last) {
      long next = j + width(loss(j));
      double end = shape.point(loss(next));
      double endLoss = loss(next);
      if (!(end < at.last)) {
        end = at.last;
        endLoss = shape.loss(end);
        next = Math.max(next, (long) Math.ceil((endLoss - offset) / at.mesh));
      }
      if (end > z) {
        split(j, next, z, end, loss, endLoss);
        if (firstCell) { // the mass further left moves up to the right end
          add(next, shape.massBelow(z) * (1 + 1e-12) * Math.exp(exponent(next)));
          firstCell = false;
        }
        z = end;
        loss = endLoss;
      }
      j = next;
    }
    infinite = Math.min(1, shape.massAbove(at.last) * (1 + 1e-12));
  }

  /**
   * Adds the pair without noise, which dominates: p is 1-a at 0 and a at 1, r is 1-b at 0 and b at
   * -1.
   */
  private void reveal() {
    double loss = Math.log1p(-shape.a()) - Math.log1p(-shape.b());
    infinite = shape.a();
    if (shape.a() < 1) {
      long j = (long) Math.ceil((loss - offset) / at.mesh + 1e-9);
      add(j, (1 - shape.a()) * Math.exp(exponent(j)));
    }
  }

  /**
   * Splits the mass of the cell from z to end. There the loss rises from at least the loss of point
   * j to at most that of point next.
   */
  private void split(long j, long next, double z, double end, double loss, double endLoss) {
    double low = loss(j);
    double high = loss(next);
    double w = end - z;
    double right = exponent(next);
    double left = exponent(j);
    double up = shape.above(right, loss, z, w);
    double down = shape.below(left, endLoss, end, w);
    if (loss > low) {
      up += shape.otherMass(right + low, z, w) * Math.expm1(loss - low);
    }
    if (endLoss < high) {
      down += shape.otherMass(left + endLoss, z, w) * Math.expm1(high - endLoss);
    }
    add(next, up / -Math.expm1(low - high));
    add(j, down / Math.expm1(high - low));
    double error = shape.pointError(loss, z) + shape.pointError(endLoss, end);
    account(error, 2 * error / (high - low), z, end, Math.max(Math.abs(left), Math.abs(right)));
  }

  /** Merges the outcomes to the right of {@code start}, cell by cell. */
  private void merge(double start, boolean mirrored) {
    double z = start;
    while (z < at.last) {
      double loss = shape.loss(z);
      double reach = at.mesh * (width(loss) / 2.0 - 0.25); // keeps half widths within 1/4 .. 5/4
      long j = (long) Math.ceil((loss + reach - offset) / at.mesh);
      double center = shape.point(loss(j));
      if (!(center > z && center < at.last)) {
        break;
      }
      double end = center + balance(j, z, center);
      if (!(end <= at.last)) { // no mass above balances this: round the loss down instead
        end = center;
        j = mirrored ? j : floor(loss); // down is up in the mirrored pair
        account(shape.pointError(loss(j), center), 0, z, end, Math.abs(exponent(j)));
      }
      add(j, shape.mass(exponent(j), z, end - z));
      z = end;
    }
    if (at.keepsTail) {
      long j = floor(shape.loss(z));
      add(j, shape.massAbove(z) * (1 - 1e-12) * Math.exp(exponent(j)));
    }
  }

  /** Returns the last lattice point that is certainly not above a loss. */
  private long floor(double loss) {
    return (long) Math.floor((loss - offset) / at.mesh - 1e-9);
  }

  /** Returns how far a cell from z must extend beyond center for its loss to be that of point j. */
  private double balance(long j, double z, double center) {
    double t = exponent(j);
    double loss = loss(j);
    double need = shape.below(t, loss, center, center - z);
    double w = center - z;
    double excess = shape.above(t, loss, center, w) - need;
    for (int i = 0; i < 20 && Math.abs(excess) > 1e-13 * need; i++) {
      w = Math.max(w / 2, Math.min(2 * w, w - excess / shape.gain(t, loss, center, w)));
      if (!(center + w <= at.last)) {
        return Double.NaN;
      }
      excess = shape.above(t, loss, center, w) - need;
    }
    double mass = shape.mass(t, z, center + w - z);
    double residual = mass > 0 ? (Math.abs(excess) + 1e-12 * need) / mass : 0;
    double error = shape.pointError(loss, center) + 2 * residual;
    account(error, 0, z, center + w, Math.abs(t));
    return w;
  }

  /**
   * Records the errors of a cell. All terms of a mass are positive, so its relative error is that
   * of the worst exponential. That is the error of its exponent, at most 8 u times the sizes of its
   * summands.
   */
  private void account(double lossError, double massError, double z, double end, double exponent) {
    double span = Math.max(Math.abs(z), Math.abs(end)) + shape.kappa();
    shift = Math.max(shift, lossError);
    double size = exponent + Math.abs(at.scale) + span * span + shape.logWeight();
    relativeError = Math.max(relativeError, massError + 8 * U * size);
  }

  private void add(long j, double weight) {
    if (count == index.length) {
      index = Arrays.copyOf(index, 2 * count);
      mass = Arrays.copyOf(mass, 2 * count);
    }
    index[count] = j;
    mass[count++] = weight;
  }

  private void addAll(LatticeCells other) {
    for (int i = 0; i < other.count; i++) {
      add(other.index[i], other.mass[i]);
    }
    shift = Math.max(shift, other.shift);
    relativeError = Math.max(relativeError, other.relativeError);
  }

  /**
   * Returns the cells of the mirrored pair. Its tilt of -(1+c) has turned masses under r into
   * tilted masses under p.
   */
  private LatticeCells mirrored(LossShape mirroredShape, Layout mirroredAt) {
    LatticeCells cells = new LatticeCells(mirroredShape, mirroredAt, -offset);
    cells.addAll(this);
    cells.relativeError += shift; // an error of the loss is one of e^loss, hence of the mass
    for (int i = 0; i < count; i++) {
      cells.index[i] = -cells.index[i];
    }
    return cells;
  }

  /** Returns the end of the lowest cell, which is as wide as the mesh or as the whole range. */
  private static double firstEnd(LossShape shape, Layout at) {
    double low = at.first;
    double high = at.last;
    if (shape.loss(low) - firstLoss(shape, low) >= at.mesh / 2) {
      return low;
    }
    for (int i = 0; i < 60; i++) {
      double middle = (low + high) / 2;
      if (shape.loss(middle) - firstLoss(shape, middle) < at.mesh / 2) {
        low = middle;
      } else {
        high = middle;
      }
    }
    return high;
  }

  private static double firstLoss(LossShape shape, double end) {
    return Math.log(shape.massBelow(end) / shape.otherBelow(end));
  }
}
