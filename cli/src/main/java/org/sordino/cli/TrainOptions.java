package org.sordino.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.sordino.Neighbouring;
import org.sordino.PrivacyBudget;
import org.sordino.PrivacyEvent;
import org.sordino.accounting.Calibration;
import org.sordino.accounting.TightAccountant;
import org.sordino.mechanism.Layout;
import org.sordino.mechanism.NoiseAllocation;
import org.sordino.mechanism.VectorGroup;
import org.sordino.training.Metric;
import org.sordino.training.Optimiser;
import org.sordino.training.PrivateQuery;
import org.sordino.training.Schedule;
import org.sordino.training.TrainingPlan;
import org.sordino.training.Unit;
import org.sordino.training.WeightDecay;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The options that make a plan; what is not given has a default that depends on public numbers. */
final class TrainOptions {

  /** Clipping rules that have a name on the command line; others are written into a plan. */
  enum ClippingRule {
    flat,
    auto,
    per_layer;

    @Override
    public String toString() {
      return name().replace('_', '-');
    }
  }

  /** Optimisers that have a name on the command line. */
  enum OptimiserName {
    sgd,
    adam,
    adam_bc;

    @Override
    public String toString() {
      return name().replace('_', '-');
    }
  }

  /** Places of weight decay. */
  enum DecayPlace {
    inside_clip(WeightDecay.Place.INSIDE_CLIP),
    after_noise(WeightDecay.Place.AFTER_NOISE),
    decoupled(WeightDecay.Place.DECOUPLED);

    private final WeightDecay.Place place;

    DecayPlace(WeightDecay.Place place) {
      this.place = place;
    }

    @Override
    public String toString() {
      return name().replace('_', '-');
    }
  }

  @Option(
      names = "--epsilon",
      paramLabel = "EPSILON",
      description = "What the run may cost; the noise is calibrated to it.")
  @Nullable String epsilon;

  @Option(
      names = "--delta",
      paramLabel = "DELTA",
      description = "Probability with which the bound may fail; 1e-5 if not given.")
  @Nullable String delta;

  @Option(
      names = "--noise-multiplier",
      paramLabel = "SIGMA",
      description = "Noise over clipping bound, instead of --epsilon; 0 for no privacy.")
  @Nullable String noiseMultiplier;

  @Option(
      names = "--population",
      paramLabel = "N",
      description =
          "How many examples the data has, or users where they are the unit, as publicly declared."
              + " Without it the number is counted in the file, and the statement says so.")
  @Nullable String population;

  @Option(names = "--batch", paramLabel = "L", description = "Expected records in a step.")
  @Nullable String batch;

  @Option(names = "--epochs", paramLabel = "E", description = "How often a record is drawn.")
  @Nullable String epochs;

  @Option(names = "--steps", paramLabel = "T", description = "Number of steps, or --epochs.")
  @Nullable String steps;

  @Option(names = "--clip", paramLabel = "S", description = "Bound on a record's gradient norm.")
  @Nullable String clip;

  @Option(
      names = "--clipping",
      paramLabel = "RULE",
      description = "One of ${COMPLETION-CANDIDATES}; others are written into a --plan.")
  @Nullable ClippingRule clipping;

  @Option(
      names = "--optimizer",
      paramLabel = "NAME",
      description = "One of ${COMPLETION-CANDIDATES}; adam-bc takes the noise out of the variance.")
  @Nullable OptimiserName optimiser;

  @Option(names = "--learning-rate", paramLabel = "ETA", description = "Of the optimizer.")
  @Nullable String learningRate;

  @Option(names = "--momentum", paramLabel = "MU", description = "Of sgd, in [0, 1).")
  @Nullable String momentum;

  @Option(
      names = "--schedule",
      paramLabel = "SHAPE",
      description = "Of the learning rate: constant, linear or cosine, the latter two to 0.")
  @Nullable String schedule;

  @Option(
      names = "--averaging",
      paramLabel = "DECAY",
      description = "The model is a moving average of the parameters; 0 for the last ones.")
  @Nullable String averaging;

  @Option(names = "--weight-decay", paramLabel = "LAMBDA", description = "L2 regularisation.")
  @Nullable String weightDecay;

  @Option(
      names = "--decay",
      paramLabel = "PLACE",
      description =
          "Where --weight-decay acts: ${COMPLETION-CANDIDATES}; inside-clip if not given.")
  @Nullable DecayPlace decay;

  @Option(
      names = "--replace-one",
      description = "Protect against replacing a record, not only adding or removing one.")
  boolean replaceOne;

