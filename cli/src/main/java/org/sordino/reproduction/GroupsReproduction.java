package org.sordino.reproduction;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.sordino.Neighboring;
import org.sordino.accounting.TightAccountant;
import org.sordino.mechanism.Layout;
import org.sordino.mechanism.NoiseAllocation;
import org.sordino.mechanism.VectorGroup;
import org.sordino.report.Decimals;
import org.sordino.report.Figure;
import org.sordino.torch.Architecture;
import org.sordino.torch.ImageData;
import org.sordino.training.Optimizer;
import org.sordino.training.TrainingPlan;

/**
 * Ways to bound the layers of a network (McMahan &amp; Andrew 2018, section 3) at the same price:
 * all layers as one vector, each layer by itself with equal or dimension-adjusted bounds, and
 * layers joined after scaling.
 */
final class GroupsReproduction implements Reproduction {

  private static final double NOISE = 1.1;
  private static final double DELTA = 1e-5;
  private static final double BATCH = 512;
  private static final double BOUND = 1;

  @Override
  public String id() {
    return "groups";
  }

  @Override
  public String title() {
    return "Groups of vectors (McMahan & Andrew 2018): four ways to clip the layers of a network";
  }

  /**
   * One way.
   *
   * @param groups the layers with their bounds; the squares of all bounds add up to S squared
   * @param allocation of the noise
   */
  private record Way(String name, List<VectorGroup> groups, NoiseAllocation allocation) {}

  @Override
  public Result run(Effort effort) {
    ImageExperiment experiment =
        ImageExperiment.of(ImageData.Source.MNIST, Architecture.mnistCnn(), effort);
    Map<String, List<ImageExperiment.Run>> measured = new LinkedHashMap<>();
    TrainingPlan last = null;
    for (Way way : ways(experiment.architecture().layout())) {
      TrainingPlan.Builder builder =
          experiment
              .plan()
              .expectedBatch(BATCH)
              .noiseMultiplier(NOISE)
              .groups(way.groups(), way.allocation())
              .optimizer(new Optimizer.Sgd(0.5, 0.5));
      last = (effort.quick() ? builder.steps(60) : builder.epochs(10)).build();
      measured.put(way.name(), experiment.runs(way.name(), last, effort.seeds()));
    }
    double epsilon =
        TightAccountant.of(Neighboring.ADD_OR_REMOVE_ONE)
            .epsilonBracket(java.util.Objects.requireNonNull(last).event(), DELTA)
            .upper();
    return new Result(
        findings(measured), remarks(measured, epsilon), List.of(figure(measured)), data(measured));
  }

  private static List<Way> ways(Layout layout) {
    List<VectorGroup> layers = VectorGroup.perLayer(layout.names(), BOUND);
    List<VectorGroup> adjusted = new ArrayList<>();
    List<Double> scales = new ArrayList<>();
    for (VectorGroup layer : layers) {
      int size =
          layout.vectors().stream()
              .filter(vector -> layer.vectors().contains(vector.name()))
              .mapToInt(Layout.Vector::dimension)
              .sum();
      double share = Math.sqrt((double) size / layout.dimension());
      adjusted.add(VectorGroup.flat(layer.name(), layer.vectors(), BOUND * share));
      layer.vectors().forEach(vector -> scales.add(Math.sqrt(share)));
    }
    return List.of(
        new Way(
            "flat",
            List.of(VectorGroup.flat("gradient", layout.names(), BOUND)),
            NoiseAllocation.EQUAL),
        new Way("per layer", layers, NoiseAllocation.EQUAL),
        new Way("dimension-adjusted", adjusted, NoiseAllocation.DIMENSION_ADJUSTED),
        new Way(
            "joint",
            List.of(VectorGroup.joint("gradient", layout.names(), scales, 1)),
            NoiseAllocation.EQUAL));
  }

  private static List<Finding> findings(Map<String, List<ImageExperiment.Run>> measured) {
    double flat = mean(measured, "flat");
    List<Finding> findings = new ArrayList<>();
    measured.forEach(
        (way, runs) -> {
          SeedStatistics spread = ImageExperiment.accuracy(runs);
          findings.add(
              new Finding(
                  "test accuracy, " + way,
                  "no figures are printed",
                  spread.text(4) + " %",
                  way.equals("flat")
                      ? "the usual choice"
                      : Decimals.nearest(spread.mean() - flat, 2) + " points from flat"));
        });
    return findings;
  }

  private static double mean(Map<String, List<ImageExperiment.Run>> measured, String way) {
    List<ImageExperiment.Run> runs = measured.get(way);
    if (runs == null) {
      throw new IllegalStateException("nothing was measured for " + way);
    }
    return ImageExperiment.accuracy(runs).mean();
  }

  private static List<String> remarks(
      Map<String, List<ImageExperiment.Run>> measured, double epsilon) {
    return List.of(
        "MNIST, the CNN of Opacus' example, lots of 512, noise multiplier 1.1, S = 1 in all: every"
            + " run costs epsilon "
            + Decimals.up(epsilon, 3)
            + " at delta 1e-5, because the groups compose to one Gaussian sum with the same"
            + " multiplier. The learning rate is 0.5 with momentum 0.5 everywhere.",
        "The squares of the bounds of all layers add up to 1. With equal bounds a layer has 1/2; with"
            + " dimension-adjusted ones the first linear layer, which has two thirds of the"
            + " parameters, has most of it, and layers with few parameters are clipped hard. Joint"
            + " clipping divides the vectors of a layer by (d_g / D)^(1/4) first and puts as much"
            + " less noise on them: small layers get less noise, and all layers are shortened by the"
            + " same factor. It pays where the scales are close to the norms that layers really"
            + " have; with sqrt(d_g / D) instead it was far worse.",
        "The best and the worst way differ by "
            + Decimals.nearest(range(measured), 2)
            + " points. Accuracy is computed on test images without noise and is not private; the"
            + " randomness comes from seeds, so no guarantee is stated.");
  }

  private static double range(Map<String, List<ImageExperiment.Run>> measured) {
    double best = 0;
    double worst = 100;
    for (String way : measured.keySet()) {
      best = Math.max(best, mean(measured, way));
      worst = Math.min(worst, mean(measured, way));
    }
    return best - worst;
  }

  private static Figure figure(Map<String, List<ImageExperiment.Run>> measured) {
    List<Figure.Line> lines = new ArrayList<>();
    measured.forEach(
        (way, runs) ->
            lines.add(
                new Figure.Line(
                    way, Figure.Look.MEASURED, lines.size(), ImageExperiment.points(runs))));
    return ImageExperiment.figure(
        "Test accuracy over epochs", "Means over the seeds; all runs cost the same.", lines);
  }

  private static Map<String, Object> data(Map<String, List<ImageExperiment.Run>> measured) {
    Map<String, Object> data = new LinkedHashMap<>();
    measured.forEach(
        (way, runs) ->
            data.put(
                way,
                Map.of(
                    "epochs",
                    runs.get(0).epochs(),
                    "accuracies",
                    runs.stream().map(ImageExperiment.Run::accuracies).toList())));
    return data;
  }
}
