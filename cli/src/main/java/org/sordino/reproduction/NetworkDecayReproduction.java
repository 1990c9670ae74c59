package org.sordino.reproduction;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.sordino.random.RandomKey;
import org.sordino.report.Decimals;
import org.sordino.report.Figure;
import org.sordino.torch.Architecture;
import org.sordino.torch.ImageData;
import org.sordino.training.Optimizer;
import org.sordino.training.TrainingPlan;
import org.sordino.training.WeightDecay;

/**
 * Weight decay in DP-SGD on networks (Guo 2024, sections 5.3 and 5.4, appendix A), either after the
 * noise, as usual, or inside the clip. Varies the clipping bound, lambda and the noise.
 */
final class NetworkDecayReproduction implements Reproduction {

  private static final List<WeightDecay.Place> PLACES =
      List.of(WeightDecay.Place.AFTER_NOISE, WeightDecay.Place.INSIDE_CLIP);

  /**
   * A training setup with its published results.
   *
   * @param source images to train on
   * @param architecture network to train
   * @param batch expected batch size
   * @param optimizer optimizer; not given in the paper, chosen on the baseline
   * @param clip clipping bound R of the baseline
   * @param noise noise multiplier sigma of the baseline
   * @param epochs number of epochs of the baseline
   * @param gridEpochs number of epochs of all other runs
   * @param published accuracies of the baseline, after the noise and inside the clip
   * @param chance difference in points that may be due to the seed alone
   */
  private record Study(
      ImageData.Source source,
      Architecture architecture,
      double batch,
      Optimizer optimizer,
      double clip,
      double noise,
      double epochs,
      double gridEpochs,
      double[] published,
      double chance) {}

  private static final double LAMBDA = 1e-4;

  private static final Study MNIST =
      new Study(
          ImageData.Source.MNIST,
          Architecture.mnistCnn(),
          1024,
          new Optimizer.Sgd(0.3, 0.5),
          3,
          1.3,
          50,
          10,
          new double[] {97.01, 96.89},
          0.5);

  private static final Study CIFAR =
      new Study(
          ImageData.Source.CIFAR_10,
          Architecture.cifarCnn(),
          2048,
          new Optimizer.Sgd(0.1, 0.9),
          10,
          1.5,
          5,
          2,
          new double[] {65.75, 67.37},
          3.5);

  private final String id;
  private final String title;
  private final List<Grid> grids;
  private final boolean baseline;

  /**
   * Settings that vary one parameter.
   *
   * @param study training setup
   * @param name name of the parameter: R, lambda or sigma
   * @param values values of the parameter
   * @param published statements of the paper about some of the values
   */
  private record Grid(Study study, String name, double[] values, Map<Double, String> published) {
    Grid(Study study, String name, double[] values) {
      this(study, name, values, Map.of());
    }
  }

  private NetworkDecayReproduction(String id, String title, boolean baseline, List<Grid> grids) {
    this.id = id;
    this.title = title;
    this.baseline = baseline;
    this.grids = List.copyOf(grids);
  }

  static NetworkDecayReproduction mnistDecay() {
    return new NetworkDecayReproduction(
        "mnist-decay",
        "Weight decay inside the clip on MNIST (Guo 2024, section 5.3)",
        true,
        List.of(
            new Grid(MNIST, "R", new double[] {0.03, 0.15, 0.5, 1.5, 3}),
            new Grid(
                MNIST,
                "lambda",
                new double[] {1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.1, 1, 5, 10},
                Map.of(
                    1e-6,
                    "best after noise: 97.26%",
                    1e-2,
                    "after noise: collapses from here on",
                    5.0,
                    "best inside clip: 97.39%"))));
  }

  static NetworkDecayReproduction cifarDecay() {
    return new NetworkDecayReproduction(
        "cifar10-decay",
        "Weight decay inside the clip on CIFAR-10 (Guo 2024, section 5.4)",
        true,
        List.of(
            new Grid(CIFAR, "R", new double[] {0.2, 1, 2, 5, 10}),
            new Grid(CIFAR, "lambda", new double[] {1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.1})));
  }

  static NetworkDecayReproduction noise() {
    return new NetworkDecayReproduction(
        "noise",
        "Weight decay inside the clip with more noise (Guo 2024, appendix A)",
        false,
        List.of(
            new Grid(MNIST, "sigma", new double[] {1.3, 2.6, 6.5, 13, 65}),
            new Grid(CIFAR, "sigma", new double[] {1.5, 3, 7.5, 15})));
  }

  @Override
  public String id() {
    return id;
  }