  @Option(
      names = "--plan",
      paramLabel = "PLAN.json",
      description =
          "A plan, or a part of one, in the form of a run's plan.json. It reaches every mechanism"
              + " that has no option: groups, joint clipping, noise allocation, schedules; where"
              + " an option says something else, the plan counts.")
  @Nullable Path planFile;

  private static final long MAX_POPULATION = 1_000_000_000_000L;

  /** A query costs about this share of the budget unless the user says otherwise. */
  private static final double QUESTION_SHARE = 0.05;

  /** Its noise where no budget is given. */
  private static final double QUESTION_NOISE = 10;

  @Mixin RecordOptions records;

  @Mixin ReleaseOptions releases;

  double delta() {
    return delta == null ? 1e-5 : org.sordino.cli.SolveFor.delta(delta);
  }

  /** The declared number of records; null if it is to be counted. */
  @Nullable Long population() {
    return population == null
        ? null
        : Numbers.whole(
            "--population", population, 1, MAX_POPULATION, "it is the number of records");
  }

  /**
   * Checks all that can be checked before a schema is known.
   *
   * @param images whether the records are images
   * @param local whether they are in this process
   */
  void check(boolean images, boolean local) {
    if (steps != null && epochs != null) {
      throw new InvalidInputException(
          "--steps and --epochs contradict each other; give one of them");
    }
    if (epsilon != null && noiseMultiplier != null && (batch == null) == (length() == null)) {
      throw new InvalidInputException(
          "--epsilon and --noise-multiplier contradict each other, unless exactly one of --batch"
              + " and --steps is left to be found; give one of the two");
    }
    if (replaceOne && records.unit().kind() == Unit.Kind.MICROBATCH) {
      throw new InvalidInputException(
          "--replace-one and --unit microbatch contradict each other: an example that is replaced"
              + " leaves one slot and enters another; plan without --replace-one, and see the cost"
              + " of both with 'sordino account --group 2'");
    }
    if (decay != null && weightDecay == null) {
      throw new InvalidInputException(
          "--decay needs --weight-decay; give for instance --weight-decay 0.01");
    }
    if (planFile != null && !Files.isRegularFile(planFile)) {
      throw Numbers.bad("--plan", "a file that exists", planFile.toString(), "check the name");
    }
    records.check(images, local);
    releases.check(local);
    TrainingDefaults defaults = TrainingDefaults.of(images, records.unit(), MAX_POPULATION);
    builder(ModelShape.PROBE, MAX_POPULATION, defaults, 1);
  }

  /** Checks the same for a model, groups and metrics included, before any record is read. */
  void check(ModelShape shape) {
    if (records.unit().kind() == Unit.Kind.USER_UPDATE && !shape.statistics().isEmpty()) {
      throw new InvalidInputException(
          "--unit user-update must have a model that is trained at home alone, but %s follows the"
                  .formatted(shape.statistics().get(0).name())
              + " data of all; use group-norm or another unit");
    }
    // Any noise will do to see whether the rest fits, and few records in a step.
    TrainingDefaults defaults = TrainingDefaults.of(shape.network(), records.unit(), 1);
    TrainingPlan.Builder plan = builder(shape, MAX_POPULATION, defaults, 1).noiseMultiplier(1e-9);
    built(plan.steps(1), shape);
  }

  private @Nullable String length() {
    return steps == null ? epochs : steps;
  }

  /**
   * The plan.
   *
   * @param shape of the model
   * @param population how many records there are
   * @param defaults for what is not said
   */
  TrainingPlan plan(
      ModelShape shape, long population, TrainingDefaults defaults, double defaultEpsilon) {
    TrainingPlan.Builder plan = builder(shape, population, defaults, defaultEpsilon);
    if (epsilon != null && noiseMultiplier != null) {
      calibrate(plan, queries(shape, defaultEpsilon), population);
    }
    return built(plan, shape);
  }

  private TrainingPlan built(TrainingPlan.Builder builder, ModelShape shape) {
    try {
      if (planFile != null) {
        builder.override(planText(planFile));
      }
      TrainingPlan plan = builder.build();
      requireSame(plan, shape);
      return plan;
    } catch (IllegalArgumentException e) {
      throw new InvalidInputException((planFile == null ? "" : planFile + ": ") + e.getMessage());
    }
  }

