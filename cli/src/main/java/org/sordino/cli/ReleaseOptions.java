package org.sordino.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.sordino.mechanism.Layout;
import org.sordino.mechanism.VectorGroup;
import org.sordino.training.AdaptiveClipping;
import org.sordino.training.Metric;
import org.sordino.training.TrainingPlan;
import picocli.CommandLine.Option;

/** What is released beside the gradients, each at a price of its own. */
final class ReleaseOptions {

  private static final double STATISTICS_SHARE = 0.1;

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
  private boolean normalise;

  @Option(
      names = "--normalise-noise",
      paramLabel = "Z",
      description = "Noise multiplier of that question; by default it costs 5 %% of the budget.")
  private @Nullable String normaliseNoise;

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

  /** What is done to inputs. */
  Preprocessing inputs() {
    return new Preprocessing(
        normalise,
        pca == null ? 0 : (int) Numbers.whole("--pca", pca, 1, 20_000, "it is a number of inputs"));
  }

  /** Checks what can be checked before any record is read. */
  void check(boolean local) {
    inputs();
    if (normalise && pca != null) {
      throw new InvalidInputException(
          "--normalise and --pca contradict each other; principal directions are those of inputs"
              + " as they are");
    }
    if ((normalise || pca != null) && !local) {
      throw new InvalidInputException(
          (normalise ? "--normalise" : "--pca") + " needs --engine java");
    }
    require("--normalise-noise", normaliseNoise, "--normalise", normalise);
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
        throw Numbers.bad(
            "--metrics", "some of loss, accuracy, classes, unclipped", name, "separate by commas");
      }
    }
    return kinds;
  }

  /** The noise multiplier of the query, as far as the user says it. */
  @Nullable Double noiseGiven() {
    String option = normalise ? "--normalise-noise" : "--pca-noise";
    String text = normalise ? normaliseNoise : pcaNoise;
    return text == null ? null : Numbers.real(option, text, x -> x > 0, "above 0", "try 10");
  }

  /** Adds everything to a plan but the queries. */
  void addTo(TrainingPlan.Builder plan, ModelShape shape) {
    double share = share("--metric-share", metricShare, Metric.DEFAULT_SHARE);
    for (Metric.Kind kind : kinds()) {
      plan.metric(metric(kind, shape, share));
    }
    if (adaptiveClip != null) {
      plan.metric(Metric.unclipped(share));
      plan.adaptive(
          AdaptiveClipping.to(
              Numbers.real(
                  "--adaptive-clip", adaptiveClip, x -> x >= 0 && x <= 1, "in [0, 1]", "try 0.5")));
    }
    statistics(plan, shape);
  }

  private Metric metric(Metric.Kind kind, ModelShape shape, double share) {
    boolean needsClasses = kind == Metric.Kind.ACCURACY || kind == Metric.Kind.CLASSES;
    if (needsClasses && shape.classes() == 0) {
      throw new InvalidInputException(
          "--metrics %s must be asked of a classifier, not of a regression; leave it out"
              .formatted(kind.name().toLowerCase(Locale.ROOT)));
    }
    return switch (kind) {
      case LOSS ->
          Metric.loss(
              lossBound == null
                  ? 10
                  : Numbers.real(
                      "--loss-bound", lossBound, x -> x > 0 && x <= 1e30, "above 0", "try 10"),
              share);
      case ACCURACY -> Metric.accuracy(share);
      case CLASSES -> Metric.classes(shape.classes(), share);
      case UNCLIPPED -> Metric.unclipped(share);
    };
  }

  private void statistics(TrainingPlan.Builder plan, ModelShape shape) {
    List<Layout.Vector> following = shape.statistics();
    if (following.isEmpty()) {
      require("--statistics-share", statisticsShare, "a model with batch-norm", false);
      require("--statistics-bound", statisticsBound, "a model with batch-norm", false);
      return;
    }
    int dimension = following.stream().mapToInt(Layout.Vector::dimension).sum();
    double bound =
        statisticsBound == null
            ? 0.5 * Math.sqrt(dimension)
            : Numbers.real(
                "--statistics-bound",
                statisticsBound,
                x -> x > 0 && x <= 1e30,
                "above 0",
                "try " + Numbers.nearest(0.5 * Math.sqrt(dimension), 2));
    plan.shared(
        VectorGroup.flat("statistics", following.stream().map(Layout.Vector::name).toList(), bound),
        share("--statistics-share", statisticsShare, STATISTICS_SHARE));
  }

  private static double share(String option, @Nullable String text, double fallback) {
    return text == null
        ? fallback
        : Numbers.real(option, text, x -> x > 0 && x < 1, "above 0 and below 1", "try 0.01");
  }
}
