package org.sordino.reproduction;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.sordino.PrivacyBudget;
import org.sordino.report.Decimals;
import org.sordino.report.Figure;
import org.sordino.torch.Architecture;
import org.sordino.torch.FeatureExtractor;
import org.sordino.torch.ImageData;
import org.sordino.torch.TorchData;
import org.sordino.training.Optimizer;
import org.sordino.training.Schedule;
import org.sordino.training.TrainingPlan;

/**
 * CIFAR-10 as in Abadi et al. (2016, section 5.3): frozen convolutions followed by private layers.
 * The paper pretrained its convolutions on CIFAR-100. Fixed wavelets, for which no data was used,
 * replace them here.
 */
final class AbadiCifar10Reproduction implements Reproduction {

  private static final double DELTA = 1e-5;
  private static final double LOT = 4000;
  private static final double EPOCHS = 30;
  private static final double CLIP = 1;
  private static final double RATE = 1;
  private static final int QUICK_IMAGES = 2000;

  /** A result of the paper; an infinite epsilon means training without noise. */
  private record Row(double epsilon, double published) {

    boolean isPrivate() {
      return epsilon < Double.POSITIVE_INFINITY;
    }

    String name() {
      return isPrivate() ? "epsilon " + Decimals.plain(epsilon) : "without noise";
    }
  }

  private static final List<Row> ROWS =
      List.of(
          new Row(2, 67), new Row(4, 70), new Row(8, 73), new Row(Double.POSITIVE_INFINITY, 80));

  @Override
  public String id() {
    return "abadi-cifar10";
  }

  @Override
  public String title() {
    return "CIFAR-10 with frozen convolutions and private layers (Abadi et al. 2016, section 5.3)";
  }

  @Override
  public Result run(Effort effort) {
    ImageExperiment experiment = experiment(effort);
    List<Finding> findings = new ArrayList<>();
    List<Figure.Line> lines = new ArrayList<>();
    Map<String, Object> data = new LinkedHashMap<>();
    for (Row row : ROWS) {
      TrainingPlan plan = plan(effort, experiment, row);
      int seeds = row.isPrivate() ? effort.seeds() : 1;
      List<ImageExperiment.Run> runs = experiment.runs(row.name(), plan, seeds);
      findings.add(finding(row, plan, ImageExperiment.accuracy(runs)));
      lines.add(
          new Figure.Line(
              row.name(),
              row.isPrivate() ? Figure.Look.MEASURED : Figure.Look.MEASURED_TOO,
              lines.size(),
              ImageExperiment.points(runs)));
      data.put(row.name(), runs.stream().map(ImageExperiment.Run::accuracies).toList());
    }
    Figure figure =
        ImageExperiment.figure(
            "Test accuracy over epochs",
            "Means over the seeds. The dashed line is training without noise.",
            lines);
    return new Result(findings, remarks(), List.of(figure), data);
  }

  private static ImageExperiment experiment(Effort effort) {
    ImageData images = ImageExperiment.load(ImageData.Source.CIFAR_10);
    TorchData training = images.trainingData();
    TorchData test = images.testData();
    try (FeatureExtractor wavelets = FeatureExtractor.scattering()) {
      int[] shape = training.shape();
      int threads = Runtime.getRuntime().availableProcessors();
      training =
          wavelets.features(
              effort.quick() ? training.first(QUICK_IMAGES) : training, shape, threads);
      test = wavelets.features(effort.quick() ? test.first(QUICK_IMAGES) : test, shape, threads);
    }
    return ImageExperiment.of(
        Architecture.logisticRegression(training.width(), 10), training, test, effort.cells());
  }

  private static TrainingPlan plan(Effort effort, ImageExperiment experiment, Row row) {
    long steps = effort.quick() ? 30 : Math.round(EPOCHS * 50_000 / LOT);
    TrainingPlan.Builder plan =
        experiment
            .plan()
            .expectedBatch(effort.quick() ? 200 : LOT)
            .steps(steps)
            .clip(CLIP)
            .optimizer(new Optimizer.Sgd(RATE, 0.9))
            .schedule(new Schedule(Schedule.Shape.LINEAR, 0.05, steps));
    return (row.isPrivate()
            ? plan.budget(new PrivacyBudget(row.epsilon(), DELTA))
            : plan.noiseMultiplier(0))
        .build();
  }

  private static Finding finding(Row row, TrainingPlan plan, SeedStatistics spread) {
    return new Finding(
        "test accuracy, %s, noise multiplier %s"
            .formatted(row.name(), Decimals.nearest(plan.privacy().noiseMultiplier(), 3)),
        Decimals.plain(row.published()) + "%",
        spread.text(4) + "%",
        Decimals.nearest(spread.mean() - row.published(), 2) + " points relative to the paper");
  }

  private static List<String> remarks() {
    return List.of(
        "The paper froze convolutions that had been pretrained on CIFAR-100, which is not"
            + " available here. This reproduction replaces them with fixed wavelets (a"
            + " scattering transform with two orders, 3,888 numbers per image, averaged over"
            + " squares of 8 x 8 pixels), for which no data was used, and trains one private"
            + " linear layer instead of three. Both differences may contribute to the gap"
            + " to the published accuracy: the features were not learned from 50,000 other images,"
            + " and fewer layers are trained. The run without noise, still clipped to 1, shows the"
            + " limit of this setup. The published 80% in the same row is the paper's whole network"
            + " without privacy.",
        "The lot size (expected batch size) is 4,000, with 30 epochs, clipping norm 1, and SGD"
            + " with momentum 0.9 and a learning rate that falls from 1 to 0.05. The tight"
            + " accountant determines the noise at delta 1e-5. The features are standardized within"
            + " each image, so no record affects another.",
        "Accuracy is computed on the test images without noise and is not private. The"
            + " randomness comes from seeds, so no privacy guarantee is stated.");
  }
}
