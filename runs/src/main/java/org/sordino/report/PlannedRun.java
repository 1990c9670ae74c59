package org.sordino.report;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.sordino.Neighboring;
import org.sordino.PrivacyEvent;

/**
 * A run that is complete enough to be priced.
 *
 * @param samplingRate q
 * @param noiseMultiplier sigma
 * @param steps T
 * @param neighboring which data sets must look alike
 * @param records how many records one person owns at most
 */
public record PlannedRun(
    double samplingRate, double noiseMultiplier, long steps, Neighboring neighboring, int records)
    implements AccountedRun {

  @Override
  public PrivacyEvent event() {
    return after(steps);
  }

  @Override
  public PrivacyEvent after(long count) {
    return new PrivacyEvent.SampledGaussian(samplingRate, noiseMultiplier).times(count);
  }

  public double epochs() {
    return steps * samplingRate;
  }

  @Override
  public String describe() {
    return Decimals.grouped(steps)
        + (steps == 1 ? " step" : " steps")
        + " with sampling rate "
        + Decimals.brief(samplingRate)
        + " ("
        + Decimals.brief(Math.rint(epochs() * 100) / 100)
        + " epochs) and noise multiplier "
        + Decimals.brief(noiseMultiplier);
  }

  @Override
  public Map<String, @Nullable Object> json() {
    Map<String, @Nullable Object> json = new LinkedHashMap<>();
    json.put("samplingRate", samplingRate);
    json.put("noiseMultiplier", noiseMultiplier);
    json.put("steps", steps);
    json.put("epochs", epochs());
    json.put("neighbouring", AccountedRun.spelling(neighboring));
    json.put("records", records);
    return json;
  }
}
