package org.sordino.cli;

import java.math.BigDecimal;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.sordino.Neighboring;
import org.sordino.PrivacyEvent;
import org.sordino.report.Decimals;
import org.sordino.report.PlannedRun;
import org.sordino.run.InvalidInputException;
import picocli.CommandLine.Option;

/** The options that describe a run; each may be left out, and the command says what it needs. */
final class AccountingOptions {

  /** More records than any data set has. */
  private static final long MAX_POPULATION = 1_000_000_000_000_000L;

  @Option(
      names = "--sampling-rate",
      paramLabel = "RATE",
      description = "Probability with which each record enters a step: 0.01, or 256/60000.")
  private @Nullable String samplingRate;

  @Option(
      names = "--noise-multiplier",
      paramLabel = "SIGMA",
      description = "Noise deviation on the sum, over the bound on one record's contribution.")
  private @Nullable String noiseMultiplier;

  @Option(
      names = "--steps",
      paramLabel = "STEPS",
      description = "Number of steps (samples drawn): 10000, or 1e4.")
  private @Nullable String steps;

  @Option(
      names = "--population",
      paramLabel = "N",
      description = "Declared number of records; with --batch, in place of --sampling-rate.")
  private @Nullable String population;

  @Option(
      names = "--batch",
      paramLabel = "L",
      description = "Expected number of records in a step; the sampling rate is L/N.")
  private @Nullable String batch;

  @Option(
      names = "--epochs",
      paramLabel = "E",
      description = "Passes over the data, in place of --steps: E/rate steps, rounded up.")
  private @Nullable String epochs;

  @Option(
      names = "--replace-one",
      description =
          "Protect against replacing a record by another one; without it, against adding or"
              + " removing one.")
  private boolean replaceOne;

  @Option(
      names = "--group",
      paramLabel = "K",
      description = "Protect people who own up to K records each; without it, single records.")
  private @Nullable String group;

  /** An option that says what is done to the records, if one was given. */
  @Nullable String given() {
    Map<String, @Nullable Object> options = new LinkedHashMap<>();
    options.put("--sampling-rate", samplingRate);
    options.put("--noise-multiplier", noiseMultiplier);
    options.put("--steps", steps);
    options.put("--population", population);
    options.put("--batch", batch);
    options.put("--epochs", epochs);
    options.put("--replace-one", replaceOne ? true : null);
    return options.keySet().stream()
        .filter(name -> options.get(name) != null)
        .findFirst()
        .orElse(null);
  }

  Neighboring neighboring() {
    return replaceOne ? Neighboring.REPLACE_ONE : Neighboring.ADD_OR_REMOVE_ONE;
  }

  /** How many records one person owns at most. */
  int records() {
    return group == null
        ? 1
        : (int) OptionValues.whole("--group", group, 1, 1_000_000, "it is records per person");
  }

  /** The sampling rate, however it was given; null if it was not. */
  @Nullable SamplingRate rate() {
    if (samplingRate != null && batch != null) {
      throw new InvalidInputException(
          "--sampling-rate and --batch contradict each other; give --sampling-rate alone, or"
              + " --population with --batch");
    }
    if (samplingRate != null) {
      return SamplingRate.parse("--sampling-rate", samplingRate);
    }
    if (batch == null) {
      return null;
    }
    Long population = population();
    if (population == null) {
      throw new InvalidInputException(
          "--batch needs --population: the sampling rate is batch/population");
    }
    return new SamplingRate(expectedBatch(batch, population), BigDecimal.valueOf(population));
  }

  private static BigDecimal expectedBatch(String batch, long population) {
    return OptionValues.exact(
        "--batch",
        batch,
        x -> x > 0 && x <= population,
        "above 0 and at most the population " + population,
        "it is the expected number of records in one step");
  }

  /** The declared number of records; null if it was not given. */
  @Nullable Long population() {
    return population == null
        ? null
        : OptionValues.whole(
            "--population", population, 1, MAX_POPULATION, "it is the number of records");
  }

  @Nullable Double noiseMultiplier() {
    return noiseMultiplier == null
        ? null
        : OptionValues.real(
            "--noise-multiplier",
            noiseMultiplier,
            x -> x >= 0,
            "finite and at least 0",
            "typical values are 0.5 to 10");
  }

  /** The number of steps, however it was given; null if it was not. */
  @Nullable Long steps(@Nullable SamplingRate rate) {
    if (steps != null && epochs != null) {
      throw new InvalidInputException(
          "--steps and --epochs contradict each other; give one of them");
    }
    if (steps != null) {
      return OptionValues.whole(
          "--steps", steps, 0, PrivacyEvent.MAX_COUNT, "it is the number of samples drawn");
    }
    return epochs == null ? null : stepsOfEpochs(epochs, rate);
  }

  private static long stepsOfEpochs(String epochs, @Nullable SamplingRate rate) {
    if (rate == null) {
      throw new InvalidInputException(
          "--epochs needs the sampling rate; give --steps if the rate is sought");
    }
    BigDecimal passes =
        OptionValues.exact("--epochs", epochs, x -> x > 0, "above 0", "it is passes over the data");
    BigDecimal steps = rate.steps(passes);
    if (steps.compareTo(BigDecimal.valueOf(PrivacyEvent.MAX_COUNT)) > 0) {
      throw InvalidInputException.of(
          "--epochs",
          "at most " + Decimals.grouped(PrivacyEvent.MAX_COUNT) + " steps",
          epochs,
          "it is passes over the data");
    }
    return steps.longValueExact();
  }

  /** The run, which must be complete. */
  PlannedRun setting() {
    SamplingRate rate = rate();
    if (rate == null) {
      throw new InvalidInputException(
          "the sampling rate is missing; give --sampling-rate, or --population with --batch");
    }
    if (population != null && batch == null) {
      throw new InvalidInputException(
          "--population needs --batch: the sampling rate is batch/population");
    }
    Double noise = noiseMultiplier();
    if (noise == null) {
      throw new InvalidInputException(
          "--noise-multiplier is missing; to find one, use 'sordino calibrate'");
    }
    Long steps = steps(rate);
    if (steps == null) {
      throw new InvalidInputException("the number of steps is missing; give --steps or --epochs");
    }
    return new PlannedRun(rate.value(), noise, steps, neighboring(), records());
  }
}
