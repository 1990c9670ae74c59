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

/** The options that describe a run. All are optional; each command checks what it requires. */
final class AccountingOptions {

  /** Larger than any data set. */
  private static final long MAX_POPULATION = 1_000_000_000_000_000L;

  @Option(
      names = "--sampling-rate",
      paramLabel = "RATE",
      description =
          "Probability with which each step includes each record, such as 0.01 or 256/60000")
  private @Nullable String samplingRate;

  @Option(
      names = "--noise-multiplier",
      paramLabel = "SIGMA",
      description =
          "Standard deviation of the noise on the sum, divided by the bound on one record's"
              + " contribution")
  private @Nullable String noiseMultiplier;

  @Option(
      names = "--steps",
      paramLabel = "STEPS",
      description = "Number of steps (samples drawn), such as 10000 or 1e4")
  private @Nullable String steps;

  @Option(
      names = "--population",
      paramLabel = "N",
      description = "Declared number of records; with --batch, in place of --sampling-rate")
  private @Nullable String population;

  @Option(
      names = "--batch",
      paramLabel = "L",
      description = "Expected number of records per step; the sampling rate is L/N")
  private @Nullable String batch;

  @Option(
      names = "--epochs",
      paramLabel = "E",
      description = "Number of passes over the data, in place of --steps: E/RATE steps, rounded up")
  private @Nullable String epochs;

  @Option(
      names = "--replace-one",
      description =
          "Protect against replacing a record by another one (default: against adding or removing a"
              + " record)")
  private boolean replaceOne;

  @Option(
      names = "--group",
      paramLabel = "K",
      description = "Protect people with up to K records each (default: 1)")
  private @Nullable String group;

  /** Returns an option that describes the steps of a run, or null if none was given. */
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

  /** Returns the maximum number of records per person. */
  int records() {
    return group == null
        ? 1
        : (int)
            OptionValues.whole(
                "--group", group, 1, 1_000_000, "use the number of records per person");
  }

  /** Returns the sampling rate from any of its options, or null if none was given. */
  @Nullable SamplingRate rate() {
    if (samplingRate != null && batch != null) {
      throw new InvalidInputException(
          "--sampling-rate and --batch cannot be combined; use --sampling-rate alone, or"
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
          "--batch needs --population, because the sampling rate is batch/population");
    }
    return new SamplingRate(expectedBatch(batch, population), BigDecimal.valueOf(population));
  }

  private static BigDecimal expectedBatch(String batch, long population) {
    return OptionValues.exact(
        "--batch",
        batch,
        x -> x > 0 && x <= population,
        "above 0 and at most the population " + population,
        "use the expected number of records per step");
  }

  /** Returns the declared number of records, or null if it was not given. */
  @Nullable Long population() {
    return population == null
        ? null
        : OptionValues.whole(
            "--population", population, 1, MAX_POPULATION, "use the number of records");
  }

  @Nullable Double noiseMultiplier() {
    return noiseMultiplier == null
        ? null
        : OptionValues.real(
            "--noise-multiplier",
            noiseMultiplier,
            x -> x >= 0,
            "finite and at least 0",
            "try a value from 0.5 to 10");
  }

  /** Returns the number of steps from any of its options, or null if none was given. */
  @Nullable Long steps(@Nullable SamplingRate rate) {
    if (steps != null && epochs != null) {
      throw new InvalidInputException("--steps and --epochs cannot be combined; use one of them");
    }
    if (steps != null) {
      return OptionValues.whole(
          "--steps", steps, 0, PrivacyEvent.MAX_COUNT, "use the number of samples drawn");
    }
    return epochs == null ? null : stepsOfEpochs(epochs, rate);
  }

  private static long stepsOfEpochs(String epochs, @Nullable SamplingRate rate) {
    if (rate == null) {
      throw new InvalidInputException(
          "--epochs needs the sampling rate; to compute the rate, use --steps instead");
    }
    BigDecimal passes =
        OptionValues.exact(
            "--epochs", epochs, x -> x > 0, "above 0", "use the number of passes over the data");
    BigDecimal steps = rate.steps(passes);
    if (steps.compareTo(BigDecimal.valueOf(PrivacyEvent.MAX_COUNT)) > 0) {
      throw InvalidInputException.of(
          "--epochs",
          "at most " + Decimals.grouped(PrivacyEvent.MAX_COUNT) + " steps",
          epochs,
          "use the number of passes over the data");
    }
    return steps.longValueExact();
  }

  /** Returns the run; all of its options must be given. */
  PlannedRun setting() {
    SamplingRate rate = rate();
    if (rate == null) {
      throw new InvalidInputException(
          "the sampling rate is missing; add --sampling-rate, or --population with --batch");
    }
    if (population != null && batch == null) {
      throw new InvalidInputException(
          "--population needs --batch, because the sampling rate is batch/population");
    }
    Double noise = noiseMultiplier();
    if (noise == null) {
      throw new InvalidInputException(
          "--noise-multiplier is missing; compute one with 'sordino calibrate'");
    }
    Long steps = steps(rate);
    if (steps == null) {
      throw new InvalidInputException("the number of steps is missing; add --steps or --epochs");
    }
    return new PlannedRun(rate.value(), noise, steps, neighboring(), records());
  }
}
