package org.sordino;

/**
 * What a run will do to the records, decided before any of them is touched: {@code steps} times,
 * draw a Poisson sample at rate {@link #samplingRate}, and release its bounded sum with Gaussian
 * noise.
 *
 * <p>{@code population} and {@code expectedBatch} are declared, public numbers. Nothing that is
 * released depends on how many records there really are or were drawn.
 *
 * @param population n, the declared number of records
 * @param expectedBatch L, the expected number of records in a sample, at most {@code population}
 * @param steps T, the number of samples drawn
 * @param noiseMultiplier sigma, the noise deviation over the bound on one record's contribution
 * @param neighboring which data sets must look alike
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

  /** q = L / n, the probability with which each record enters a sample. */
  public double samplingRate() {
    return expectedBatch / population;
  }

  /** How often the run goes through the data, on average: T q. */
  public double epochs() {
    return steps * samplingRate();
  }

  /** What the ledger of a complete run amounts to; any accountant prices it. */
  public PrivacyEvent event() {
    return new PrivacyEvent.SampledGaussian(samplingRate(), noiseMultiplier).times(steps);
  }
}
