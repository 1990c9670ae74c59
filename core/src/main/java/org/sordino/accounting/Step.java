package org.sordino.accounting;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.sordino.PrivacyEvent;

/**
 * A sequence of equal steps: {@code count} Gaussian sums over Poisson samples. A {@code
 * samplingRate} of 1 is the plain Gaussian, so this record represents every kind of event.
 *
 * @param samplingRate q, in (0, 1]
 * @param noiseMultiplier sigma, finite; 0 means no noise
 * @param count number of repetitions, at least 1
 */
record Step(double samplingRate, double noiseMultiplier, long count) {

  private static final Comparator<Step> BY_RATE_AND_NOISE =
      Comparator.comparingDouble(Step::samplingRate).thenComparingDouble(Step::noiseMultiplier);

  /**
   * Returns the steps of an event with equal ones merged, in an order that depends only on their
   * values. Steps that cost nothing (never sampled, or with infinite noise) are left out.
   *
   * @throws IllegalArgumentException if there are more than {@link PrivacyEvent#MAX_COUNT} equal
   *     steps
   */
  static List<Step> of(PrivacyEvent event) {
    Map<Step, Long> counts = new TreeMap<>(BY_RATE_AND_NOISE);
    event.accept(new Collector(counts, 1));
    List<Step> steps = new ArrayList<>();
    counts.forEach((s, count) -> steps.add(new Step(s.samplingRate, s.noiseMultiplier, count)));
    return steps;
  }

  /** Adds up the steps of an event that itself occurs {@code factor} times. */
  private record Collector(Map<Step, Long> counts, long factor)
      implements PrivacyEvent.Visitor<Void> {

    @Override
    public Void gaussian(PrivacyEvent.Gaussian event) {
      return add(1, event.noiseMultiplier());
    }

    @Override
    public Void sampledGaussian(PrivacyEvent.SampledGaussian event) {
      return add(event.samplingRate(), event.noiseMultiplier());
    }

    @Override
    public Void repeated(PrivacyEvent.Repeated event) {
      long count = event.count();
      if (count > 0 && factor > PrivacyEvent.MAX_COUNT / count) {
        throw tooMany();
      }
      return event.event().accept(new Collector(counts, factor * count));
    }

    @Override
    public Void composition(PrivacyEvent.Composition event) {
      event.events().forEach(e -> e.accept(this));
      return null;
    }

    private Void add(double samplingRate, double noiseMultiplier) {
      if (factor == 0 || samplingRate == 0 || noiseMultiplier == Double.POSITIVE_INFINITY) {
        return null;
      }
      Step key = new Step(samplingRate, noiseMultiplier, 1);
      if (counts.merge(key, factor, Long::sum) > PrivacyEvent.MAX_COUNT) {
        throw tooMany();
      }
      return null;
    }

    private static IllegalArgumentException tooMany() {
      return new IllegalArgumentException(
          "a ledger must have at most " + PrivacyEvent.MAX_COUNT + " equal steps, got more");
    }
  }
}
