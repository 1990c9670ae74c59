package org.sordino;

/**
 * The plan of a run, fixed before any record is read. Each of {@code steps} steps draws a Poisson
 * sample at rate {@link #samplingRate} and releases its clipped sum with Gaussian noise.
 *
 * <p>{@code population} and {@code expectedBatch} are declared, public numbers. Nothing that is
 * released depends on the actual number of records or on the actual size of a sample.
 *
 * @param population n, the declared number of records
 * @param expectedBatch L, the expected number of records in a sample, at most {@code population}
 * @param steps T, the number of samples drawn
 * @param noiseMultiplier sigma, the standard deviation of the noise divided by the bound on one
 *     record's contribution
 * @param neighboring neighboring relation of the guarantee
 */
public record PrivacyPlan(
    long population,
    double expectedBatch,
    long steps,
    double noiseMultiplier,
    Neighboring neighboring) {

  public PrivacyPlan {
    if (population < 1) {
      throw new IllegalArgumentException("population must be at least 1, got " + population);
    }
    if (!(expectedBatch > 0 && expectedBatch <= population)) {
      throw new IllegalArgumentException(
          "expectedBatch must be above 0 and at most the population "
              + population
              + ", got "
              + expectedBatch);
    }
    if (steps < 0 || steps > PrivacyEvent.MAX_COUNT) {
      throw new IllegalArgumentException(
          "steps must be in [0, " + PrivacyEvent.MAX_COUNT + "], got " + steps);
    }
    if (!(noiseMultiplier >= 0)) {
      throw new IllegalArgumentException(
          "noiseMultiplier must be at least 0, got " + noiseMultiplier);
    }
  }

  /** Returns q = L / n, the probability that a record is included in a sample. */
  public double samplingRate() {
    return expectedBatch / population;
  }

  /** Returns T q, the expected number of passes over the data. */
  public double epochs() {
    return steps * samplingRate();
  }

  /** Returns the privacy event of a complete run, from which any accountant computes the cost. */
  public PrivacyEvent event() {
    return new PrivacyEvent.SampledGaussian(samplingRate(), noiseMultiplier).times(steps);
  }
}
