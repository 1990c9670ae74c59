package org.sordino.report;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.sordino.Neighboring;
import org.sordino.PrivacyEvent;

/**
 * A planned run with all parameters that determine its privacy cost.
 *
 * @param samplingRate sampling rate q
 * @param noiseMultiplier noise multiplier sigma
 * @param steps number of steps T
 * @param neighboring neighboring relation
 * @param records maximum number of records per person
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

  /** Returns the expected number of passes over the data. */
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
