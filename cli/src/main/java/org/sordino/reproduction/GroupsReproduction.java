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
 * Four ways to bound the layers of a network (McMahan &amp; Andrew 2018, section 3) at the same
 * privacy cost: all layers as one vector, each layer separately with equal or dimension-adjusted
 * bounds, and all layers jointly after scaling.
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
    return "Vector groups: four ways to clip the layers of a network (McMahan & Andrew 2018)";
  }

  /**
   * One way to clip.
   *
   * @param name name in tables
   * @param groups layers with their bounds; the squares of all bounds add up to S squared
   * @param allocation how the noise is divided among the groups
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
                  "no numbers published",
                  spread.text(4) + "%",
                  way.equals("flat")
                      ? "the usual choice"
                      : Decimals.nearest(spread.mean() - flat, 2) + " points relative to flat"));
        });
    return findings;
  }

  private static double mean(Map<String, List<ImageExperiment.Run>> measured, String way) {
    List<ImageExperiment.Run> runs = measured.get(way);
    if (runs == null) {
      throw new IllegalStateException("there are no measurements for " + way);
    }
    return ImageExperiment.accuracy(runs).mean();
  }

  private static List<String> remarks(
      Map<String, List<ImageExperiment.Run>> measured, double epsilon) {
    return List.of(
        "The setup is MNIST, the CNN of the Opacus example, expected batch size 512, noise"
            + " multiplier 1.1, and total bound S = 1. Every run costs epsilon "
            + Decimals.up(epsilon, 3)
            + " at delta 1e-5, because the groups compose to one Gaussian sum with the same"
            + " noise multiplier. All runs use learning rate 0.5 and momentum 0.5.",
        "The squares of all layer bounds add up to 1. With equal bounds, the bound of each layer"
            + " is 1/2. With dimension-adjusted bounds, the first linear layer, which has two"
            + " thirds of the parameters, gets most of the total, and layers with few parameters"
            + " are clipped hard. Joint clipping first divides the vectors of a layer by (d_g /"
            + " D)^(1/4) and reduces their noise accordingly: small layers get less noise, and"
            + " the vectors of all layers are scaled down by the same factor. This helps if the"
            + " scales are close to the actual norms of the layers. With sqrt(d_g / D) instead,"
            + " the accuracy was far worse.",
        "The best and the worst way differ by "
            + Decimals.nearest(range(measured), 2)
            + " points. Accuracy is computed on the test images without noise and is not"
            + " private. The randomness comes from seeds, so no privacy guarantee is stated.");
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
        "Test accuracy over epochs",
        "Means over the seeds. All runs have the same privacy cost.",
        lines);
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