  @Override
  public String title() {
    return title;
  }

  @Override
  public Result run(Effort effort) {
    Map<ImageData.Source, ImageExperiment> experiments = new LinkedHashMap<>();
    for (Grid grid : grids) {
      Study study = grid.study();
      experiments.computeIfAbsent(
          study.source(), source -> ImageExperiment.of(source, study.architecture(), effort));
    }
    List<Finding> findings = new ArrayList<>();
    List<Figure> figures = new ArrayList<>();
    Map<String, Object> data = new LinkedHashMap<>();
    if (baseline) {
      Study study = grids.get(0).study();
      baseline(effort, study, experiment(experiments, study), findings, figures, data);
    }
    List<String> remarks = new ArrayList<>(settings());
    for (Grid grid : grids) {
      Map<WeightDecay.Place, List<SeedStatistics>> lines =
          line(effort, grid, experiment(experiments, grid.study()));
      findings.addAll(findings(grid, values(effort, grid), lines));
      figures.add(figure(grid, values(effort, grid), lines));
      Map<String, Object> values = new LinkedHashMap<>();
      values.put(grid.name(), java.util.Arrays.stream(values(effort, grid)).boxed().toList());
      lines.forEach(
          (place, spreads) ->
              values.put(place.name(), spreads.stream().map(SeedStatistics::mean).toList()));
      data.put(grid.study().source().id() + " over " + grid.name(), values);
      if (grid.name().equals("lambda")) {
        withoutDecay(effort, grid.study(), experiment(experiments, grid.study()), findings);
      }
    }
    return new Result(findings, remarks, figures, data);
  }

  private static ImageExperiment experiment(
      Map<ImageData.Source, ImageExperiment> experiments, Study study) {
    return java.util.Objects.requireNonNull(experiments.get(study.source()));
  }

  private static TrainingPlan plan(
      Effort effort,
      ImageExperiment experiment,
      Study study,
      double epochs,
      double clip,
      double lambda,
      double noise,
      WeightDecay.Place place) {
    TrainingPlan.Builder plan =
        experiment
            .plan()
            .expectedBatch(effort.quick() ? 256 : study.batch())
            .noiseMultiplier(noise)
            .clip(clip)
            .optimizer(scaled(study, clip))
            .weightDecay(lambda, place);
    return (effort.quick()
            ? plan.steps(study.source() == ImageData.Source.MNIST ? 40 : 10)
            : plan.epochs(epochs))
        .build();
  }

  /** Scales the learning rate by 1 / R, because a smaller bound makes steps smaller. */
  private static Optimizer scaled(Study study, double clip) {
    Optimizer.Sgd sgd = (Optimizer.Sgd) study.optimizer();
    return new Optimizer.Sgd(sgd.learningRate() * study.clip() / clip, sgd.momentum());
  }

  private static void baseline(
      Effort effort,
      Study study,
      ImageExperiment experiment,
      List<Finding> findings,
      List<Figure> figures,
      Map<String, Object> data) {
    List<Figure.Line> lines = new ArrayList<>();
    List<SeedStatistics> spreads = new ArrayList<>();
    for (WeightDecay.Place place : PLACES) {
      TrainingPlan plan =
          plan(
              effort,
              experiment,
              study,
              study.epochs(),
              study.clip(),
              LAMBDA,
              study.noise(),
              place);
      List<ImageExperiment.Run> runs =
          experiment.runs("baseline-" + spelling(place), plan, effort.seeds());
      SeedStatistics spread = ImageExperiment.accuracy(runs);
      spreads.add(spread);
      double published = study.published()[PLACES.indexOf(place)];
      findings.add(
          new Finding(
              "baseline, " + spelling(place),
              Decimals.nearest(published, 4) + "%",
              spread.text(4) + "%",
              Math.abs(spread.mean() - published) <= 0.7
                  ? "within 0.7 points"
                  : "%s points relative to the paper, after %s epochs"
                      .formatted(
                          Decimals.nearest(spread.mean() - published, 2),
                          Decimals.plain(study.epochs()))));
      lines.add(
          new Figure.Line(
              spelling(place), look(place), PLACES.indexOf(place), ImageExperiment.points(runs)));
      data.put(
          "baseline " + spelling(place),
          runs.stream().map(ImageExperiment.Run::accuracies).toList());
    }
    SeedStatistics gain = gain(spreads.get(0), spreads.get(1));
    findings.add(
        new Finding(
            "baseline, gain from decay inside the clip, seed by seed",
            Decimals.nearest(study.published()[1] - study.published()[0], 2) + " points",
            gain.text(2) + " points",
            Math.abs(gain.mean()) <= study.chance()
                ? "within random variation, as is the published gain"
                : "more than random variation"));
    figures.add(
        ImageExperiment.figure(
            "Baseline accuracy over epochs", "Test accuracy, means over the seeds.", lines));
  }

