package org.sordino.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.sordino.PrivacyPlan;
import org.sordino.json.Json;
import org.sordino.mechanism.Layout;
import org.sordino.mechanism.VectorGroup;
import org.sordino.random.RandomKey;
import org.sordino.table.Schema;
import org.sordino.torch.Architecture;
import org.sordino.torch.ImageData;
import org.sordino.torch.Loss;
import org.sordino.torch.TorchData;
import org.sordino.torch.TorchEngine;
import org.sordino.torch.TorchFactory;
import org.sordino.torch.TorchModel;
import org.sordino.training.ChannelStatistics;
import org.sordino.training.Examples;
import org.sordino.training.GradientEngine;
import org.sordino.training.Optimiser;
import org.sordino.training.PrincipalDirections;
import org.sordino.training.Records;
import org.sordino.training.Safetensors;
import org.sordino.training.Trainer;
import org.sordino.training.TrainingPlan;
import org.sordino.training.Unit;

/** A neural network, on images or on a table. */
final class NetworkTask implements Task {

  private static final List<String> PRESETS = List.of("mnist-cnn", "cifar-cnn", "logreg");
  private static final int CLASSES = 10;
  private static final int BASELINE_EPOCHS = 5;
  private static final int THREADS = Runtime.getRuntime().availableProcessors();
  private static final Loss LOSS = Loss.CROSS_ENTROPY;

  private final Map<String, @Nullable Object> origin;
  private final String name;
  private final Networks networks;
  private final List<String> classes;
  private final Source training;
  private final @Nullable TorchData test;
  private final ModelShape shape;
  private FittedPreprocessing change = FittedPreprocessing.NONE;

  /** First weights and dropout masks are public coins; the noise has a secret key. */
  private final RandomKey coins;

  /**
   * One network in two forms.
   *
   * @param trained for inputs as training sees them
   * @param released for inputs as they are
   */
  private record Networks(Architecture trained, Architecture released) {

    /** How many outputs the first layer has, where it is linear. */
    int firstOutputs() {
      return Math.toIntExact(released.shapes().values().iterator().next()[0]);
    }
  }

  /** The records to learn from, wherever they are. */
  private interface Source {
    long records(Unit unit);

    Prepared prepare(TrainingPlan plan, Consumer<FittedPreprocessing> told);

    /** An engine for the released network, every example a record. */
    GradientEngine plain();
  }

  /** Images in memory. */
  private record Images(
      Networks networks, TorchData data, Preprocessing inputs, List<String> users, RandomKey coins)
      implements Source {

    private RecordGrouping grouping() {
      return new RecordGrouping(data.size(), users, data::digest);
    }

    @Override
    public long records(Unit unit) {
      return grouping().count(unit);
    }

    @Override
    public Prepared prepare(TrainingPlan plan, Consumer<FittedPreprocessing> told) {
      Records grouped = grouping().records(plan);
      List<Layout.Vector> metrics = plan.mechanism().layout().vectors(Layout.Role.METRIC);
      return new Prepared(
          plan,
          () ->
              inputs.normalised()
                  ? ChannelStatistics.engine(data, grouped, data.channels())
                  : PrincipalDirections.engine(data, grouped),
          answers -> {
            FittedPreprocessing found = FittedPreprocessing.of(inputs, data.width(), answers);
            told.accept(found);
            return engine(networks.trained(), changed(data, found))
                .with(metrics, plan.unit(), grouped);
          });
    }

    private static TorchData changed(TorchData data, FittedPreprocessing change) {
      double[] directions = change.directions();
      return directions == null ? normalised(data, change) : data.projectedOn(directions);
    }

    @Override
    public GradientEngine plain() {
      return engine(networks.released(), data);
    }

    private TorchEngine engine(Architecture network, TorchData images) {
      return TorchEngine.of(
          network, LOSS, images, coins.derive("dropout"), TorchEngine.Options.defaults());
    }
  }

  /** Rows of a table. */
  private record Rows(TableTask table, Networks networks, Preprocessing inputs, RandomKey coins)
      implements Source {

    @Override
    public long records(Unit unit) {
      return table.records(unit);
    }

    @Override
    public Prepared prepare(TrainingPlan plan, Consumer<FittedPreprocessing> told) {
      return table.prepare(plan, factory(networks.trained()), inputs, told);
    }

    @Override
    public GradientEngine plain() {
      return table.table().engine(factory(networks.released()));
    }

    private TorchFactory factory(Architecture network) {
      return TorchFactory.of(network, LOSS, coins.derive("dropout"));
    }
  }

  private NetworkTask(
      Map<String, @Nullable Object> origin,
      String name,
      Networks networks,
      List<String> classes,
      Source training,
      @Nullable TorchData test,
      ModelShape shape,
      RandomKey coins) {
    this.origin = origin;
    this.name = name;
    this.networks = networks;
    this.classes = List.copyOf(classes);
    this.training = training;
    this.test = test;
    this.shape = shape;
    this.coins = coins;
  }

