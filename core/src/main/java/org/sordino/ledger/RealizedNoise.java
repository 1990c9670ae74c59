package org.sordino.ledger;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.List;
import org.sordino.PrivacyEvent;

/**
 * The noise multiplier that the recorded bounds and standard deviations of a step imply: z = (sum_g
 * (S_g / sigma_g)^2)^(-1/2), equation (1) of McMahan &amp; Andrew 2018 (arXiv:1812.06210). A step
 * is charged with the smaller of this multiplier and the reserved one.
 *
 * <p><b>Rounding.</b> The sum is computed with 40 decimal digits and rounded up, so the multiplier
 * is rounded down. There are three cases, in which r is the reserved multiplier.
 *
 * <ol>
 *   <li>z &gt;= r, compared with a tolerance of 10^-30: r counts. Mechanisms round their standard
 *       deviations up, so their z is above r in exact arithmetic, and their cost stays that of the
 *       reservation. The tolerance covers the rounding of this computation only. Accountants return
 *       a double above the cost, and the step from one double to the next is 10^14 times as large.
 *   <li>z &gt;= r (1 - 2^-40): r (1 - 2^-40) counts, which is at most z. Plans whose standard
 *       deviations were given rounded are in this case. With one common value, steps whose bounds
 *       adapt remain repetitions of one event.
 *   <li>Otherwise z counts, rounded down to a double.
 * </ol>
 */
final class RealizedNoise implements Comparable<RealizedNoise> {

  /** No recorded values: only the reservation counts. */
  static final RealizedNoise UNKNOWN = new RealizedNoise(BigDecimal.ZERO);

  private static final MathContext UP = new MathContext(40, RoundingMode.CEILING);
  private static final MathContext DOWN = new MathContext(40, RoundingMode.FLOOR);

  /** Above the square of every quotient of two doubles; stands for a sum without noise. */
  private static final BigDecimal NO_NOISE = new BigDecimal("1e10000");

  private static final BigDecimal ONE_AND_ROUNDING = BigDecimal.ONE.add(new BigDecimal("1e-30"));
  private static final double ALMOST_ONE = 1 - 0x1p-40;

  /** 1 / z^2, rounded up. */
  private final BigDecimal inverseSquare;

  private RealizedNoise(BigDecimal inverseSquare) {
    this.inverseSquare = inverseSquare;
  }

  static RealizedNoise of(List<Realized> groups) {
    BigDecimal sum = BigDecimal.ZERO;
    for (Realized group : groups) {
      sum = sum.add(inverseSquare(group), UP);
    }
    return new RealizedNoise(sum);
  }

  private static BigDecimal inverseSquare(Realized group) {
    if (group.bound() == 0) {
      return BigDecimal.ZERO; // the sum is 0 for all data sets
    }
    if (group.bound() == Double.POSITIVE_INFINITY || group.deviation() == 0) {
      return NO_NOISE;
    }
    if (group.deviation() == Double.POSITIVE_INFINITY) {
      return BigDecimal.ZERO;
    }
    BigDecimal ratio = new BigDecimal(group.bound()).divide(new BigDecimal(group.deviation()), UP);
    return ratio.multiply(ratio, UP);
  }

  /** Orders noise by its cost, the most expensive first. */
  @Override
  public int compareTo(RealizedNoise other) {
    return other.inverseSquare.compareTo(inverseSquare);
  }

  /**
   * Returns the event with every noise multiplier limited by this one. If a step consists of
   * several queries, the recorded values limit each of them.
   */
  PrivacyEvent limit(PrivacyEvent event) {
    return inverseSquare.signum() == 0 ? event : event.accept(new Limit());
  }

  private double limit(double reserved) {
    if (isAtLeast(reserved)) {
      return reserved;
    }
    double slightlyLess = reserved * ALMOST_ONE;
    return isAtLeast(slightlyLess) ? slightlyLess : roundedDown();
  }

  private boolean isAtLeast(double z) {
    if (z == Double.POSITIVE_INFINITY) {
      return false;
    }
    BigDecimal exact = new BigDecimal(z);
    return exact.multiply(exact).multiply(inverseSquare).compareTo(ONE_AND_ROUNDING) <= 0;
  }

  /** Returns the largest double that is at most z. */
  private double roundedDown() {
    double z = BigDecimal.ONE.divide(inverseSquare.sqrt(UP), DOWN).doubleValue();
    return isAtLeast(z) ? z : Math.nextDown(z);
  }

  private final class Limit implements PrivacyEvent.Visitor<PrivacyEvent> {

    @Override
    public PrivacyEvent gaussian(PrivacyEvent.Gaussian event) {
      return new PrivacyEvent.Gaussian(limit(event.noiseMultiplier()));
    }

    @Override
    public PrivacyEvent sampledGaussian(PrivacyEvent.SampledGaussian event) {
      return new PrivacyEvent.SampledGaussian(event.samplingRate(), limit(event.noiseMultiplier()));
    }

    @Override
    public PrivacyEvent repeated(PrivacyEvent.Repeated event) {
      return event.event().accept(this).times(event.count());
    }

    @Override
    public PrivacyEvent composition(PrivacyEvent.Composition event) {
      List<PrivacyEvent> limited = new ArrayList<>();
      event.events().forEach(inner -> limited.add(inner.accept(this)));
      return new PrivacyEvent.Composition(limited);
    }
  }
}
