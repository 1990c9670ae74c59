package org.sordino.network;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.sordino.PrivacyPlan;
import org.sordino.json.Json;
import org.sordino.mechanism.Layout;
import org.sordino.random.RandomKey;
import org.sordino.report.Decimals;
import org.sordino.run.Evaluation;
import org.sordino.run.InvalidInputException;
import org.sordino.run.Model;
import org.sordino.run.Preprocessing;
import org.sordino.run.RunDamagedException;
import org.sordino.run.Task;
import org.sordino.run.TaskInfo;
import org.sordino.table.RecordGrouping;
import org.sordino.torch.Architecture;
import org.sordino.torch.ImageData;
import org.sordino.torch.Loss;
import org.sordino.torch.TorchData;
import org.sordino.torch.TorchEngine;
import org.sordino.torch.TorchModel;
import org.sordino.training.ChannelStatistics;
import org.sordino.training.GradientEngine;
import org.sordino.training.Preparation;
import org.sordino.training.PrincipalDirections;
import org.sordino.training.Records;
import org.sordino.training.Trainer;
import org.sordino.training.TrainingPlan;
import org.sordino.training.Unit;

/** Trains a network on an image data set. The images are loaded on first use. */
public final class ImageTask implements Task {

  static final String KIND = "images";
  private static final String MLP = "mlp";
  private static final int MLP_HIDDEN = 1000;
  private static final int CLASSES = 10;

  private final ImageData.Source source;
  private final @Nullable Path directory;
  private final String name;
  private final Preprocessing preprocessing;
  private final ImageUsers users;
  private final long seed;

  /** The network for images without preprocessing, which is released. */
  private final Architecture released;

  /** The network for images after preprocessing, which is trained. */
  private final Architecture trained;

  private @Nullable ImageData data;

  /**
   * Creates a task.
   *
   * @param source image data set
   * @param directory directory with the files of the data set; null for the default locations
   * @param model {@code mlp}, a preset, or a file with an architecture
   * @param preprocessing preprocessing of the images
   * @param users user of each image
   * @param seed seed of the public randomness: initial weights, dropout masks, simulated users
   */
  public ImageTask(
      ImageData.Source source,
      @Nullable Path directory,
      String model,
      Preprocessing preprocessing,
      ImageUsers users,
      long seed) {
    this.source = source;
    this.directory = directory;
    this.name = model;
    this.preprocessing = preprocessing;
    this.users = users;
    this.seed = seed;
    this.released = network(model, source);
    this.trained =
        preprocessing.directions() == 0
            ? released
            : Architecture.mlp(preprocessing.width(pixels(source)), MLP_HIDDEN, CLASSES);
    if (preprocessing.directions() > 0 && !model.equals(MLP)) {
      throw new InvalidInputException(
          "`principalDirections` needs `model` mlp, or linear on a table, got " + model);
    }
  }

  private static Architecture network(String model, ImageData.Source source) {
    if (model.equals(MLP)) {
      return Architecture.mlp(pixels(source), MLP_HIDDEN, CLASSES);
    }
    Architecture architecture = Networks.named(model);
    if (Networks.inputs(architecture) != pixels(source)) {
      throw InvalidInputException.of(
          "`model`",
          "a network for images of shape " + Arrays.toString(source.shape()),
          model + " with input " + Arrays.toString(architecture.input()),
          "use mnist-cnn for 1x28x28, cifar-cnn for 3x32x32");
    }
    return Networks.requireClasses(model, architecture, CLASSES);
  }

  private static int pixels(ImageData.Source source) {
    return Arrays.stream(source.shape()).reduce(1, (a, b) -> a * b);
  }

  /** Returns the default network for a data set. */
  public static String usualModel(ImageData.Source source) {
    return source == ImageData.Source.CIFAR_10 ? "cifar-cnn" : "mnist-cnn";
  }

  /** Restores the task of a run. */
  static ImageTask of(TaskInfo info) {
    ImageData.Source source = ImageData.Source.of(String.valueOf(info.data()));
    if (source == null) {
      throw new RunDamagedException("run.json contains the unknown data set " + info.data());
    }
    String directory = info.text("directory");
    return new ImageTask(
        source,
        directory == null ? null : Path.of(directory),
        String.valueOf(info.text("model")),
        Preprocessing.of(info.json()),
        ImageUsers.of(info),
        info.json().get("seed") instanceof Number seed ? seed.longValue() : 0);
  }

  @Override
  public TaskInfo info() {
    Map<String, @Nullable Object> json = new LinkedHashMap<>();
    json.put("task", KIND);
    json.put("file", source.id());
    json.put("directory", directory == null ? null : directory.toString());
    json.put("model", name);
    json.put("architecture", Json.readObject(trained.toJson()));
    json.put("seed", seed);
    users.addTo(json);
    preprocessing.addTo(json);
    return TaskInfo.of(json);
  }

