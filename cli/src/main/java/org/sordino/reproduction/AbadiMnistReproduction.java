package org.sordino.reproduction;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.sordino.Neighboring;
import org.sordino.PrivacyBudget;
import org.sordino.PrivacyEvent;
import org.sordino.accounting.Calibration;
import org.sordino.accounting.MomentsAccountant;
import org.sordino.accounting.TightAccountant;
import org.sordino.mechanism.NoiseAllocation;
import org.sordino.mechanism.VectorGroup;
import org.sordino.report.Decimals;
import org.sordino.report.Figure;
import org.sordino.torch.Architecture;
import org.sordino.torch.ImageData;
import org.sordino.training.Optimizer;
import org.sordino.training.PrincipalDirections;
import org.sordino.training.PrivateQuery;
import org.sordino.training.Schedule;
import org.sordino.training.TrainingPlan;

/**
 * MNIST as in Abadi et al. (2016, section 5.2): private principal component analysis to 60
 * dimensions, a hidden layer of 1,000 ReLUs, lots of 600. Runs three epsilons, each with the noise
 * of the paper and with the smallest noise that the tight accountant allows.
 */
final class AbadiMnistReproduction implements Reproduction {

  private static final double DELTA = 1e-5;
  private static final double LOT = 600;

  /** Has 60 inputs and no biases, as in the code published with the paper. */
  private static final Architecture NETWORK =
      Architecture.fromJson(
          """
          {"input": [60], "layers": [
            {"type": "linear", "name": "hidden", "out": 1000, "bias": false}, {"type": "relu"},
            {"type": "linear", "name": "output", "out": 10, "bias": false}]}
          """);

  /**
   * Ratio of the initial weights' standard deviation in that code to ours. That code draws weights
   * from a normal distribution with standard deviation 1 / sqrt(inputs), truncated at two standard
   * deviations, which leaves 0.88 of the standard deviation. Ours are uniform with standard
   * deviation 1 / sqrt(3 inputs).
   */
  private static final double WIDER = 0.88 * Math.sqrt(3);

  /** One clipping bound per layer. */
  private static final List<VectorGroup> LAYERS =
      List.of(
          VectorGroup.flat("hidden", List.of("hidden.weight"), 4),
          VectorGroup.flat("output", List.of("output.weight"), 4));

  /**
   * A result of the paper.
   *
   * @param noise standard deviation on each layer's sum, as a multiple of the layer's bound
   * @param queryNoise noise multiplier of the Gram matrix
   */
  private record Row(double epsilon, double noise, double queryNoise, double published) {

    /** Returns the noise multiplier relative to the bound of all layers together. */
    double noiseMultiplier() {
      return noise / Math.sqrt(LAYERS.size());
    }
  }

  private static final List<Row> ROWS =
      List.of(new Row(0.5, 8, 16, 90), new Row(2, 4, 7, 95), new Row(8, 2, 4, 97));

  @Override
  public String id() {
    return "abadi-mnist";
  }

  @Override
  public String title() {
    return "MNIST with private PCA and one hidden layer (Abadi et al. 2016, section 5.2)";
  }

  @Override
  public Result run(Effort effort) {
    ImageExperiment experiment =
        ImageExperiment.of(ImageData.Source.MNIST, NETWORK, effort).startingWider(WIDER);
    List<Finding> findings = new ArrayList<>();
    List<Figure.Line> lines = new ArrayList<>();
    Map<String, Object> data = new LinkedHashMap<>();
    for (Row row : ROWS) {
      for (boolean tight : new boolean[] {false, true}) {
        TrainingPlan plan = plan(effort, experiment, row, tight);
        String name =
            "epsilon %s, noise of %s"
                .formatted(
                    Decimals.plain(row.epsilon()), tight ? "the tight accountant" : "the paper");
        int seeds = tight ? 1 : effort.seeds();
        List<ImageExperiment.Run> runs = experiment.runs(name, plan, seeds);
        SeedStatistics spread = ImageExperiment.accuracy(runs);
        findings.add(finding(row, name, plan, spread));
        lines.add(line(name, runs, lines.size(), tight));
        data.put(name, runs.stream().map(ImageExperiment.Run::accuracies).toList());
      }
    }
    Figure figure =
        ImageExperiment.figure(
            "Test accuracy over epochs",
            "Means over the seeds. Dashed lines use the tight accountant's noise.",
            lines);
    return new Result(findings, remarks(), List.of(figure), data);
  }