  /** Adds the accuracy without decay, for comparison. */
  private static void withoutDecay(
      Effort effort, Study study, ImageExperiment experiment, List<Finding> findings) {
    TrainingPlan plan =
        plan(
            effort,
            experiment,
            study,
            study.gridEpochs(),
            study.clip(),
            0,
            study.noise(),
            WeightDecay.Place.AFTER_NOISE);
    SeedStatistics spread = experiment.accuracy("without-decay", plan, effort.seeds());
    findings.add(
        new Finding(
            study.source().id() + ", lambda = 0",
            "",
            spread.text(4) + "%",
            "no decay; inside the clip, the printed code amounts to this for any lambda"));
  }

  /**
   * Runs every value with one seed, and with all seeds if the difference between the places exceeds
   * {@link Study#chance}.
   */
  private static Map<WeightDecay.Place, List<SeedStatistics>> line(
      Effort effort, Grid grid, ImageExperiment experiment) {
    Map<WeightDecay.Place, List<SeedStatistics>> lines = new LinkedHashMap<>();
    PLACES.forEach(place -> lines.put(place, new ArrayList<>()));
    for (double value : values(effort, grid)) {
      List<SeedStatistics> spreads = cells(effort, grid, experiment, value, 1);
      if (Math.abs(spreads.get(1).mean() - spreads.get(0).mean()) > grid.study().chance()) {
        spreads = cells(effort, grid, experiment, value, effort.seeds());
      }
      for (int i = 0; i < PLACES.size(); i++) {
        java.util.Objects.requireNonNull(lines.get(PLACES.get(i))).add(spreads.get(i));
      }
    }
    return lines;
  }

  /** Returns the accuracies of both places. */
  private static List<SeedStatistics> cells(
      Effort effort, Grid grid, ImageExperiment experiment, double value, int seeds) {
    Study study = grid.study();
    double clip = grid.name().equals("R") ? value : study.clip();
    double lambda = grid.name().equals("lambda") ? value : LAMBDA;
    double noise = grid.name().equals("sigma") ? value : study.noise();
    List<SeedStatistics> spreads = new ArrayList<>();
    for (WeightDecay.Place place : PLACES) {
      TrainingPlan plan =
          plan(effort, experiment, study, study.gridEpochs(), clip, lambda, noise, place);
      // The name contains all parameters, because grids overlap.
      String name =
          "%s-R-%s-lambda-%s-sigma-%s-%s"
              .formatted(study.source().id(), clip, lambda, noise, spelling(place));
      spreads.add(experiment.accuracy(name, plan, seeds));
    }
    return spreads;
  }

  /** Returns the values of a grid; with {@code --quick}, only the first and the last. */
  private static double[] values(Effort effort, Grid grid) {
    double[] all = grid.values();
    return effort.quick() ? new double[] {all[0], all[all.length - 1]} : all;
  }

  private static List<Finding> findings(
      Grid grid, double[] values, Map<WeightDecay.Place, List<SeedStatistics>> lines) {
    List<SeedStatistics> after = java.util.Objects.requireNonNull(lines.get(PLACES.get(0)));
    List<SeedStatistics> inside = java.util.Objects.requireNonNull(lines.get(PLACES.get(1)));
    List<Finding> findings = new ArrayList<>();
    for (int i = 0; i < values.length; i++) {
      findings.add(
          new Finding(
              grid.study().source().id() + ", " + grid.name() + " = " + Decimals.plain(values[i]),
              grid.published().getOrDefault(values[i], ""),
              "after noise %s%%, inside clip %s%%"
                  .formatted(after.get(i).text(4), inside.get(i).text(4)),
              verdict(after.get(i), inside.get(i), grid.study().chance())));
    }
    return findings;
  }

  private static String verdict(SeedStatistics after, SeedStatistics inside, double chance) {
    if (Math.max(after.mean(), inside.mean()) < 15) {
      return "neither model learns";
    }
    SeedStatistics gain = gain(after, inside);
    // Student's t for three seeds, at the 5% level.
    double error = 4.3 * gain.deviation() / Math.sqrt(gain.values().size());
    return Math.abs(gain.mean()) <= Math.max(chance, error)
        ? "no difference beyond random variation"
        : "%s points %s inside the clip"
            .formatted(
                Decimals.nearest(Math.abs(gain.mean()), 3), gain.mean() > 0 ? "better" : "worse");
  }

