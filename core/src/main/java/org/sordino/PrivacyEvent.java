package org.sordino;

import java.util.List;

/**
 * Something that was done to private records, as far as its cost is concerned.
 *
 * <p>Events are what the mechanism writes and the accountant reads; neither knows more of the
 * other. An event says <em>what happened</em>, never what it costs, so that a better accountant can
 * be run on an old ledger.
 *
 * <p><b>How events evolve.</b> Ledgers outlive the code that wrote them. The meaning of a kind and
 * of its fields never changes once released, and no kind is removed. What cannot be said with the
 * existing kinds gets a new kind. A reader refuses a kind it does not know, by name, and never
 * skips it: a skipped event is an under-reported epsilon.
 *
 * <p>Java 17 has no pattern {@code switch}; dispatch through {@link #accept} lets the compiler
 * prove that every kind is handled.
 */
public sealed interface PrivacyEvent {

  /** More repetitions than any training run has; beyond it a count is taken for a mistake. */
  long MAX_COUNT = 1_000_000_000_000L;

  /**
   * A sum over all records, each of norm at most S, was released with Gaussian noise of deviation
   * {@code noiseMultiplier * S} in every coordinate.
   *
   * @param noiseMultiplier sigma (z in McMahan &amp; Andrew 2018): noise deviation over the bound
   *     S; 0 means no noise (no privacy), infinity nothing but noise (no cost)
   */
  record Gaussian(double noiseMultiplier) implements PrivacyEvent {

    public Gaussian {
      requireNoiseMultiplier(noiseMultiplier);
    }

    /**
     * Several sums of the same records, released together, as the one query they amount to: sums
     * with bounds S_g and noise deviations sigma_g cost as much as one with z = (sum_g (S_g /
     * sigma_g)^2)^(-1/2) (McMahan &amp; Andrew 2018, arXiv:1812.06210, theorem 1).
     *
     * @param bounds S_g, the largest norm of one record's contribution to sum g
     * @param deviations sigma_g, the noise deviation on sum g
     */
    public static Gaussian joint(double[] bounds, double[] deviations) {
      if (bounds.length != deviations.length || bounds.length == 0) {
        throw new IllegalArgumentException(
            "bounds and deviations must be of the same length, at least 1, got "
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
   * Every record was drawn by a coin of its own with probability {@code samplingRate} (Poisson
   * sampling), and the sum over the drawn records was released as in {@link Gaussian}.
   *
   * @param samplingRate q, the probability of each record to be in the sample, in [0, 1]
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
   * The same event happened several times, each with randomness of its own.
   *
   * @param event what happened
   * @param count how often, from 0 to {@link #MAX_COUNT}
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
   * All of these events happened, on the same records; the order does not matter to the cost.
   *
   * @param events what happened; empty means that nothing did
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

  /** Answers for every kind of event. */
  interface Visitor<R> {
    R gaussian(Gaussian event);

    R sampledGaussian(SampledGaussian event);

    R repeated(Repeated event);

    R composition(Composition event);
  }

  /** Calls the visitor's method for this kind. */
  <R> R accept(Visitor<R> visitor);

  /** This event, {@code count} times. */
  default PrivacyEvent times(long count) {
    return new Repeated(this, count);
  }

  /** This event as one line of JSON; {@link #fromJson} reads it back to an equal event. */
  default String toJson() {
    return EventJson.write(this);
  }

  /**
   * Reads what {@link #toJson} wrote.
   *
   * @throws IllegalArgumentException if the text is no event, or one of a kind this version does
   *     not know; the message names it
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