  /**
   * A network on an image data set.
   *
   * @param directory where the files lie; null for the usual places
   * @param model a preset, or a file with an architecture
   * @param users whose the images are
   */
  static NetworkTask ofImages(
      ImageData.Source source,
      @Nullable Path directory,
      String model,
      Preprocessing inputs,
      ImageUsers users,
      long seed) {
    Networks networks = networks(model, source, inputs);
    ImageData data;
    try {
      data = ImageData.load(source, directory);
    } catch (IOException e) {
      throw new InvalidInputException(String.valueOf(e.getMessage()));
    }
    Map<String, @Nullable Object> origin = new LinkedHashMap<>();
    origin.put("task", "images");
    origin.put("file", source.id());
    origin.put("directory", directory == null ? null : directory.toString());
    origin.put("model", model);
    origin.put("architecture", Json.readObject(networks.trained().toJson()));
    origin.put("seed", seed);
    users.addTo(origin);
    inputs.addTo(origin);
    List<String> classes = new ArrayList<>();
    for (int k = 0; k < data.classes(); k++) {
      classes.add(Integer.toString(k));
    }
    RandomKey coins = RandomKey.insecure(seed);
    TorchData images = data.trainingData();
    List<String> owners = users.users(images.size(), seed);
    return new NetworkTask(
        origin,
        model,
        networks,
        classes,
        new Images(networks, images, inputs, owners, coins),
        data.testData(),
        shape(model, source, inputs),
        coins);
  }

  /** What a plan must know of a network on images. */
  static ModelShape shape(String model, ImageData.Source source, Preprocessing inputs) {
    Networks networks = networks(model, source, inputs);
    int[] shape = source.shape();
    return new ModelShape(
        networks.trained().layout(),
        CLASSES,
        shape[0],
        shape[0] * shape[1] * shape[2],
        inputs,
        true);
  }

  /** What a plan must know of a network on a table. */
  static ModelShape shape(String model, Schema schema, Preprocessing inputs) {
    Networks networks = networks(model, schema, inputs);
    int width = schema.width();
    return new ModelShape(
        networks.trained().layout(), schema.classes().size(), width, width, inputs, true);
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
  static NetworkTask ofTable(TableTask table, String model, Preprocessing inputs, long seed) {
    Networks networks = networks(model, table.schema(), inputs);
    Examples test = table.table().test();
    RandomKey coins = RandomKey.insecure(seed);
    Map<String, @Nullable Object> origin = new LinkedHashMap<>(table.json());
    origin.put("task", "network-table");
    origin.put("model", model);
    origin.put("architecture", Json.readObject(networks.trained().toJson()));
    origin.put("seed", seed);
    return new NetworkTask(
        origin,
        model,
        networks,
        table.schema().classes(),
        new Rows(table, networks, inputs, coins),
        test == null ? null : TorchData.of(test),
        shape(model, table.schema(), inputs),
        coins);
  }

  /** Finds model and records of a run again. */
  static NetworkTask of(Map<String, @Nullable Object> json) {
    long seed = ((Number) json.getOrDefault("seed", 0L)).longValue();
    String model = String.valueOf(json.get("model"));
    if ("images".equals(json.get("task"))) {
      ImageData.Source source = ImageData.Source.of(String.valueOf(json.get("file")));
      Object directory = json.get("directory");
      if (source == null) {
        throw new RunDamagedException("run.json names the unknown data set " + json.get("file"));
      }
      return ofImages(
          source,
          directory == null ? null : Path.of(String.valueOf(directory)),
          model,
          Preprocessing.of(json),
          ImageUsers.of(json),
          seed);
    }
    return ofTable(TableTask.of(json), model, Preprocessing.of(json), seed);
  }

  private static Networks networks(String model, ImageData.Source source, Preprocessing inputs) {
    int[] shape = source.shape();
    int pixels = shape[0] * shape[1] * shape[2];
    requireMlp(model, inputs);
    if (model.equals("mlp")) {
      return mlp(pixels, 1000, CLASSES, inputs);
    }
    Architecture architecture = named(model);
    if (Arrays.stream(architecture.input()).reduce(1, (a, b) -> a * b) != pixels) {
      throw Numbers.bad(
          "--model",
          "a network for images of shape " + Arrays.toString(shape),
          model + ", which takes " + Arrays.toString(architecture.input()),
          "mnist-cnn is for 1x28x28, cifar-cnn for 3x32x32");
    }
    return same(requireClasses(model, architecture, CLASSES));
  }

  private static Networks networks(String model, Schema schema, Preprocessing inputs) {
    if (schema.requireLabel().isNumber()) {
      throw new InvalidInputException(
          "--model must be linear for a label that is a number, got "
              + model
              + "; networks predict classes");
    }
    int features = schema.width();
    int classes = schema.classes().size();
    requireMlp(model, inputs);
    if (model.equals("mlp")) {
      return mlp(features, 64, classes, inputs);
    }
    if (inputs.normalised()) {
      throw new InvalidInputException(
          "--normalise needs --model linear or mlp on a table, got " + model);
    }
    Architecture architecture = named(model);
    if (Arrays.stream(architecture.input()).reduce(1, (a, b) -> a * b) != features) {
      throw Numbers.bad(
          "--model",
          "a network for " + features + " features",
          model + ", which takes " + Arrays.toString(architecture.input()),
          "mlp suits every table");
    }
    return same(requireClasses(model, architecture, classes));
  }

  private static void requireMlp(String model, Preprocessing inputs) {
    if (inputs.directions() > 0 && !model.equals("mlp")) {
      throw new InvalidInputException(
          "--pca needs --model mlp, or linear on a table, got " + model);
    }
  }

  private static Networks mlp(int features, int hidden, int classes, Preprocessing inputs) {
    return new Networks(
        Architecture.mlp(inputs.width(features), hidden, classes),
        Architecture.mlp(features, hidden, classes));
  }

  private static Networks same(Architecture architecture) {
    return new Networks(architecture, architecture);
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
      throw new InvalidInputException("--model " + model + ": " + e.getMessage());
    }
  }