  /** Computes the gain seed by seed, because runs with the same seed share their noise. */
  private static SeedStatistics gain(SeedStatistics after, SeedStatistics inside) {
    List<Double> gains = new ArrayList<>();
    for (int i = 0; i < after.values().size(); i++) {
      gains.add(inside.values().get(i) - after.values().get(i));
    }
    return new SeedStatistics(gains);
  }

  private List<String> settings() {
    List<String> remarks = new ArrayList<>();
    for (Study study : grids.stream().map(Grid::study).distinct().toList()) {
      remarks.add(
          ("%s: the CNN of the Opacus example with R = %s, lambda = 1e-4 and sigma = %s unless"
                      + " stated otherwise.")
                  .formatted(
                      study.source().id(),
                      Decimals.plain(study.clip()),
                      Decimals.plain(study.noise()))
              + (" The expected batch size is %.0f. Grids use %s epochs and one seed, or all seeds"
                      + " if the first shows a difference%s. The optimizer is SGD with learning"
                      + " rate %s and momentum %s.")
                  .formatted(
                      study.batch(),
                      Decimals.plain(study.gridEpochs()),
                      baseline
                          ? "; the baseline uses " + Decimals.plain(study.epochs()) + " epochs"
                          : "",
                      Decimals.plain(((Optimizer.Sgd) study.optimizer()).learningRate()),
                      Decimals.plain(((Optimizer.Sgd) study.optimizer()).momentum()))
              + " The learning rate is proportional to 1 / R, so R determines only what is"
              + " clipped. The paper gives neither batch size nor learning rate. The initial"
              + " weights have |theta|^2 = "
              + Decimals.nearest(square(study.architecture()), 2)
              + ". Other seeds change the accuracy by up to "
              + Decimals.plain(study.chance())
              + " points.");
    }
    remarks.add(
        "Decay adds lambda theta to the gradient of a record. At lambda = 1e-4 and the initial"
            + " weights, its norm is 0.001 or less. Compared with bounds of 0.15 to 10 this is"
            + " small, and the place of the decay makes no difference. Where it is not small"
            + " compared with the bound, the full run of mnist-decay agrees with the paper and"
            + " with linear-1 and linear-2: inside the clip is better at R = 0.03, and at lambda ="
            + " 0.1 with R = 3.");
    remarks.add(
        "At lambda = 1 and above, both variants lose all accuracy, as expected: zero weights"
            + " have the loss ln 10 = 2.3, while lambda / 2 |theta|^2 alone is larger for the"
            + " initial weights. A model that minimizes this loss predicts nothing, and decay"
            + " inside the clip does minimize it. The published 97.39% inside the clip at lambda"
            + " = 5 is not a minimum of this loss. The code printed in the paper computes the L2"
            + " term on detached values, so the term has no gradient and lambda has no effect."
            + " The row lambda = 0 of mnist-decay corresponds to that code.");
    remarks.add(
        "Accuracy is computed on the test images without noise and is not private. The"
            + " randomness comes from seeds.");
    return remarks;
  }

  private static double square(Architecture architecture) {
    double[] initial = architecture.initialWeights(RandomKey.insecure(1));
    return java.util.Arrays.stream(initial).map(weight -> weight * weight).sum();
  }

  private static Figure figure(
      Grid grid, double[] values, Map<WeightDecay.Place, List<SeedStatistics>> lines) {
    List<Figure.Line> drawn = new ArrayList<>();
    lines.forEach(
        (place, spreads) -> {
          List<Figure.Point> points = new ArrayList<>();
          for (int i = 0; i < values.length; i++) {
            points.add(new Figure.Point(values[i], spreads.get(i).mean()));
          }
          drawn.add(new Figure.Line(spelling(place), look(place), PLACES.indexOf(place), points));
        });
    return new Figure(
        "%s: accuracy over %s".formatted(grid.study().source().id(), grid.name()),
        "Test accuracy after training.",
        new Figure.Axis(grid.name(), true),
        new Figure.Axis("accuracy, %", false),
        drawn);
  }

  private static Figure.Look look(WeightDecay.Place place) {
    return place == WeightDecay.Place.INSIDE_CLIP ? Figure.Look.MEASURED : Figure.Look.MEASURED_TOO;
  }

  private static String spelling(WeightDecay.Place place) {
    return place.name().toLowerCase(Locale.ROOT).replace('_', ' ');
  }
}
