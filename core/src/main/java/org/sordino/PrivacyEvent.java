package org.sordino;

import java.util.List;

/**
 * A mechanism that was applied to private records, with the parameters that determine its privacy
 * cost.
 *
 * <p>The mechanism writes events and the accountant reads them. There is no other connection
 * between the two. An event describes <em>what happened</em>, never its cost, so a better
 * accountant can be applied to an old ledger.
 *
 * <p><b>How events evolve.</b> Ledgers outlive the code that wrote them. Once released, the meaning
 * of a kind and of its fields never changes, and no kind is removed. A mechanism that the existing
 * kinds cannot describe gets a new kind. A reader rejects an unknown kind, by name, and never skips
 * it: a skipped event would under-report epsilon.
 *
 * <p>Java 17 has no pattern {@code switch}. Dispatch through {@link #accept} makes the compiler
 * check that every kind is handled.
 */
public sealed interface PrivacyEvent {

  /** Largest number of repetitions. No training run has more, so a larger count is a mistake. */
  long MAX_COUNT = 1_000_000_000_000L;

  /**
   * A sum over all records, each of norm at most S, released with Gaussian noise of standard
   * deviation {@code noiseMultiplier * S} in every coordinate.
   *
   * @param noiseMultiplier sigma (z in McMahan &amp; Andrew 2018): standard deviation of the noise
   *     divided by the bound S; 0 means no noise (no privacy), infinity means infinite noise (no
   *     cost)
   */
  record Gaussian(double noiseMultiplier) implements PrivacyEvent {

    public Gaussian {
      requireNoiseMultiplier(noiseMultiplier);
    }

    /**
     * Returns the single query that is equivalent to several sums of the same records, released
     * together: sums with bounds S_g and noise of standard deviation sigma_g cost as much as one
     * sum with z = (sum_g (S_g / sigma_g)^2)^(-1/2) (McMahan &amp; Andrew 2018, arXiv:1812.06210,
     * theorem 1).
     *
     * @param bounds S_g, the largest norm of one record's contribution to sum g
     * @param deviations sigma_g, the standard deviation of the noise on sum g
     */
    public static Gaussian joint(double[] bounds, double[] deviations) {
      if (bounds.length != deviations.length || bounds.length == 0) {
        throw new IllegalArgumentException(
            "bounds and deviations must have the same length, at least 1, got "
                + bounds.length
                + " and "
                + deviations.length);
      }
      double inverseSquared = 0;
      for (int g = 0; g < bounds.length; g++) {
        if (!(bounds[g] >= 0 && bounds[g] < Double.POSITIVE_INFINITY)) {
          throw new IllegalArgumentException(
              "bounds[" + g + "] must be finite and at least 0, got " + bounds[g]);
        }
        requireNoiseMultiplier(deviations[g]);
        if (bounds[g] > 0) {
          double ratio = bounds[g] / deviations[g];
          inverseSquared += ratio * ratio;
        }
      }
      return new Gaussian(1 / Math.sqrt(inverseSquared));
    }

    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.gaussian(this);
    }
  }

  /**
   * A sum over a Poisson sample, released as in {@link Gaussian}. Each record is included in the
   * sample independently with probability {@code samplingRate}.
   *
   * @param samplingRate q, the probability that a record is included in the sample, in [0, 1]
   * @param noiseMultiplier sigma, as in {@link Gaussian#noiseMultiplier}
   */
  record SampledGaussian(double samplingRate, double noiseMultiplier) implements PrivacyEvent {

    public SampledGaussian {
      if (!(samplingRate >= 0 && samplingRate <= 1)) {
        throw new IllegalArgumentException("samplingRate must be in [0, 1], got " + samplingRate);
      }
      requireNoiseMultiplier(noiseMultiplier);
    }

    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.sampledGaussian(this);
    }
  }

  /**
   * The same event several times, each time with independent randomness.
   *
   * @param event the repeated event
   * @param count number of repetitions, from 0 to {@link #MAX_COUNT}
   */
  record Repeated(PrivacyEvent event, long count) implements PrivacyEvent {

    public Repeated {
      if (count < 0 || count > MAX_COUNT) {
        throw new IllegalArgumentException("count must be in [0, " + MAX_COUNT + "], got " + count);
      }
    }

    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.repeated(this);
    }
  }

  /**
   * Several events on the same records. Their order does not affect the cost.
   *
   * @param events the events; empty if nothing happened
   */
  record Composition(List<PrivacyEvent> events) implements PrivacyEvent {

    public Composition {
      events = List.copyOf(events);
    }

    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.composition(this);
    }
  }

  /** Handles every kind of event. */
  interface Visitor<R> {
    R gaussian(Gaussian event);

    R sampledGaussian(SampledGaussian event);

    R repeated(Repeated event);

    R composition(Composition event);
  }

  /** Calls the visitor's method for this kind. */
  <R> R accept(Visitor<R> visitor);

  /** Returns this event repeated {@code count} times. */
  default PrivacyEvent times(long count) {
    return new Repeated(this, count);
  }

  /** Returns this event as one line of JSON; {@link #fromJson} reads it back to an equal event. */
  default String toJson() {
    return EventJson.write(this);
  }

  /**
   * Reads the result of {@link #toJson}.
   *
   * @throws IllegalArgumentException if the text is not an event, or is an event of an unknown
   *     kind; the message names the kind
   */
  static PrivacyEvent fromJson(String json) {
    return EventJson.read(json);
  }

  private static void requireNoiseMultiplier(double noiseMultiplier) {
    if (!(noiseMultiplier >= 0)) {
      throw new IllegalArgumentException(
          "noiseMultiplier must be at least 0, got " + noiseMultiplier);
    }
  }
}
