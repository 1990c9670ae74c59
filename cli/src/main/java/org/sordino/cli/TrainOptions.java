package org.sordino.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.sordino.Neighbouring;
import org.sordino.PrivacyBudget;
import org.sordino.PrivacyEvent;
import org.sordino.mechanism.Layout;
import org.sordino.mechanism.NoiseAllocation;
import org.sordino.mechanism.VectorGroup;
import org.sordino.training.Optimiser;
import org.sordino.training.Schedule;
import org.sordino.training.TrainingPlan;
import org.sordino.training.WeightDecay;
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
          "How many records the data has, as publicly declared. Without it the number is counted"
              + " in the file, and the statement says so.")
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
      description = "Where it acts: ${COMPLETION-CANDIDATES}; inside-clip if not given.")
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

  /** Stands for the parameters of any model while options are checked. */
  private static final Layout PROBE = Layout.of(new Layout.Vector("weight", 1));

  double delta() {
    return delta == null ? 1e-5 : Question.delta(delta);
  }

  /** The declared number of records; null if it is to be counted. */
  @Nullable Long population() {
    return population == null
        ? null
        : Numbers.whole(
            "--population", population, 1, MAX_POPULATION, "it is the number of records");
  }

  /** Checks all that can be checked before any record is read. */
  void check() {
    if (epsilon != null && noiseMultiplier != null) {
      throw new BadInput(
          "--epsilon and --noise-multiplier contradict each other; give one, the other follows");
    }
    if (steps != null && epochs != null) {
      throw new BadInput("--steps and --epochs contradict each other; give one of them");
    }
    if (decay != null && weightDecay == null) {
      throw new BadInput("--decay needs --weight-decay; give for instance --weight-decay 0.01");
    }
    if (planFile != null && !Files.isRegularFile(planFile)) {
      throw Numbers.bad("--plan", "a file that exists", planFile.toString(), "check the name");
    }
    builder(PROBE, MAX_POPULATION, Defaults.ofTable(MAX_POPULATION), 1);
  }

  /**
   * The plan.
   *
   * @param layout the parameters of the model
   * @param records the population
   * @param defaults for what is not said
   */
  TrainingPlan plan(Layout layout, long records, Defaults defaults, double defaultEpsilon) {
    TrainingPlan.Builder plan = builder(layout, records, defaults, defaultEpsilon);
    try {
      if (planFile != null) {
        plan.override(planText(planFile));
      }
      return plan.build();
    } catch (IllegalArgumentException e) {
      throw new BadInput((planFile == null ? "" : planFile + ": ") + e.getMessage());
    }
  }

  private TrainingPlan.Builder builder(
      Layout layout, long records, Defaults defaults, double defaultEpsilon) {
    TrainingPlan.Builder plan =
        TrainingPlan.forLayout(layout)
            .population(records)
            .expectedBatch(batch(records, defaults))
            .neighbouring(replaceOne ? Neighbouring.REPLACE_ONE : Neighbouring.ADD_OR_REMOVE_ONE)
            .optimiser(optimiser(defaults))
            .schedule(schedule(defaults))
            .averaging(fraction("--averaging", averaging, defaults.averaging()));
    length(plan, defaults);
    bounds(plan, layout, defaults);
    regularisation(plan, defaults);
    price(plan, defaultEpsilon);
    return plan;
  }

  private double batch(long records, Defaults defaults) {
    return batch == null
        ? defaults.expectedBatch()
        : Numbers.real(
            "--batch",
            batch,
            x -> x > 0 && x <= records,
            "above 0 and at most the population " + records,
            "it is the expected number of records in a step");
  }

  private void length(TrainingPlan.Builder plan, Defaults defaults) {
    if (epochs != null) {
      plan.epochs(Numbers.real("--epochs", epochs, x -> x > 0 && x < 1e9, "above 0", "try 20"));
    } else {
      plan.steps(
          steps == null
              ? defaults.steps()
              : Numbers.whole("--steps", steps, 1, PrivacyEvent.MAX_COUNT, "try 500"));
    }
  }

  private void bounds(TrainingPlan.Builder plan, Layout layout, Defaults defaults) {
    double bound =
        clip == null
            ? defaults.clip()
            : Numbers.real("--clip", clip, x -> x >= 1e-30 && x <= 1e30, "above 0", "try 1");
    ClippingRule rule = clipping == null ? defaults.clipping() : clipping;
    List<VectorGroup> groups =
        switch (rule) {
          case flat -> List.of(VectorGroup.flat("gradient", layout.names(), bound));
          case auto ->
              List.of(VectorGroup.automatic("gradient", layout.names(), bound, 0.01 * bound));
          case per_layer ->
              layout.names().stream()
                  .map(
                      name ->
                          VectorGroup.flat(name, List.of(name), bound / Math.sqrt(layout.size())))
                  .toList();
        };
    plan.groups(groups, NoiseAllocation.EQUAL);
  }

  private Optimiser optimiser(Defaults defaults) {
    if (optimiser == null && momentum == null && learningRate == null) {
      return defaults.optimiser();
    }
    OptimiserName name =
        optimiser != null
            ? optimiser
            : defaults.optimiser() instanceof Optimiser.Sgd
                ? OptimiserName.sgd
                : OptimiserName.adam;
    double fallback = name == OptimiserName.sgd ? 0.5 : 0.02;
    double rate =
        learningRate == null
            ? fallback
            : Numbers.real("--learning-rate", learningRate, x -> x > 0, "above 0", "try 0.1");
    if (name != OptimiserName.sgd && momentum != null) {
      throw new BadInput("--momentum belongs to sgd; leave it out or use --optimizer sgd");
    }
    return switch (name) {
      case sgd -> new Optimiser.Sgd(rate, fraction("--momentum", momentum, 0.9));
      case adam -> Optimiser.adam(rate);
      case adam_bc -> new Optimiser.Adam(rate, 0.9, 0.999, 1e-3, true);
    };
  }

  private Schedule schedule(Defaults defaults) {
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

  private void regularisation(TrainingPlan.Builder plan, Defaults defaults) {
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
      plan.noiseMultiplier(
          Numbers.real(
              "--noise-multiplier",
              noiseMultiplier,
              x -> x >= 0,
              "finite and at least 0",
              "typical values are 0.5 to 10"));
      return;
    }
    if (epsilon == null && planFile != null) {
      return; // the plan says it
    }
    double target = epsilon == null ? defaultEpsilon : Question.epsilon(epsilon);
    if (!(target > 0)) {
      throw Numbers.bad(
          "--epsilon", "above 0", String.valueOf(epsilon), "typical values are 0.1 to 10");
    }
    plan.budget(new PrivacyBudget(target, delta()));
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
