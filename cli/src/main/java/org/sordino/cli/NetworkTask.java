package org.sordino.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.sordino.PrivacyPlan;
import org.sordino.json.Json;
import org.sordino.mechanism.Layout;
import org.sordino.random.RandomKey;
import org.sordino.torch.Architecture;
import org.sordino.torch.ImageData;
import org.sordino.torch.Loss;
import org.sordino.torch.TorchData;
import org.sordino.torch.TorchEngine;
import org.sordino.torch.TorchModel;
import org.sordino.training.Examples;
import org.sordino.training.GradientEngine;
import org.sordino.training.Optimiser;
import org.sordino.training.Safetensors;
import org.sordino.training.Trainer;
import org.sordino.training.TrainingPlan;

/** A neural network, on images or on a table. */
final class NetworkTask implements Task {

  private static final List<String> PRESETS = List.of("mnist-cnn", "cifar-cnn", "logreg");
  private static final int BASELINE_EPOCHS = 5;
  private static final int THREADS = Runtime.getRuntime().availableProcessors();

  private final Map<String, @Nullable Object> origin;
  private final String name;
  private final Architecture architecture;
  private final Loss loss;
  private final List<String> classes;
  private final TorchData training;
  private final @Nullable TorchData test;

  /** First weights and dropout masks are public coins; the noise has a secret key. */
  private final RandomKey coins;

  private NetworkTask(
      Map<String, @Nullable Object> origin,
      String name,
      Architecture architecture,
      List<String> classes,
      TorchData training,
      @Nullable TorchData test,
      long seed) {
    this.origin = origin;
    this.name = name;
    this.architecture = architecture;
    this.loss = Loss.CROSS_ENTROPY;
    this.classes = List.copyOf(classes);
    this.training = training;
    this.test = test;
    this.coins = RandomKey.insecure(seed);
  }

  /**
   * A network on an image data set.
   *
   * @param directory where the files lie; null for the usual places
   * @param model a preset, or a file with an architecture
   */
  static NetworkTask ofImages(
      ImageData.Source source, @Nullable Path directory, String model, long seed) {
    Architecture architecture = architecture(model, source);
    ImageData data;
    try {
      data = ImageData.load(source, directory);
    } catch (IOException e) {
      throw new BadInput(String.valueOf(e.getMessage()));
    }
    Map<String, @Nullable Object> origin = new LinkedHashMap<>();
    origin.put("task", "images");
    origin.put("file", source.id());
    origin.put("directory", directory == null ? null : directory.toString());
    origin.put("model", model);
    origin.put("architecture", Json.readObject(architecture.toJson()));
    origin.put("seed", seed);
    List<String> classes = new ArrayList<>();
    for (int k = 0; k < data.classes(); k++) {
      classes.add(Integer.toString(k));
    }
    return new NetworkTask(
        origin, model, architecture, classes, data.trainingData(), data.testData(), seed);
  }

  /** Refuses a model that cannot be built, before any record is read. */
  static void requireKnown(@Nullable String model) {
    if (model != null && !model.equals("linear") && !model.equals("mlp")) {
      named(model);
    }
  }

  /** The network that people train on these images. */
  static String usual(ImageData.Source source) {
    return source == ImageData.Source.CIFAR_10 ? "cifar-cnn" : "mnist-cnn";
  }

  /** A network on a table: the records as the linear model would see them. */
  static NetworkTask ofTable(TableTask table, String model, long seed) {
    if (table.schema().requireLabel().isNumber()) {
      throw new BadInput(
          "--model must be linear for a label that is a number, got "
              + model
              + "; networks predict classes");
    }
    Architecture architecture = architecture(model, table.schema().width(), table.classes());
    Examples test = table.test();
    Map<String, @Nullable Object> origin = new LinkedHashMap<>(table.json());
    origin.put("task", "network-table");
    origin.put("model", model);
    origin.put("architecture", Json.readObject(architecture.toJson()));
    origin.put("seed", seed);
    return new NetworkTask(
        origin,
        model,
        architecture,
        table.schema().classes(),
        TorchData.of(table.training()),
        test == null ? null : TorchData.of(test),
        seed);
  }

  /** Finds model and records of a run again. */
  static NetworkTask of(Map<String, @Nullable Object> json) {
    long seed = ((Number) json.getOrDefault("seed", 0L)).longValue();
    if ("images".equals(json.get("task"))) {
      ImageData.Source source = ImageData.Source.of(String.valueOf(json.get("file")));
      Object directory = json.get("directory");
      if (source == null) {
        throw new DamagedRun("run.json names the unknown data set " + json.get("file"));
      }
      return ofImages(
          source,
          directory == null ? null : Path.of(String.valueOf(directory)),
          String.valueOf(json.get("model")),
          seed);
    }
    return ofTable(TableTask.of(json), String.valueOf(json.get("model")), seed);
  }

