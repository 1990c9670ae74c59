package org.sordino.cli;

import java.io.PrintWriter;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.sordino.Neighboring;
import org.sordino.PrivacyBudget;
import org.sordino.accounting.Accountant;
import org.sordino.accounting.AsPrinted;
import org.sordino.accounting.Calibration;
import org.sordino.accounting.GroupPrivacy;
import org.sordino.accounting.MomentsAccountant;
import org.sordino.accounting.NaiveComposition;
import org.sordino.accounting.RdpAccountant;
import org.sordino.accounting.StrongComposition;
import org.sordino.accounting.TightAccountant;
import org.sordino.json.Json;
import org.sordino.report.Decimals;
import org.sordino.report.PlannedRun;
import org.sordino.run.InvalidInputException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code sordino calibrate}: computes the noise, sampling rate or steps that meet a budget. */
@Command(
    name = "calibrate",
    description = {
      "Compute the noise multiplier, sampling rate or number of steps that meets a privacy budget",
      "",
      "Set two of these three values. The third is computed and rounded to the safe side."
    },
    mixinStandardHelpOptions = true,
    sortOptions = false,
    usageHelpWidth = 100,
    footer = {
      "",
      "Examples:",
      "  sordino calibrate --epsilon 1 --delta 1e-5 --sampling-rate 0.01 --steps 10000",
      "  sordino calibrate --epsilon 3 --delta 1e-5 --population 60000 --batch 256 --epochs 50",
      "  sordino calibrate --epsilon 3 --delta 1e-5 --noise-multiplier 1.3 --steps 1e4 \\",
      "      --population 60000",
      "  sordino calibrate --epsilon 1 --delta 1e-5 --noise-multiplier 4 --sampling-rate 0.01",
      "",
      "'--by naive-formula' is sigma = q T sqrt(2 ln(1.25 q T / delta)) / epsilon, as printed in a",
      "note on composition. It is not a bound: it uses q epsilon for a sampled step, whose epsilon",
      "is larger, and applies the formula of the Gaussian mechanism above epsilon 1, where",
      "the proof does not hold. For a guarantee by adding up costs, use '--by naive'."
    })
final class CalibrateCommand implements Callable<Integer> {

  private static final int DIGITS = 6;

  @Spec private CommandSpec spec;

  @Mixin private AccountingOptions run;

  @Option(
      names = "--epsilon",
      required = true,
      paramLabel = "EPSILON",
      description = "Target epsilon")
  private String epsilon = "";

  @Option(names = "--delta", required = true, paramLabel = "DELTA", description = "Target delta")
  private String delta = "";

  @Option(
      names = "--by",
      paramLabel = "ACCOUNTANT",
      defaultValue = "tight",
      description =
          "Accountant: tight, rdp, moments, strong, naive or naive-formula (default: tight)")
  private String by = "tight";

  @Option(names = "--json", description = "Print the result as JSON with all digits")
  private boolean json;

  @Override
  public Integer call() {
    PrivacyBudget target = target();
    Accountant accountant = GroupPrivacy.of(accountant(by, run.neighboring()), run.records());
    Solution solution;
    try {
      solution = solve(Calibration.of(accountant, target));
    } catch (
        IllegalArgumentException e) { // out of reach for this accountant; the message explains why
      throw new InvalidInputException(String.valueOf(e.getMessage()));
    }
    PrintWriter out = spec.commandLine().getOut();
    if (json) {
      out.println(Json.writePretty(json(solution, accountant, target)));
    } else {
      print(solution, accountant, target, out);
    }
    return Main.OK;
  }

  private PrivacyBudget target() {
    double value =
        OptionValues.real(
            "--epsilon", epsilon, x -> x > 0, "finite and above 0", "try a value from 0.1 to 10");
    return new PrivacyBudget(value, OptionValues.delta(delta));
  }

  private static Accountant accountant(String by, Neighboring relation) {
    Accountant accountant =
        switch (by) {
          case "tight" -> TightAccountant.of(relation);
          case "rdp" -> RdpAccountant.of(relation);
          case "moments" -> MomentsAccountant.of(relation);
          case "strong" -> StrongComposition.of(relation);
          case "naive" -> NaiveComposition.of(relation);
          case "naive-formula" -> AsPrinted.naive();
          case "gdp" ->
              throw new InvalidInputException(
                  "--by must be an accountant that gives a guarantee, got gdp, an approximation"
                      + " that can under-report epsilon; use tight");
          default ->
              throw InvalidInputException.of(
                  "--by", "tight, rdp, moments, strong, naive or naive-formula", by, "use tight");
        };
    if (accountant.neighboring() != relation) {
      throw new InvalidInputException(
          "--by must be an accountant that supports --replace-one, got " + by + "; use tight");
    }
    return accountant;
  }