  @Override
  public Map<String, @Nullable Object> json() {
    return origin;
  }

  @Override
  public String describe() {
    return "%s with %s parameters on %s"
        .formatted(
            name, Numbers.grouped(networks.trained().layout().dimension()), origin.get("file"));
  }

  @Override
  public ModelShape shape() {
    return shape;
  }

  @Override
  public double[] start() {
    return start(networks.trained());
  }

  private double[] start(Architecture architecture) {
    return architecture.initialWeights(coins.derive("initialisation"));
  }

  @Override
  public long records(Unit unit) {
    return training.records(unit);
  }

  @Override
  public Prepared prepare(TrainingPlan plan) {
    return training.prepare(plan, found -> change = found);
  }

  /** Plain Adam for a few epochs. */
  @Override
  public @Nullable Evaluation baseline() {
    Architecture architecture = networks.released();
    long examples = training.records(Unit.example());
    TrainingPlan.Builder plan =
        TrainingPlan.forLayout(architecture.layout())
            .population(examples)
            .expectedBatch(Math.min(examples, 128))
            .epochs(BASELINE_EPOCHS)
            .noiseMultiplier(0)
            .clip(Double.POSITIVE_INFINITY)
            .optimiser(Optimiser.adam(0.001));
    if (!shape.statistics().isEmpty()) {
      List<String> following = shape.statistics().stream().map(Layout.Vector::name).toList();
      plan.shared(VectorGroup.flat("statistics", following, Double.POSITIVE_INFINITY), 0.5);
    }
    try (GradientEngine engine = training.plain()) {
      Trainer trainer = Trainer.of(plan.build(), engine).start(start(architecture));
      double[] theta = trainer.insecureSeed(1).run().weights();
      return test == null ? null : evaluation(new TorchModel(architecture, theta), test);
    }
  }

  /** An epoch: a look at all test images costs a good part of one. */
  @Override
  public long stepsBetweenLooks(PrivacyPlan plan) {
    return Math.max(1, Math.round(1 / plan.samplingRate()));
  }

  @Override
  public @Nullable Evaluation evaluate(double[] theta) {
    return test == null ? null : evaluation(released(theta), normalised(test, change));
  }

  /** Images keep their normalisation, rows of a table give it to the first layer. */
  private TorchModel released(double[] theta) {
    boolean folds = change.directions() != null || training instanceof Rows;
    return new TorchModel(
        networks.released(),
        folds ? change.folded(theta, networks.firstOutputs(), shape.width()) : theta);
  }

  /** Images as the released network expects them, where that is not the usual way. */
  static TorchData normalised(TorchData data, FittedPreprocessing change) {
    ChannelStatistics statistics = imageStatistics(data, change);
    return statistics == null
        ? data
        : data.normalisedBy(statistics.means(), statistics.deviations());
  }

  /** Principal directions are those of pixels from 0 to 1. */
  private static @Nullable ChannelStatistics imageStatistics(
      TorchData data, FittedPreprocessing change) {
    if (data.shape().length != 3) {
      return null;
    }
    double[] ones = new double[data.channels()];
    Arrays.fill(ones, 1);
    return change.directions() == null
        ? change.statistics()
        : new ChannelStatistics(new double[ones.length], ones);
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
    model.put("architecture", Json.readObject(networks.released().toJson()));
    ChannelStatistics statistics = test == null ? null : imageStatistics(test, change);
    if (statistics != null) {
      model.put("means", Arrays.stream(statistics.means()).boxed().toList());
      model.put("deviations", Arrays.stream(statistics.deviations()).boxed().toList());
    }
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
    return released(theta).tensors(Map.of()).tensors();
  }
}
