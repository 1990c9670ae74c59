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
 * Private training runs of one network on one set of images. The result of each run is cached.
 * Seeds replace secret randomness so that runs can be repeated; the runs therefore have no privacy
 * guarantee.
 */
final class ImageExperiment {

  private static final int MOST_LOOKS = 10;

  /** Number of training images with {@code --quick}. */
  private static final int QUICK_TRAINING = 10_000;

  private static final int QUICK_TEST = 2000;

  /** Smaller microbatches are not faster. */
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

  /**
   * Creates an experiment on images from the standard locations; with {@code --quick}, on some of
   * them.
   */
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

  /** Creates an experiment on preprocessed records. */
  static ImageExperiment of(
      Architecture architecture, TorchData training, TorchData test, ResultCache cells) {
    return new ImageExperiment(architecture, training, test, 1, cells);
  }

  /** Returns the same experiment with initial weights that are larger by a factor. */
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

  /** Returns the number of values per image. */
  int width() {
    return training.width();
  }

  Architecture architecture() {
    return architecture;
  }

  /** Returns a builder of plans with vectors and population already set. */
  TrainingPlan.Builder plan() {
    return TrainingPlan.forLayout(architecture.layout()).population(training.size());
  }

  /**
   * The test accuracy of one training run with one seed.
   *
   * @param epochs epochs after which accuracy was measured
   * @param accuracies accuracies on the test images, in percent
   */
  record Run(List<Double> epochs, List<Double> accuracies) {

    double last() {
      return accuracies.get(accuracies.size() - 1);
    }
  }

  /** Trains with the seeds 1 to {@code seeds}. */
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

  /** Returns the final test accuracies, in percent. */
  SeedStatistics accuracy(String name, TrainingPlan plan, int seeds) {
    return accuracy(runs(name, plan, seeds));
  }

  /** Returns the accuracy during training, averaged over the runs. */
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

  /** Returns a figure of the accuracy during training. */
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
    RandomKey publicSeed = RandomKey.insecure(seed);
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
                    publicSeed.derive("dropout"),
                    options(plan)))) {
      Trainer.of(plan, records)
          .start(start(publicSeed.derive("initialisation")))
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

  private double[] start(RandomKey publicSeed) {
    return Arrays.stream(architecture.initialWeights(publicSeed))
        .map(w -> startScale * w)
        .toArray();
  }

  /**
   * Projects images on the directions that a plan queries; without queries, returns them unchanged.
   */
  private TorchData projected(TorchData images, TrainingPlan plan, Map<String, double[]> answers) {
    if (plan.queries().isEmpty()) {
      return images;
    }
    int count = architecture.input()[0];
    return images.projectedOn(
        answers.isEmpty()
            ? new double[count * images.width()] // not known yet
            : PrincipalDirections.of(answers.values().iterator().next(), images.width(), count));
  }

  /**
   * Uses smaller microbatches for small batches, so that all processors are busy until the end of a
   * step.
   */
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
