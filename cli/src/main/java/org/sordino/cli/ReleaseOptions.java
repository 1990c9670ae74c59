package org.sordino.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.sordino.run.InvalidInputException;
import org.sordino.run.Preprocessing;
import org.sordino.run.TrainingOptions;
import org.sordino.training.Metric;
import picocli.CommandLine.Option;

/** What is released beside the gradients, each at a price of its own. */
final class ReleaseOptions {

  @Option(
      names = "--metrics",
      paramLabel = "NAMES",
      split = ",",
      description =
          "What to learn of every sample, privately: loss, accuracy, classes (the share of each),"
              + " unclipped (the share of records within the bound). They go into"
              + " private-metrics.csv.")
  private List<String> metrics = new ArrayList<>();

  @Option(
      names = "--metric-share",
      paramLabel = "S",
      description = "What each metric gets of the cost of a step; 0.01 if not given.")
  private @Nullable String metricShare;

  @Option(
      names = "--loss-bound",
      paramLabel = "B",
      description = "Beyond it a record's loss does not count; 10 if not given.")
  private @Nullable String lossBound;

  @Option(
      names = "--adaptive-clip",
      paramLabel = "QUANTILE",
      description =
          "Let the clipping bound follow the data, from --clip to where this share of records is"
              + " within it; the gradient is divided by the bound.")
  private @Nullable String adaptiveClip;

  @Option(
      names = "--normalise",
      description =
          "Give inputs mean 0 and deviation 1, both asked of all records privately before training.")
  private boolean normalize;

  @Option(
      names = "--normalise-noise",
      paramLabel = "Z",
      description = "Noise multiplier of that question; by default it costs 5 %% of the budget.")
  private @Nullable String normalizeNoise;

  @Option(
      names = "--pca",
      paramLabel = "K",
      description =
          "Project inputs on K principal directions, asked of all records privately before"
              + " training; for linear and mlp.")
  private @Nullable String pca;

  @Option(
      names = "--pca-noise",
      paramLabel = "Z",
      description = "Noise multiplier of that question; by default it costs 5 %% of the budget.")
  private @Nullable String pcaNoise;

  @Option(
      names = "--statistics-share",
      paramLabel = "S",
      description = "What the statistics of batch-norm layers get of a step; 0.1 if not given.")
  private @Nullable String statisticsShare;

  @Option(
      names = "--statistics-bound",
      paramLabel = "B",
      description = "Bound on a record's part in them; half the root of their number by default.")
  private @Nullable String statisticsBound;

  /** What is done to inputs before training. */
  Preprocessing preprocessing() {
    return new Preprocessing(normalize, directions());
  }

  private int directions() {
    return pca == null
        ? 0
        : (int) OptionValues.whole("--pca", pca, 1, 20_000, "it is a number of inputs");
  }

  /** Checks what can be checked before any record is read. */
  void check(boolean local) {
    directions();
    if (normalize && pca != null) {
      throw new InvalidInputException(
          "--normalise and --pca contradict each other; principal directions are those of inputs"
              + " as they are");
    }
    if ((normalize || pca != null) && !local) {
      throw new InvalidInputException(
          (normalize ? "--normalise" : "--pca") + " needs --engine java");
    }
    require("--normalise-noise", normalizeNoise, "--normalise", normalize);
    require("--pca-noise", pcaNoise, "--pca", pca != null);
    require("--loss-bound", lossBound, "--metrics loss", kinds().contains(Metric.Kind.LOSS));
    require(
        "--metric-share",
        metricShare,
        "--metrics or --adaptive-clip",
        !metrics.isEmpty() || adaptiveClip != null);
    noiseGiven();
  }

  private static void require(
      String option, @Nullable String given, String other, boolean present) {
    if (given != null && !present) {
      throw new InvalidInputException(option + " needs " + other);
    }
  }

  private Set<Metric.Kind> kinds() {
    Set<Metric.Kind> kinds = new TreeSet<>();
    for (String name : metrics) {
      try {
        kinds.add(Metric.Kind.valueOf(name.strip().toUpperCase(Locale.ROOT)));
      } catch (IllegalArgumentException e) {
        throw InvalidInputException.of(
            "--metrics", "some of loss, accuracy, classes, unclipped", name, "separate by commas");
      }
    }
    return kinds;
  }

  /** The noise multiplier of the query, if the user gave it. */
  private @Nullable Double noiseGiven() {
    String option = normalize ? "--normalise-noise" : "--pca-noise";
    String text = normalize ? normalizeNoise : pcaNoise;
    return text == null ? null : OptionValues.real(option, text, x -> x > 0, "above 0", "try 10");
  }

  /** Adds all values but the preprocessing itself. */
  void addTo(TrainingOptions parsed) {
    parsed.metrics(kinds().toArray(Metric.Kind[]::new));
    Double noise = noiseGiven();
    if (noise != null) {
      parsed.queryNoise(noise);
    }
    if (metricShare != null) {
      parsed.metricShare(share("--metric-share", metricShare));
    }
    if (lossBound != null) {
      parsed.lossBound(bound("--loss-bound", lossBound, "try 10"));
    }
    if (adaptiveClip != null) {
      parsed.adaptiveClip(
          OptionValues.real(
              "--adaptive-clip", adaptiveClip, x -> x >= 0 && x <= 1, "in [0, 1]", "try 0.5"));
    }
    if (statisticsShare != null) {
      parsed.statisticsShare(share("--statistics-share", statisticsShare));
    }
    if (statisticsBound != null) {
      parsed.statisticsBound(bound("--statistics-bound", statisticsBound, "try 1"));
    }
  }

  private static double bound(String option, String text, String fix) {
    return OptionValues.real(option, text, x -> x > 0 && x <= 1e30, "above 0", fix);
  }

  private static double share(String option, String text) {
    return OptionValues.real(option, text, x -> x > 0 && x < 1, "above 0 and below 1", "try 0.01");
  }
}