  @Override
  public String describe() {
    return "%s with %s parameters on %s"
        .formatted(name, Decimals.grouped(trained.layout().dimension()), source.id());
  }

  @Override
  public Task.Shape shape() {
    return new Task.Shape(
        trained.layout(), CLASSES, source.shape()[0], pixels(source), preprocessing, true);
  }

  @Override
  public double[] initialParameters() {
    return Networks.initialParameters(trained, publicSeed());
  }

  private RandomKey publicSeed() {
    return RandomKey.insecure(seed);
  }

  private ImageData data() {
    ImageData read = data;
    if (read == null) {
      try {
        read = ImageData.load(source, directory);
      } catch (IOException e) {
        throw new InvalidInputException(String.valueOf(e.getMessage()));
      }
      data = read;
    }
    return read;
  }

  private TorchData training() {
    return data().trainingData();
  }

  private RecordGrouping grouping() {
    TorchData images = training();
    return new RecordGrouping(images.size(), users.users(images.size(), seed), images::digest);
  }

  @Override
  public long records(Unit unit) {
    return grouping().count(unit);
  }

  /**
   * Returns the number of images or simulated users, which is public; empty if a file contains the
   * users.
   */
  @Override
  public OptionalLong publicRecords(Unit unit) {
    if (users.simulated() > 0) {
      return OptionalLong.of(users.simulated());
    }
    return unit.isUser() ? OptionalLong.empty() : OptionalLong.of(records(unit));
  }

  @Override
  public Preparation prepare(TrainingPlan plan) {
    TorchData images = training();
    Records grouped = grouping().records(plan);
    TorchEngine.Contributions contributions =
        new TorchEngine.Contributions(
            plan.mechanism().layout().vectors(Layout.Role.METRIC), plan.unit(), grouped);
    return Preparation.of(
        plan,
        () ->
            preprocessing.normalized()
                ? ChannelStatistics.engine(images, grouped, images.channels())
                : PrincipalDirections.engine(images, grouped),
        answers -> engine(trained, applied(images, fitted(answers)), contributions));
  }

  private Preprocessing.Fitted fitted(Map<String, double[]> answers) {
    return Preprocessing.Fitted.of(preprocessing, pixels(source), answers);
  }

  private static TorchData applied(TorchData images, Preprocessing.Fitted fitted) {
    double[] directions = fitted.directions();
    ChannelStatistics statistics = fitted.statistics();
    if (directions != null) {
      return images.projectedOn(directions);
    }
    return statistics == null
        ? images
        : images.normalizedBy(statistics.means(), statistics.deviations());
  }

  private TorchEngine engine(
      Architecture network, TorchData images, TorchEngine.Contributions contributions) {
    return TorchEngine.of(
        network,
        Loss.CROSS_ENTROPY,
        images,
        publicSeed().derive("dropout"),
        TorchEngine.Options.defaults(),
        contributions);
  }

  /**
   * Returns the model. Principal directions are folded into the first layer and apply to pixels
   * from 0 to 1. Normalization is not folded: the model normalizes its images.
   */
  @Override
  public Model release(double[] parameters, Map<String, double[]> answers) {
    Preprocessing.Fitted fitted = fitted(answers);
    boolean folds = fitted.directions() != null;
    double[] theta =
        folds
            ? fitted.folded(parameters, Networks.firstLayerOutputs(released), pixels(source))
            : parameters;
    return model(theta, folds ? unscaledPixels() : fitted.statistics());
  }

  private ChannelStatistics unscaledPixels() {
    double[] ones = new double[source.shape()[0]];
    Arrays.fill(ones, 1);
    return new ChannelStatistics(new double[ones.length], ones);
  }

  private ImageModel model(double[] theta, @Nullable ChannelStatistics statistics) {
    List<String> classes = IntStream.range(0, CLASSES).mapToObj(Integer::toString).toList();
    return new ImageModel(new TorchModel(released, theta), statistics, classes, source.id());
  }

  @Override
  public Optional<Evaluation> test(Model model) {
    return Optional.of(((ImageModel) model).evaluate(data().testData()));
  }

  @Override
  public Optional<Evaluation> baseline() {
    TrainingPlan plan = Networks.baselinePlan(released, training().size());
    TorchEngine.Contributions examples = TorchEngine.Contributions.ofExamples(training().size());
    try (GradientEngine engine = engine(released, training(), examples)) {
      Trainer trainer =
          Trainer.of(plan, engine).start(Networks.initialParameters(released, publicSeed()));
      return test(model(trainer.insecureSeed(1).run().weights(), null));
    }
  }

  @Override
  public long stepsBetweenEvaluations(PrivacyPlan plan) {
    return Networks.stepsBetweenEvaluations(plan);
  }
}
