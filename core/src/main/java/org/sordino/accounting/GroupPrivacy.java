package org.sordino.accounting;

import java.util.function.DoubleUnaryOperator;
import org.sordino.Neighboring;
import org.sordino.PrivacyEvent;

/**
 * The privacy cost of a run for a person with up to k records, if the events bound the contribution
 * of one record. (If users are sampled and bounded as units, their events already account for that,
 * and this class is not needed.)
 *
 * <p>The better of two valid bounds:
 *
 * <ul>
 *   <li>k neighbors in a row: (epsilon, delta) for one record gives (k epsilon, delta (e^(k
 *       epsilon) - 1) / (e^epsilon - 1)) for k, for any mechanism (Vadhan 2017, proof of lemma
 *       2.2);
 *   <li>a dominating mechanism: whenever at least one of the k records is drawn, which has
 *       probability 1 - (1-q)^k, all k are drawn, and the sum moves by k times the bound. It
 *       dominates because the hockey-stick divergence is jointly convex and rises with the shift.
 *       The bound is exact at q = 1.
 * </ul>
 */
public final class GroupPrivacy implements Accountant {

  private final Accountant single;
  private final int records;

  private GroupPrivacy(Accountant single, int records) {
    this.single = single;
    this.records = records;
  }

  /**
   * Creates an accountant for groups of records.
   *
   * @param single the accountant for one record
   * @param records k, the largest number of records per person, at least 1
   */
  public static Accountant of(Accountant single, int records) {
    if (records < 1) {
      throw new IllegalArgumentException("records must be at least 1, got " + records);
    }
    return records == 1 ? single : new GroupPrivacy(single, records);
  }

  @Override
  public String name() {
    return single.name();
  }

  @Override
  public Neighboring neighboring() {
    return single.neighboring();
  }

  @Override
  public Evidence evidence() {
    return single.evidence();
  }

  @Override
  public boolean supports(PrivacyEvent event) {
    return single.supports(event);
  }

  @Override
  public double epsilon(PrivacyEvent event, double delta) {
    double together = single.epsilon(event.accept(new Together(records)), delta);
    if (together == 0 || delta == 0) {
      return together;
    }
    double inARow = inARow(event, delta);
    return Math.min(together, records * inARow * (1 + 8 * Bracket.U));
  }

  @Override
  public double delta(PrivacyEvent event, double epsilon) {
    double together = single.delta(event.accept(new Together(records)), epsilon);
    double each = epsilon / records;
    double inARow = single.delta(event, each) * Math.exp(logGrowth(each)) * (1 + 1e-13);
    return Math.min(together, inARow);
  }

  /** Returns the epsilon of one record at which k neighbors in a row have this delta. */
  private double inARow(PrivacyEvent event, double delta) {
    DoubleUnaryOperator excess =
        epsilon -> Math.log(single.delta(event, epsilon)) + logGrowth(epsilon) - Math.log(delta);
    double low = single.epsilon(event, delta);
    double high = low;
    do {
      high = 1.25 * high + 1e-9;
      if (high == Double.POSITIVE_INFINITY) {
        return high;
      }
    } while (excess.applyAsDouble(high) > 0);
    return Monotone.leastRoot(excess, low, high, 1e-10 * high);
  }

  /** Returns the logarithm of (e^(k epsilon) - 1) / (e^epsilon - 1), rounded up. */
  private double logGrowth(double epsilon) {
    double all = records * epsilon;
    double log =
        epsilon == 0
            ? Math.log(records)
            : (records - 1) * epsilon + Math.log(Math.expm1(-all) / Math.expm1(-epsilon));
    return log + 8 * Bracket.U * (1 + log);
  }

  /** The mechanism that draws all k records as soon as it draws one. */
  private record Together(int records) implements PrivacyEvent.Visitor<PrivacyEvent> {

    @Override
    public PrivacyEvent gaussian(PrivacyEvent.Gaussian event) {
      return new PrivacyEvent.Gaussian(event.noiseMultiplier() / records);
    }

    @Override
    public PrivacyEvent sampledGaussian(PrivacyEvent.SampledGaussian event) {
      double q = -Math.expm1(records * Math.log1p(-event.samplingRate()));
      double rate = Math.min(1, q * (1 + 8 * Bracket.U));
      return new PrivacyEvent.SampledGaussian(rate, event.noiseMultiplier() / records);
    }

    @Override
    public PrivacyEvent repeated(PrivacyEvent.Repeated event) {
      return event.event().accept(this).times(event.count());
    }

    @Override
    public PrivacyEvent composition(PrivacyEvent.Composition event) {
      return new PrivacyEvent.Composition(
          event.events().stream().map(e -> e.accept(this)).toList());
    }
  }
}