  /**
   * Runs as many steps as the moments accountant allows with the noise of the paper, including the
   * cost of the PCA. For the same number of steps, the tight accountant needs less noise.
   */
  private static TrainingPlan plan(
      Effort effort, ImageExperiment experiment, Row row, boolean tight) {
    PrivacyBudget budget = new PrivacyBudget(row.epsilon(), DELTA);
    double rate = LOT / 60_000;
    PrivateQuery query = PrincipalDirections.query(experiment.width(), row.queryNoise());
    Calibration moments =
        Calibration.of(MomentsAccountant.of(Neighboring.ADD_OR_REMOVE_ONE), budget);
    long steps =
        moments.steps(
            count ->
                new PrivacyEvent.Composition(
                    List.of(
                        query.event(),
                        new PrivacyEvent.SampledGaussian(rate, row.noiseMultiplier())
                            .times(count))));
    TrainingPlan.Builder plan =
        experiment
            .plan()
            .expectedBatch(LOT)
            .steps(effort.quick() ? 200 : steps)
            .groups(LAYERS, NoiseAllocation.EQUAL)
            .optimizer(Optimizer.sgd(0.1))
            .schedule(new Schedule(Schedule.Shape.LINEAR, 0.52, Math.round(10 / rate)))
            .query(query);
    return (tight
            ? plan.noiseMultiplier(
                Calibration.of(TightAccountant.of(Neighboring.ADD_OR_REMOVE_ONE), budget)
                    .noiseMultiplier(
                        z ->
                            new PrivacyEvent.Composition(
                                List.of(
                                    query.event(),
                                    new PrivacyEvent.SampledGaussian(rate, z).times(steps)))))
            : plan.noiseMultiplier(row.noiseMultiplier()))
        .build();
  }

  private static Finding finding(Row row, String name, TrainingPlan plan, SeedStatistics spread) {
    double gap = spread.mean() - row.published();
    return new Finding(
        "test accuracy, %s (%s), %s epochs"
            .formatted(
                name,
                Decimals.nearest(plan.privacy().noiseMultiplier() * Math.sqrt(LAYERS.size()), 3),
                Decimals.nearest(plan.privacy().epochs(), 3)),
        Decimals.plain(row.published()) + "%",
        spread.text(4) + "%",
        gap >= -0.5
            ? gap > 0.5 ? "better than published" : "within 0.5 points"
            : Decimals.nearest(-gap, 2) + " points below the paper");
  }

  private static Figure.Line line(
      String name, List<ImageExperiment.Run> runs, int number, boolean tight) {
    Figure.Look look = tight ? Figure.Look.MEASURED_TOO : Figure.Look.MEASURED;
    return new Figure.Line(name, look, number / 2, ImageExperiment.points(runs));
  }

  private static List<String> remarks() {
    return List.of(
        "The settings are those of the paper: a noisy Gram matrix of all images, each scaled to"
            + " unit norm (noise 16, 7, 4 for epsilon 0.5, 2, 8); 60 directions; one hidden"
            + " layer of 1,000 ReLUs without biases; a lot size (expected batch size) of 600;"
            + " the gradient of each layer clipped to norm 4; a learning rate that falls from"
            + " 0.1 to 0.052 over ten epochs.",
        "The noise in the table is relative to the bound of one layer, as in the paper. Both"
            + " layers together form one sum with the bound 4 sqrt(2), so the noise multiplier"
            + " used for accounting is smaller by a factor of sqrt(2). The number of steps is"
            + " the largest that the moments accountant allows for the epsilon, including the"
            + " cost of the PCA.",
        "The noise on the off-diagonal entries of the Gram matrix is sqrt(1/2) times that of the"
            + " paper, at the same privacy cost: the matrix is symmetric, so its upper triangle,"
            + " with the off-diagonal entries multiplied by sqrt(2), has the same norm.",
        "Accuracy is computed on the test images without noise and is not private. The"
            + " randomness comes from seeds, so no privacy guarantee is stated. The runs with the"
            + " tight accountant's noise use one seed.");
  }
}