  private static Architecture architecture(String model, ImageData.Source source) {
    int[] shape = source.shape();
    int pixels = shape[0] * shape[1] * shape[2];
    Architecture architecture =
        model.equals("mlp") ? Architecture.mlp(pixels, 1000, 10) : named(model);
    if (Arrays.stream(architecture.input()).reduce(1, (a, b) -> a * b) != pixels) {
      throw Numbers.bad(
          "--model",
          "a network for images of shape " + Arrays.toString(shape),
          model + ", which takes " + Arrays.toString(architecture.input()),
          "mnist-cnn is for 1x28x28, cifar-cnn for 3x32x32");
    }
    return requireClasses(model, architecture, 10);
  }

  private static Architecture architecture(String model, int features, int classes) {
    Architecture architecture =
        model.equals("mlp") ? Architecture.mlp(features, 64, classes) : named(model);
    if (Arrays.stream(architecture.input()).reduce(1, (a, b) -> a * b) != features) {
      throw Numbers.bad(
          "--model",
          "a network for " + features + " features",
          model + ", which takes " + Arrays.toString(architecture.input()),
          "mlp suits every table");
    }
    return requireClasses(model, architecture, classes);
  }

  private static Architecture requireClasses(String model, Architecture architecture, int classes) {
    if (!Arrays.equals(architecture.output(), new int[] {classes})) {
      throw Numbers.bad(
          "--model",
          "a network with " + classes + " outputs",
          model + " with " + Arrays.toString(architecture.output()),
          "its last layer gives one number per class");
    }
    return architecture;
  }

  private static Architecture named(String model) {
    try {
      if (PRESETS.contains(model)) {
        return Architecture.preset(model);
      }
      if (!model.endsWith(".json")) {
        throw Numbers.bad(
            "--model",
            "linear, mlp, mnist-cnn, cifar-cnn, logreg or a file that ends in .json",
            model,
            "linear is for tables");
      }
      return Architecture.fromJson(Files.readString(Path.of(model)));
    } catch (IOException e) {
      throw Numbers.bad("--model", "a file that can be read", model, e.toString());
    } catch (IllegalArgumentException e) {
      throw new BadInput("--model " + model + ": " + e.getMessage());
    }
  }

  @Override
  public Map<String, @Nullable Object> json() {
    return origin;
  }

  @Override
  public String describe() {
    return "%s with %s parameters on %s"
        .formatted(name, Numbers.grouped(layout().dimension()), origin.get("file"));
  }

  @Override
  public Layout layout() {
    return architecture.layout();
  }

  @Override
  public double[] start() {
    return architecture.initialWeights(coins.derive("initialisation"));
  }

  @Override
  public long records() {
    return training.size();
  }

  @Override
  public GradientEngine engine() {
    return TorchEngine.of(
        architecture, loss, training, coins.derive("dropout"), TorchEngine.Options.defaults());
  }

  /** Plain Adam for a few epochs. */
  @Override
  public double[] baseline() {
    TrainingPlan plan =
        TrainingPlan.forLayout(layout())
            .population(training.size())
            .expectedBatch(Math.min(training.size(), 128))
            .epochs(BASELINE_EPOCHS)
            .noiseMultiplier(0)
            .clip(Double.POSITIVE_INFINITY)
            .optimiser(Optimiser.adam(0.001))
            .build();
    try (GradientEngine engine = engine()) {
      return Trainer.of(plan, engine).start(start()).insecureSeed(1).run().weights();
    }
  }

  /** An epoch: a look at all test images costs a good part of one. */
  @Override
  public long stepsBetweenLooks(PrivacyPlan plan) {
    return Math.max(1, Math.round(1 / plan.samplingRate()));
  }

  @Override
  public @Nullable Evaluation evaluate(double[] theta) {
    return test == null ? null : evaluation(new TorchModel(architecture, theta), test);
  }

  /** How good a network is on some records. */
  static Evaluation evaluation(TorchModel model, TorchData data) {
    float[] targets = new float[data.size()];
    for (int i = 0; i < targets.length; i++) {
      targets[i] = data.target(i);
    }
    return Evaluation.ofClasses(
        probabilities(model, data), targets, model.architecture().output()[0]);
  }

  /** The probabilities of all classes, record by record. */
  static double[][] probabilities(TorchModel model, TorchData data) {
    float[] flat = model.probabilities(data, THREADS);
    int classes = data.size() == 0 ? 1 : flat.length / data.size();
    double[][] rows = new double[data.size()][classes];
    for (int i = 0; i < flat.length; i++) {
      rows[i / classes][i % classes] = flat[i];
    }
    return rows;
  }

  @Override
  public Map<String, @Nullable Object> model() {
    Map<String, @Nullable Object> model = new LinkedHashMap<>();
    model.put("kind", "network");
    model.put("architecture", Json.readObject(architecture.toJson()));
    Map<String, @Nullable Object> json = new LinkedHashMap<>();
    json.put("task", origin.get("task"));
    json.put("model", model);
    json.put("classes", classes);
    json.put("data", origin.get("file"));
    if (origin.get("schema") != null) {
      json.put("schema", origin.get("schema"));
    }
    return json;
  }

  @Override
  public Map<String, Safetensors.Tensor> tensors(double[] theta) {
    return new TorchModel(architecture, theta).tensors(Map.of()).tensors();
  }
}
