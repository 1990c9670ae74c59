package org.sordino.reproduction;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.sordino.json.Json;
import org.sordino.network.Networks;
import org.sordino.random.RandomKey;
import org.sordino.report.Figure;
import org.sordino.run.InvalidInputException;
import org.sordino.torch.Architecture;
import org.sordino.torch.ImageData;
import org.sordino.torch.Loss;
import org.sordino.torch.TorchData;
import org.sordino.torch.TorchEngine;
import org.sordino.torch.TorchModel;
import org.sordino.training.Metric;
import org.sordino.training.Preparation;
import org.sordino.training.PrincipalDirections;
import org.sordino.training.Records;
import org.sordino.training.Trainer;
import org.sordino.training.TrainingListener;
import org.sordino.training.TrainingPlan;

/**
 * Private trainings of one network on one set of images, each kept as a cell of a grid. Seeds take
 * the place of secret randomness, so that runs can be repeated; they state no guarantee.
 */
final class ImageExperiment {

  private static final int MOST_LOOKS = 10;

  /** For a quick look. */
  private static final int QUICK_TRAINING = 10_000;

  private static final int QUICK_TEST = 2000;

  /** Smaller ones do not pay. */
  private static final int MICROBATCH = 64;

  private final Architecture architecture;
  private final TorchData training;
  private final TorchData test;
  private final double startScale;
  private final ResultCache cells;

  private ImageExperiment(
      Architecture architecture,
      TorchData training,
      TorchData test,
      double startScale,
      ResultCache cells) {
    this.architecture = architecture;
    this.training = training;
    this.test = test;
    this.startScale = startScale;
    this.cells = cells;
  }

  /** On images from the usual places; for a quick look, on some of them. */
  static ImageExperiment of(
      ImageData.Source source, Architecture architecture, Reproduction.Effort effort) {
    ImageData data = load(source);
    TorchData training = data.trainingData();
    TorchData test = data.testData();
    return new ImageExperiment(
        architecture,
        effort.quick() ? training.first(QUICK_TRAINING) : training,
        effort.quick() ? test.first(QUICK_TEST) : test,
        1,
        effort.cells());
  }

  /** On records that were prepared. */
  static ImageExperiment of(
      Architecture architecture, TorchData training, TorchData test, ResultCache cells) {
    return new ImageExperiment(architecture, training, test, 1, cells);
  }

  /** The same, but the weights at the start are larger by a factor. */
  ImageExperiment startingWider(double factor) {
    return new ImageExperiment(architecture, training, test, factor, cells);
  }

  static ImageData load(ImageData.Source source) {
    try {
      return ImageData.load(source, null);
    } catch (IOException e) {
      throw new InvalidInputException(String.valueOf(e.getMessage()));
    }
  }

  /** How many numbers an image has. */
  int width() {
    return training.width();
  }

  Architecture architecture() {
    return architecture;
  }

  /** A plan to be completed: vectors and population are known. */
  TrainingPlan.Builder plan() {
    return TrainingPlan.forLayout(architecture.layout()).population(training.size());
  }

  /**
   * What a training with one seed comes to.
   *
   * @param epochs when it was looked at
   * @param accuracies on the test images, in percent
   */
  record Run(List<Double> epochs, List<Double> accuracies) {

    double last() {
      return accuracies.get(accuracies.size() - 1);
    }
  }

  /** Trains with seeds 1 to {@code seeds}. */
  List<Run> runs(String name, TrainingPlan plan, int seeds) {
    List<Run> runs = new ArrayList<>();
    for (int seed = 1; seed <= seeds; seed++) {
      int chosen = seed;
      Map<String, Object> parameters = new LinkedHashMap<>();
      parameters.put("plan", Json.readObject(plan.toJson()));
      parameters.put("architecture", Json.readObject(architecture.toJson()));
      parameters.put("seed", (long) seed);
      if (startScale != 1) {
        parameters.put("startScale", startScale);
      }
      Map<String, @Nullable Object> cell =
          cells.get(name + "-" + seed, parameters, () -> train(plan, chosen));
      runs.add(
          new Run(
              SeedStatistics.numbers(cell.get("epochs")),
              SeedStatistics.numbers(cell.get("accuracies"))));
    }
    return runs;
  }

