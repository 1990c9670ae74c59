package org.sordino.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.sordino.PrivacyEvent;
import org.sordino.run.InvalidInputException;
import org.sordino.run.TrainingOptions;
import org.sordino.training.Schedule;
import org.sordino.training.Unit;
import org.sordino.training.WeightDecay;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The options that make a plan, parsed into {@link TrainingOptions}. */
final class TrainOptions {

  /** Clipping rules that have a name on the command line; others are written into a plan. */
  enum ClippingRule {
    flat(TrainingOptions.Clipping.FLAT),
    auto(TrainingOptions.Clipping.AUTO),
    per_layer(TrainingOptions.Clipping.PER_LAYER);

    private final TrainingOptions.Clipping rule;

    ClippingRule(TrainingOptions.Clipping rule) {
      this.rule = rule;
    }

    @Override
    public String toString() {
      return name().replace('_', '-');
    }
  }

  /** Optimizers that have a name on the command line. */
  enum OptimizerName {
    sgd(TrainingOptions.OptimizerType.SGD),
    adam(TrainingOptions.OptimizerType.ADAM),
    adam_bc(TrainingOptions.OptimizerType.ADAM_BC);

    private final TrainingOptions.OptimizerType optimizer;

    OptimizerName(TrainingOptions.OptimizerType optimizer) {
      this.optimizer = optimizer;
    }

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
  @Nullable OptimizerName optimizer;

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

  @Mixin RecordOptions records;

  @Mixin ReleaseOptions releases;

  /** Whether something determines the noise. */
  boolean isPriced() {
    return epsilon != null || noiseMultiplier != null || planFile != null;
  }

  /**
   * Checks combinations of options, before any file is opened.
   *
   * @param images whether the records are images
   * @param local whether they are in this process
   */
  void check(boolean images, boolean local) {
    if (steps != null && epochs != null) {
      throw new InvalidInputException(
          "--steps and --epochs contradict each other; give one of them");
    }
    String length = steps == null ? epochs : steps;
    if (epsilon != null && noiseMultiplier != null && (batch == null) == (length == null)) {
      throw new InvalidInputException(
          "--epsilon and --noise-multiplier contradict each other, unless exactly one of --batch"
              + " and --steps is left to be found; give one of the two");
    }
    if (epsilon != null && noiseMultiplier != null && epochs != null) {
      throw new InvalidInputException(
          "--epochs cannot stand where the batch is to be found; give --steps");
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
      throw InvalidInputException.of(
          "--plan", "a file that exists", planFile.toString(), "check the name");
    }
    records.check(images, local);
    releases.check(local);
  }

  /** The values of all options; without any that determines the noise, epsilon is 1. */
  TrainingOptions parsed() {
    TrainingOptions parsed = new TrainingOptions().unit(records.unit()).replaceOne(replaceOne);
    addBudget(parsed);
    addLength(parsed);
    addOptimizer(parsed);
    if (clip != null) {
      parsed.clip(
          OptionValues.real("--clip", clip, x -> x >= 1e-30 && x <= 1e30, "above 0", "try 1"));
    }
    if (clipping != null) {
      parsed.clipping(clipping.rule);
    }
    if (weightDecay != null) {
      double lambda =
          OptionValues.real(
              "--weight-decay", weightDecay, x -> x >= 0, "finite and at least 0", "try 0.001");
      parsed.weightDecay(lambda, (decay == null ? DecayPlace.inside_clip : decay).place);
    }
    releases.addTo(parsed);
    if (planFile != null) {
      parsed.plan(planFile.toString(), planText(planFile));
    }
    return parsed;
  }

  private void addBudget(TrainingOptions parsed) {
    if (delta != null) {
      parsed.delta(OptionValues.delta(delta));
    }
    if (epsilon != null) {
      double target = OptionValues.epsilon(epsilon);
      if (!(target > 0)) {
        throw InvalidInputException.of(
            "--epsilon", "above 0", epsilon, "typical values are 0.1 to 10");
      }
      parsed.epsilon(target);
    } else if (!isPriced()) {
      parsed.epsilon(1);
    }
    if (noiseMultiplier != null) {
      parsed.noiseMultiplier(
          OptionValues.real(
              "--noise-multiplier",
              noiseMultiplier,
              x -> x >= 0,
              "finite and at least 0",
              "typical values are 0.5 to 10"));
    }
    if (population != null) {
      parsed.population(
          OptionValues.whole(
              "--population", population, 1, MAX_POPULATION, "it is the number of records"));
    }
  }

  private void addLength(TrainingOptions parsed) {
    if (batch != null) {
      parsed.expectedBatch(
          OptionValues.real(
              "--batch",
              batch,
              x -> x > 0 && x <= MAX_POPULATION,
              "above 0 and at most the population",
              "it is the expected number of records in a step"));
    }
    if (epochs != null) {
      parsed.epochs(
          OptionValues.real("--epochs", epochs, x -> x > 0 && x < 1e9, "above 0", "try 20"));
    }
    if (steps != null) {
      parsed.steps(OptionValues.whole("--steps", steps, 1, PrivacyEvent.MAX_COUNT, "try 500"));
    }
  }

  private void addOptimizer(TrainingOptions parsed) {
    if (optimizer != null) {
      parsed.optimizer(optimizer.optimizer);
    }
    if (learningRate != null) {
      parsed.learningRate(
          OptionValues.real("--learning-rate", learningRate, x -> x > 0, "above 0", "try 0.1"));
    }
    if (momentum != null) {
      parsed.momentum(fraction("--momentum", momentum));
    }
    if (averaging != null) {
      parsed.averaging(fraction("--averaging", averaging));
    }
    if (schedule != null) {
      parsed.schedule(
          switch (schedule) {
            case "constant" -> Schedule.constant();
            case "linear" -> Schedule.linear(0);
            case "cosine" -> Schedule.cosine(0);
            default ->
                throw InvalidInputException.of(
                    "--schedule",
                    "constant, linear or cosine",
                    schedule,
                    "others go into a --plan");
          });
    }
  }

  private static double fraction(String option, String text) {
    return OptionValues.real(option, text, x -> x >= 0 && x < 1, "in [0, 1)", "try 0.9");
  }

  private static String planText(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw InvalidInputException.of("--plan", "a readable text", file.toString(), e.toString());
    }
  }
}
