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

/** The options for private releases other than gradients. Each has its own privacy cost. */
final class ReleaseOptions {

  @Option(
      names = "--metrics",
      paramLabel = "NAMES",
      split = ",",
      description =
          "Private metrics of each sample, written to private-metrics.csv: loss, accuracy, classes"
              + " (share of each class), unclipped (share of records within the clipping bound)")
  private List<String> metrics = new ArrayList<>();

  @Option(
      names = "--metric-share",
      paramLabel = "S",
      description = "Share of a step's privacy budget for each metric (default: 0.01)")
  private @Nullable String metricShare;

  @Option(
      names = "--loss-bound",
      paramLabel = "B",
      description = "Bound to which a record's loss is clipped in --metrics loss (default: 10)")
  private @Nullable String lossBound;

  @Option(
      names = "--adaptive-clip",
      paramLabel = "QUANTILE",
      description =
          "Adapt the clipping bound, starting from --clip, so that this share of records is within"
              + " it; updates are divided by the bound")
  private @Nullable String adaptiveClip;

  @Option(
      names = "--normalize",
      description = "Standardize inputs with a private mean and variance, measured before training")
  private boolean normalize;

  /** Accepts the spelling of version 0.1. */
  @Option(names = "--normalise", hidden = true)
  void normalise(boolean value) {
    normalize |= value;
  }

  @Option(
      names = "--normalize-noise",
      paramLabel = "Z",
      description =
          "Noise multiplier of the query for --normalize (default: chosen to cost 5%% of the"
              + " budget; 10 without --epsilon)")
  private @Nullable String normalizeNoise;

  /** Accepts the spelling of version 0.1. */
  @Option(names = "--normalise-noise", hidden = true)
  void normaliseNoise(String value) {
    normalizeNoise = value;
  }

  @Option(
      names = "--pca",
      paramLabel = "K",
      description =
          "Project inputs onto K private principal directions, measured before training; for linear"
              + " models and mlp")
  private @Nullable String pca;

  @Option(
      names = "--pca-noise",
      paramLabel = "Z",
      description =
          "Noise multiplier of the query for --pca (default: chosen to cost 5%% of the budget;"
              + " 10 without --epsilon)")
  private @Nullable String pcaNoise;

  @Option(
      names = "--statistics-share",
      paramLabel = "S",
      description =
          "Share of a step's privacy budget for the statistics of batch-norm layers (default: 0.1)")
  private @Nullable String statisticsShare;

  @Option(
      names = "--statistics-bound",
      paramLabel = "B",
      description =
          "Bound on a record's contribution to these statistics (default: half the square root of"
              + " their number)")
  private @Nullable String statisticsBound;

  /** Returns the preprocessing of the inputs. */
  Preprocessing preprocessing() {
    return new Preprocessing(normalize, directions());
  }

  private int directions() {
    return pca == null
        ? 0
        : (int) OptionValues.whole("--pca", pca, 1, 20_000, "use at most the number of inputs");
  }

  /** Checks combinations of options before any record is read. */
  void check(boolean local) {
    directions();
    if (normalize && pca != null) {
      throw new InvalidInputException(
          "--normalize and --pca cannot be combined, because --pca uses the original inputs; use"
              + " one of them");
    }
    if ((normalize || pca != null) && !local) {
      throw new InvalidInputException(
          (normalize ? "--normalize" : "--pca") + " needs --engine java");
    }
    require("--normalize-noise", normalizeNoise, "--normalize", normalize);
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
            "--metrics",
            "some of loss, accuracy, classes, unclipped",
            name,
            "separate the names by commas");
      }
    }
    return kinds;
  }

  /** Returns the noise multiplier of the query, or null for the default. */
  private @Nullable Double noiseGiven() {
    String option = normalize ? "--normalize-noise" : "--pca-noise";
    String text = normalize ? normalizeNoise : pcaNoise;
    return text == null ? null : OptionValues.real(option, text, x -> x > 0, "above 0", "try 10");
  }

  /** Adds all values except the preprocessing itself. */
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