  /** The test accuracies at the end, in percent. */
  SeedStatistics accuracy(String name, TrainingPlan plan, int seeds) {
    return accuracy(runs(name, plan, seeds));
  }

  /** The accuracy on the way, as the mean over the runs. */
  static List<Figure.Point> points(List<Run> runs) {
    List<Double> epochs = runs.get(0).epochs();
    List<Figure.Point> points = new ArrayList<>();
    for (int i = 0; i < epochs.size(); i++) {
      int look = i;
      double mean =
          runs.stream().mapToDouble(run -> run.accuracies().get(look)).average().orElseThrow();
      points.add(new Figure.Point(epochs.get(i), mean));
    }
    return points;
  }

  /** Accuracies on the way. */
  static Figure figure(String title, String text, List<Figure.Line> lines) {
    return new Figure(
        title,
        text,
        new Figure.Axis("epochs", false),
        new Figure.Axis("accuracy, %", false),
        lines);
  }

  static SeedStatistics accuracy(List<Run> runs) {
    return new SeedStatistics(runs.stream().map(Run::last).toList());
  }

  private Map<String, ?> train(TrainingPlan plan, int seed) {
    RandomKey coins = RandomKey.insecure(seed);
    List<Double> epochs = new ArrayList<>();
    List<Double> accuracies = new ArrayList<>();
    long steps = plan.privacy().steps();
    long every = Math.max(Math.round(1 / plan.privacy().samplingRate()), steps / MOST_LOOKS);
    try (Preparation records =
        Preparation.of(
            plan,
            () -> PrincipalDirections.engine(training, Records.examples(training.size())),
            answers ->
                TorchEngine.of(
                    architecture,
                    Loss.CROSS_ENTROPY,
                    projected(training, plan, answers),
                    coins.derive("dropout"),
                    options(plan)))) {
      Trainer.of(plan, records)
          .start(start(coins.derive("initialisation")))
          .insecureSeed(seed)
          .listener(
              new TrainingListener() {
                private TorchData seen = test;

                @Override
                public void queriesAnswered(Map<String, double[]> answers) {
                  seen = projected(test, plan, answers);
                }

                @Override
                public void stepCompleted(
                    long step, double[] theta, Map<Metric.Kind, double[]> metrics) {
                  if (step % every == 0 || step == steps) {
                    epochs.add(step * plan.privacy().samplingRate());
                    accuracies.add(accuracy(theta, seen));
                  }
                }
              })
          .run();
    }
    Map<String, Object> cell = new LinkedHashMap<>();
    cell.put("epochs", epochs);
    cell.put("accuracies", accuracies);
    return cell;
  }

  private double[] start(RandomKey coins) {
    return Arrays.stream(architecture.initialWeights(coins)).map(w -> startScale * w).toArray();
  }

  /** Images projected on the directions that a plan asks for. */
  private TorchData projected(TorchData images, TrainingPlan plan, Map<String, double[]> answers) {
    if (plan.queries().isEmpty()) {
      return images;
    }
    int count = architecture.input()[0];
    return images.projectedOn(
        answers.isEmpty()
            ? new double[count * images.width()] // before they are known
            : PrincipalDirections.of(answers.values().iterator().next(), images.width(), count));
  }

  /** Small lots are cut finer, so that all processors have something to do until the end. */
  private static TorchEngine.Options options(TrainingPlan plan) {
    TorchEngine.Options usual = TorchEngine.Options.defaults();
    int share = (int) (plan.privacy().expectedBatch() / (2 * usual.threads()));
    return new TorchEngine.Options(
        usual.threads(), Math.max(MICROBATCH, Math.min(usual.microbatch(), share)));
  }

  private double accuracy(double[] theta, TorchData images) {
    return 100 * Networks.evaluate(new TorchModel(architecture, theta), images).accuracy();
  }
}