  /** What a plan file says must not ask for records or inputs that the options do not provide. */
  private void requireSame(TrainingPlan plan, ModelShape shape) {
    if (plan.unit().kind() != records.unit().kind()) {
      throw new IllegalArgumentException(
          "unit must be that of --unit, %s, got %s; give --unit too"
              .formatted(records.unit().kind(), plan.unit().kind()));
    }
    List<Layout> asked = layouts(plan.queries());
    List<Layout> expected =
        layouts(shape.inputs().queries(shape.channels(), shape.width(), () -> 1));
    if (!asked.equals(expected)) {
      throw new IllegalArgumentException(
          "questions must be those of --normalise or --pca, got "
              + plan.queries().stream().map(PrivateQuery::name).toList()
              + "; give the option too");
    }
    Metric.requireClasses(plan.mechanism().layout().vectors(Layout.Role.METRIC), shape.classes());
  }

  private static List<Layout> layouts(List<PrivateQuery> queries) {
    return queries.stream().map(query -> query.mechanism().layout()).toList();
  }

  private TrainingPlan.Builder builder(
      ModelShape shape, long population, TrainingDefaults defaults, double defaultEpsilon) {
    TrainingPlan.Builder plan =
        TrainingPlan.forLayout(shape.layout())
            .population(population)
            .expectedBatch(batch(population, defaults))
            .unit(records.unit())
            .neighbouring(neighbouring())
            .optimiser(optimiser(defaults))
            .schedule(schedule(defaults))
            .averaging(fraction("--averaging", averaging, defaults.averaging()));
    releases.addTo(plan, shape);
    queries(shape, defaultEpsilon).forEach(plan::query);
    length(plan, defaults);
    bounds(plan, shape.gradients(), defaults);
    regularisation(plan, defaults);
    price(plan, defaultEpsilon);
    return plan;
  }

  /**
   * An example more or less may change its slot altogether: at the level of slots, a replacement.
   */
  Neighbouring neighbouring() {
    return replaceOne || records.unit().kind() == Unit.Kind.MICROBATCH
        ? Neighbouring.REPLACE_ONE
        : Neighbouring.ADD_OR_REMOVE_ONE;
  }

  private List<PrivateQuery> queries(ModelShape shape, double defaultEpsilon) {
    return shape
        .inputs()
        .queries(shape.channels(), shape.width(), () -> questionNoise(target(defaultEpsilon)));
  }

  /** A Gaussian that alone would cost the whole budget has z0; costs go with 1 / z^2. */
  private double questionNoise(@Nullable PrivacyBudget target) {
    Double given = releases.noiseGiven();
    if (given != null) {
      return given;
    }
    if (target == null) {
      return QUESTION_NOISE;
    }
    double z0 =
        Calibration.of(TightAccountant.of(neighbouring()), target)
            .noiseMultiplier(PrivacyEvent.Gaussian::new);
    return z0 / Math.sqrt(QUESTION_SHARE);
  }

  /** What the run may cost; null if only a noise multiplier or the plan says it. */
  private @Nullable PrivacyBudget target(double defaultEpsilon) {
    if (epsilon == null) {
      return noiseMultiplier == null && planFile == null
          ? new PrivacyBudget(defaultEpsilon, delta())
          : null;
    }
    double target = org.sordino.cli.SolveFor.epsilon(epsilon);
    if (!(target > 0)) {
      throw Numbers.bad("--epsilon", "above 0", epsilon, "typical values are 0.1 to 10");
    }
    return new PrivacyBudget(target, delta());
  }

  /** Finds the number of steps or the batch that the budget leaves room for. */
  private void calibrate(TrainingPlan.Builder plan, List<PrivateQuery> queries, long population) {
    double z = noise();
    PrivacyBudget target = Objects.requireNonNull(target(1));
    Calibration calibration = Calibration.of(TightAccountant.of(neighbouring()), target);
    if (batch != null) {
      double rate = batch(population, TrainingDefaults.ofTable(population)) / population;
      long most =
          calibration.steps(
              count -> with(queries, new PrivacyEvent.SampledGaussian(rate, z).times(count)));
      if (most == 0) {
        throw new InvalidInputException(
            "--epsilon leaves no room for a single step; give more noise");
      }
      plan.steps(most);
    } else if (steps != null) {
      long count = Numbers.whole("--steps", steps, 1, PrivacyEvent.MAX_COUNT, "try 500");
      double rate =
          calibration.samplingRate(
              q -> with(queries, new PrivacyEvent.SampledGaussian(q, z).times(count)));
      plan.expectedBatch(rate * population);
    } else {
      throw new InvalidInputException(
          "--epochs cannot stand where the batch is to be found; give --steps");
    }
  }

  static PrivacyEvent with(List<PrivateQuery> queries, PrivacyEvent steps) {
    List<PrivacyEvent> all = new ArrayList<>();
    queries.forEach(query -> all.add(query.event()));
    all.add(steps);
    return new PrivacyEvent.Composition(all);
  }

