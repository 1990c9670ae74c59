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

/** The options that define a training plan. Parses them into {@link TrainingOptions}. */
final class TrainOptions {

  /** Values of {@code --clipping}. Other clipping rules need a {@code --plan}. */
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

  /** Values of {@code --optimizer}. */
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

  /** Values of {@code --decay}. */
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
      description =
          "Privacy budget of the run, to which the noise is calibrated (default for the"
              + " demonstration and 'sordino plan': 1)")
  @Nullable String epsilon;

  @Option(
      names = "--delta",
      paramLabel = "DELTA",
      description = "Probability that the epsilon bound fails (default: 1e-5)")
  @Nullable String delta;

  @Option(
      names = "--noise-multiplier",
      paramLabel = "SIGMA",
      description =
          "Standard deviation of the noise divided by the clipping bound, in place of --epsilon; 0"
              + " trains without privacy")
  @Nullable String noiseMultiplier;

  @Option(
      names = "--population",
      paramLabel = "N",
      description =
          "Publicly declared number of examples, or of users if --unit is user or user-update"
              + " (default: counted in the data, outside the guarantee, with a note in the"
              + " statement)")
  @Nullable String population;

  @Option(
      names = "--batch",
      paramLabel = "L",
      description =
          "Expected number of records per step, drawn by Poisson sampling (default: half of the"
              + " records for linear models, at most 16,384; 512 for networks; all users for"
              + " user-update, at most 16,384, or 2,048 for networks)")
  @Nullable String batch;

  @Option(
      names = "--epochs",
      paramLabel = "E",
      description = "Number of passes over the data, in place of --steps")
  @Nullable String epochs;

  @Option(
      names = "--steps",
      paramLabel = "T",
      description =
          "Number of steps (default: 400 for linear models, 15 epochs for networks; with"
              + " user-update 100 and 30, respectively)")
  @Nullable String steps;

  @Option(
      names = "--clip",
      paramLabel = "S",
      description =
          "Clipping bound on the norm of a record's gradient (default: 1; 0.2 with user-update)")
  @Nullable String clip;

  @Option(
      names = "--clipping",
      paramLabel = "RULE",
      description =
          "Clipping rule: ${COMPLETION-CANDIDATES} (default: flat); other rules need a --plan")
  @Nullable ClippingRule clipping;

  @Option(
      names = "--optimizer",
      paramLabel = "NAME",
      description =
          "Optimizer: ${COMPLETION-CANDIDATES}; adam-bc corrects the second moment for the noise"
              + " (default: adam for linear models, sgd for networks and user-update)")
  @Nullable OptimizerName optimizer;

  @Option(
      names = "--learning-rate",
      paramLabel = "ETA",
      description =
          "Learning rate of the optimizer (default: 0.5 with sgd, or 4 with user-update; 0.02 with"
              + " adam, or 0.07 for linear models)")
  @Nullable String learningRate;

  @Option(
      names = "--momentum",
      paramLabel = "MU",
      description =
          "Momentum of sgd, in [0, 1) (default: 0.9 for linear models, 0.5 for networks, 0.8 with"
              + " user-update)")
  @Nullable String momentum;

  @Option(
      names = "--schedule",
      paramLabel = "SHAPE",
      description =
          "Learning rate schedule: constant, or linear or cosine decay to 0 (default: linear; for"
              + " networks without user-update, linear decay to a tenth)")
  @Nullable String schedule;

  @Option(
      names = "--averaging",
      paramLabel = "DECAY",
      description =
          "Decay of the moving average of the parameters that becomes the model; 0 uses the last"
              + " parameters (default: 0)")
  @Nullable String averaging;

  @Option(
      names = "--weight-decay",
      paramLabel = "LAMBDA",
      description =
          "Strength of L2 regularization (default: 0.01 and --decay decoupled for linear models, 0"
              + " for networks and user-update)")
  @Nullable String weightDecay;

  @Option(
      names = "--decay",
      paramLabel = "PLACE",
      description =
          "Where --weight-decay is applied: ${COMPLETION-CANDIDATES} (default: inside-clip)")
  @Nullable DecayPlace decay;

  @Option(
      names = "--replace-one",
      description = "Protect against replacing a record instead of adding or removing one")
  boolean replaceOne;

  @Option(
      names = "--plan",
      paramLabel = "PLAN.json",
      description =
          "Plan, or part of one, in the format of a run's plan.json; overrides the other options"
              + " and configures every mechanism, including those without an option: groups, joint"
              + " clipping, noise allocation, schedules")
  @Nullable Path planFile;

  private static final long MAX_POPULATION = 1_000_000_000_000L;

  @Mixin RecordOptions records;

  @Mixin ReleaseOptions releases;

  /** Whether an option determines the noise. */
  boolean determinesNoise() {
    return epsilon != null || noiseMultiplier != null || planFile != null;
  }

  /**
   * Checks combinations of options before any file is opened.
   *
   * @param images whether the records are images
   * @param local whether the records are read by this process
   */
  void check(boolean images, boolean local) {
    if (steps != null && epochs != null) {
      throw new InvalidInputException("--steps and --epochs cannot be combined; use one of them");
    }
    String length = steps == null ? epochs : steps;
    if (epsilon != null && noiseMultiplier != null && (batch == null) == (length == null)) {
      throw new InvalidInputException(
          "--epsilon and --noise-multiplier cannot be combined unless exactly one of --batch and"
              + " --steps is given and the other is computed; leave out --noise-multiplier");
    }
    if (epsilon != null && noiseMultiplier != null && epochs != null) {
      throw new InvalidInputException(
          "--epochs cannot be combined with --epsilon and --noise-multiplier, which determine the"
              + " batch; use --steps");
    }
    if (replaceOne && records.unit().kind() == Unit.Kind.MICROBATCH) {
      throw new InvalidInputException(
          "--replace-one and --unit microbatch cannot be combined, because replacing an example"
              + " changes two microbatches; leave out --replace-one and compute the cost of two"
              + " microbatches with 'sordino account --group 2'");
    }
    if (decay != null && weightDecay == null) {
      throw new InvalidInputException("--decay needs --weight-decay; try --weight-decay 0.01");
    }
    if (planFile != null && !Files.isRegularFile(planFile)) {
      throw InvalidInputException.of(
          "--plan", "a file that exists", planFile.toString(), "check the name");
    }
    records.check(images, local);
    releases.check(local);
  }

  /** Returns the values of all options; epsilon is 1 if no option determines the noise. */
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
            "--epsilon", "above 0", epsilon, "try a value from 0.1 to 10");
      }
      parsed.epsilon(target);
    } else if (!determinesNoise()) {
      parsed.epsilon(1);
    }
    if (noiseMultiplier != null) {
      parsed.noiseMultiplier(
          OptionValues.real(
              "--noise-multiplier",
              noiseMultiplier,
              x -> x >= 0,
              "finite and at least 0",
              "try a value from 0.5 to 10"));
    }
    if (population != null) {
      parsed.population(
          OptionValues.whole(
              "--population", population, 1, MAX_POPULATION, "use the number of records"));
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
              "use the expected number of records per step"));
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
                    "use a --plan for other schedules");
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
      throw InvalidInputException.of(
          "--plan", "a readable text file", file.toString(), e.toString());
    }
  }
}