  private Solution solve(Calibration calibration) {
    SamplingRate rate = run.rate();
    Double noise = run.noiseMultiplier();
    Long steps = run.steps(rate);
    if (rate != null && steps != null && noise == null) {
      double sigma = calibration.noiseMultiplier(rate.value(), steps);
      return Solution.noise(setting(rate.value(), sigma, steps));
    }
    if (noise != null && steps != null && rate == null) {
      double q = calibration.samplingRate(noise, steps);
      return Solution.rate(setting(q, noise, steps));
    }
    if (rate != null && noise != null && steps == null) {
      long count = calibration.steps(rate.value(), noise);
      if (count == 0) {
        throw new InvalidInputException(
            "--epsilon is too small for a single step; use a larger epsilon, more noise or a"
                + " smaller sampling rate");
      }
      return Solution.steps(setting(rate.value(), noise, count));
    }
    throw new InvalidInputException(
        "exactly two of --noise-multiplier, --sampling-rate (or --batch) and --steps (or --epochs)"
            + " must be given, got "
            + Stream.of(rate, noise, steps).filter(Objects::nonNull).count()
            + "; leave out the one to be computed");
  }

  private PlannedRun setting(double samplingRate, double noiseMultiplier, long steps) {
    return new PlannedRun(samplingRate, noiseMultiplier, steps, run.neighboring(), run.records());
  }

  /**
   * The computed number and the complete run.
   *
   * @param key name of the number in JSON
   * @param name name of the number in text
   * @param value the number
   * @param shown the number as text, rounded to the safe side
   * @param setting the run with this number
   */
  private record Solution(String key, String name, Object value, String shown, PlannedRun setting) {

    static Solution noise(PlannedRun setting) {
      double value = setting.noiseMultiplier();
      return new Solution(
          "noiseMultiplier", "noise multiplier", value, Decimals.up(value, DIGITS), setting);
    }

    static Solution rate(PlannedRun setting) {
      double value = setting.samplingRate();
      return new Solution(
          "samplingRate", "sampling rate", value, Decimals.down(value, DIGITS), setting);
    }

    static Solution steps(PlannedRun setting) {
      long value = setting.steps();
      return new Solution("steps", "steps", value, Decimals.grouped(value), setting);
    }
  }

  private void print(
      Solution solution, Accountant accountant, PrivacyBudget target, PrintWriter out) {
    PlannedRun setting = solution.setting;
    Ansi ansi = spec.commandLine().getColorScheme().ansi();
    out.println(ansi.string("@|bold " + solution.name + " " + solution.shown + "|@"));
    out.println();
    out.println(setting.describe());
    Long population = run.population();
    if (population != null) {
      out.println("expected batch size " + batch(setting, population) + " of " + population);
    }
    out.println(
        "epsilon "
            + Decimals.up(accountant.epsilon(setting.event(), target.delta()), DIGITS)
            + " at delta "
            + Decimals.plain(target.delta())
            + " by '"
            + by
            + "' ("
            + kind(accountant)
            + "); neighboring data sets: "
            + setting.relation());
  }

  private Map<String, @Nullable Object> json(
      Solution solution, Accountant accountant, PrivacyBudget target) {
    Map<String, @Nullable Object> json = new LinkedHashMap<>(solution.setting.json());
    json.put(solution.key, solution.value);
    json.put("solvedFor", solution.key);
    json.put("targetEpsilon", target.epsilon());
    json.put("delta", target.delta());
    json.put("epsilon", accountant.epsilon(solution.setting.event(), target.delta()));
    json.put("by", by);
    json.put("evidence", kind(accountant));
    Long population = run.population();
    if (population != null) {
      json.put("population", population);
      json.put("batch", batch(solution.setting, population));
    }
    return json;
  }

  private static String kind(Accountant accountant) {
    return accountant.evidence() == Accountant.Evidence.BOUND ? "upper bound" : "not a bound";
  }

  /** Returns the expected batch size as a whole number, rounded down if the rate was computed. */
  private long batch(PlannedRun setting, long population) {
    double batch = setting.samplingRate() * population;
    return run.rate() == null ? (long) Math.floor(batch) : Math.round(batch);
  }
}