  private double batch(long population, TrainingDefaults defaults) {
    return batch == null
        ? defaults.expectedBatch()
        : Numbers.real(
            "--batch",
            batch,
            x -> x > 0 && x <= population,
            "above 0 and at most the population " + population,
            "it is the expected number of records in a step");
  }

  private void length(TrainingPlan.Builder plan, TrainingDefaults defaults) {
    if (epochs != null) {
      plan.epochs(Numbers.real("--epochs", epochs, x -> x > 0 && x < 1e9, "above 0", "try 20"));
    } else {
      plan.steps(
          steps == null
              ? defaults.steps()
              : Numbers.whole("--steps", steps, 1, PrivacyEvent.MAX_COUNT, "try 500"));
    }
  }

  private void bounds(
      TrainingPlan.Builder plan, List<String> gradients, TrainingDefaults defaults) {
    double bound =
        clip == null
            ? defaults.clip()
            : Numbers.real("--clip", clip, x -> x >= 1e-30 && x <= 1e30, "above 0", "try 1");
    ClippingRule rule = clipping == null ? ClippingRule.flat : clipping;
    List<VectorGroup> groups =
        switch (rule) {
          case flat -> List.of(VectorGroup.flat("gradient", gradients, bound));
          case auto -> List.of(VectorGroup.automatic("gradient", gradients, bound, 0.01 * bound));
          case per_layer -> VectorGroup.perLayer(gradients, bound);
        };
    plan.groups(groups, NoiseAllocation.EQUAL);
  }

  private Optimiser optimiser(TrainingDefaults defaults) {
    if (optimiser == null && momentum == null && learningRate == null) {
      return defaults.optimiser();
    }
    OptimiserName name =
        optimiser != null
            ? optimiser
            : defaults.optimiser() instanceof Optimiser.Sgd
                ? OptimiserName.sgd
                : OptimiserName.adam;
    Optimiser usual = defaults.optimiser();
    boolean same = (name == OptimiserName.sgd) == (usual instanceof Optimiser.Sgd);
    double rate =
        learningRate == null
            ? same ? usual.learningRate() : name == OptimiserName.sgd ? 0.5 : 0.02
            : Numbers.real("--learning-rate", learningRate, x -> x > 0, "above 0", "try 0.1");
    double momentumIfNotGiven = usual instanceof Optimiser.Sgd sgd ? sgd.momentum() : 0.9;
    if (name != OptimiserName.sgd && momentum != null) {
      throw new InvalidInputException(
          "--momentum belongs to sgd; leave it out or use --optimizer sgd");
    }
    return switch (name) {
      case sgd -> new Optimiser.Sgd(rate, fraction("--momentum", momentum, momentumIfNotGiven));
      case adam -> Optimiser.adam(rate);
      case adam_bc -> new Optimiser.Adam(rate, 0.9, 0.999, 1e-3, true);
    };
  }

  private Schedule schedule(TrainingDefaults defaults) {
    if (schedule == null) {
      return defaults.schedule();
    }
    return switch (schedule) {
      case "constant" -> Schedule.constant();
      case "linear" -> Schedule.linear(0);
      case "cosine" -> Schedule.cosine(0);
      default ->
          throw Numbers.bad(
              "--schedule", "constant, linear or cosine", schedule, "others go into a --plan");
    };
  }

  private void regularisation(TrainingPlan.Builder plan, TrainingDefaults defaults) {
    if (weightDecay == null) {
      plan.weightDecay(defaults.weightDecay().lambda(), defaults.weightDecay().place());
    } else {
      double lambda =
          Numbers.real(
              "--weight-decay", weightDecay, x -> x >= 0, "finite and at least 0", "try 0.001");
      plan.weightDecay(lambda, (decay == null ? DecayPlace.inside_clip : decay).place);
    }
  }

  private void price(TrainingPlan.Builder plan, double defaultEpsilon) {
    if (noiseMultiplier != null) {
      plan.noiseMultiplier(noise());
    }
    PrivacyBudget target = target(defaultEpsilon);
    if (target != null) {
      plan.budget(target);
    }
  }

  private double noise() {
    return Numbers.real(
        "--noise-multiplier",
        Objects.requireNonNull(noiseMultiplier),
        x -> x >= 0,
        "finite and at least 0",
        "typical values are 0.5 to 10");
  }

  private static double fraction(String option, @Nullable String text, double fallback) {
    return text == null
        ? fallback
        : Numbers.real(option, text, x -> x >= 0 && x < 1, "in [0, 1)", "try 0.9");
  }

  private static String planText(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw Numbers.bad("--plan", "a readable text", file.toString(), e.toString());
    }
  }
}
