package org.sordino.cli;

import java.util.LinkedHashMap;
import java.util.Map;
import org.sordino.Neighbouring;
import org.sordino.PrivacyEvent;

/**
 * A run that is complete enough to be priced.
 *
 * @param samplingRate q
 * @param noiseMultiplier sigma
 * @param steps T
 * @param neighbouring which data sets must look alike
 * @param records how many records one person owns at most
 */
record Setting(
    double samplingRate,
    double noiseMultiplier,
    long steps,
    Neighbouring neighbouring,
    int records) {

  PrivacyEvent step() {
    return new PrivacyEvent.SampledGaussian(samplingRate, noiseMultiplier);
  }

  PrivacyEvent event() {
    return step().times(steps);
  }

  double epochs() {
    return steps * samplingRate;
  }

  /** The run in words. */
  String describe() {
    return Numbers.grouped(steps)
        + (steps == 1 ? " step" : " steps")
        + " with sampling rate "
        + Numbers.brief(samplingRate)
        + " ("
        + Numbers.brief(Math.rint(epochs() * 100) / 100)
        + " epochs) and noise multiplier "
        + Numbers.brief(noiseMultiplier);
  }

  /** The relation in words. */
  String relation() {
    String who = records == 1 ? "one record" : "up to " + Numbers.grouped(records) + " records";
    return switch (neighbouring) {
      case ADD_OR_REMOVE_ONE -> who + " added or removed";
      case REPLACE_ONE -> who + " replaced";
    };
  }

  Map<String, Object> json() {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("samplingRate", samplingRate);
    json.put("noiseMultiplier", noiseMultiplier);
    json.put("steps", steps);
    json.put("epochs", epochs());
    json.put(
        "neighbouring", neighbouring == Neighbouring.REPLACE_ONE ? "replace-one" : "add-remove");
    json.put("records", records);
    return json;
  }
}
