package org.sordino.cli;

import org.jspecify.annotations.Nullable;
import org.sordino.network.ImageUsers;
import org.sordino.run.InvalidInputException;
import org.sordino.training.Unit;
import picocli.CommandLine.Option;

/** The options that define a record and map examples to users. */
final class RecordOptions {

  private static final int DEFAULT_EXAMPLES_OF_A_USER = 32;
  private static final int MOST_EXAMPLES = 1_000_000;

  /** Values of {@code --unit}. */
  enum UnitName {
    example,
    microbatch,
    user,
    user_update;

    @Override
    public String toString() {
      return name().replace('_', '-');
    }
  }

  @Option(
      names = "--unit",
      paramLabel = "UNIT",
      description =
          "Unit that is sampled, clipped and protected as a whole: ${COMPLETION-CANDIDATES}"
              + " (default: example); batch and noise refer to units, --population to users or"
              + " examples; microbatch protects one example")
  private UnitName unit = UnitName.example;

  @Option(
      names = "--examples-per-record",
      paramLabel = "N",
      description =
          "Average number of examples per microbatch, or maximum number per user (default for"
              + " users: 32)")
  private @Nullable String examples;

  @Option(
      names = "--user-column",
      paramLabel = "COLUMN",
      description = "Column with the user ID; not used as a feature")
  private @Nullable String userColumn;

  @Option(
      names = "--user-file",
      paramLabel = "FILE",
      description = "File with the user ID of each image, one per line in the order of the images")
  private @Nullable String userFile;

  @Option(
      names = "--simulated-users",
      paramLabel = "N",
      description =
          "Number of users to whom images are assigned by public randomness, for experiments")
  private @Nullable String simulatedUsers;

  @Option(
      names = "--local-epochs",
      paramLabel = "E",
      description = "Number of local epochs with --unit user-update (default: 1)")
  private @Nullable String localEpochs;

  @Option(
      names = "--local-batch",
      paramLabel = "B",
      description = "Batch size of local training with --unit user-update (default: 10)")
  private @Nullable String localBatch;

  @Option(
      names = "--local-learning-rate",
      paramLabel = "ETA",
      description = "Learning rate of local training with --unit user-update (default: 0.1)")
  private @Nullable String localLearningRate;

  Unit unit() {
    return switch (unit) {
      case example -> Unit.example();
      case microbatch -> Unit.microbatch(examples(1));
      case user -> Unit.user(examples(DEFAULT_EXAMPLES_OF_A_USER));
      case user_update -> Unit.userUpdate(examples(DEFAULT_EXAMPLES_OF_A_USER), local());
    };
  }

  private boolean isUser() {
    return unit == UnitName.user || unit == UnitName.user_update;
  }

  private int examples(int fallback) {
    return examples == null
        ? fallback
        : (int) OptionValues.whole("--examples-per-record", examples, 1, MOST_EXAMPLES, "try 32");
  }

  private Unit.Local local() {
    return Unit.Local.of(
        localEpochs == null
            ? 1
            : (int) OptionValues.whole("--local-epochs", localEpochs, 1, 1000, "try 1"),
        localBatch == null
            ? 10
            : (int) OptionValues.whole("--local-batch", localBatch, 1, MOST_EXAMPLES, "try 10"),
        localLearningRate == null
            ? 0.1
            : OptionValues.real(
                "--local-learning-rate", localLearningRate, x -> x > 0, "above 0", "try 0.1"));
  }

  @Nullable String userColumn() {
    return userColumn;
  }

  /** Returns how images are assigned to users. */
  ImageUsers imageUsers() {
    return new ImageUsers(
        userFile,
        simulatedUsers == null
            ? 0
            : OptionValues.whole("--simulated-users", simulatedUsers, 1, 1 << 30, "try 1000"));
  }

  /**
   * Checks combinations of options before any record is read.
   *
   * @param images whether the records are images
   * @param local whether the records are read by this process
   */
  void check(boolean images, boolean local) {
    unit();
    imageUsers();
    if (unit == UnitName.microbatch && !local) {
      throw new InvalidInputException("--unit microbatch needs --engine java");
    }
    if (unit == UnitName.microbatch && examples == null) {
      throw new InvalidInputException("--unit microbatch needs --examples-per-record; try 16");
    }
    if (unit == UnitName.example && examples != null) {
      throw new InvalidInputException(
          "--examples-per-record needs --unit microbatch, user or user-update");
    }
    if (unit != UnitName.user_update
        && (localEpochs != null || localBatch != null || localLearningRate != null)) {
      throw new InvalidInputException(
          "--local-epochs, --local-batch and --local-learning-rate need --unit user-update");
    }
    checkKeys(images);
  }

  private void checkKeys(boolean images) {
    if (!isUser()) {
      if (userColumn != null || userFile != null || simulatedUsers != null) {
        throw new InvalidInputException(
            "--user-column, --user-file and --simulated-users need --unit user or user-update");
      }
    } else if (images) {
      if (userColumn != null) {
        throw new InvalidInputException(
            "--user-column applies only to tables; use --user-file for images");
      }
      if (userFile != null && simulatedUsers != null) {
        throw new InvalidInputException(
            "--user-file and --simulated-users cannot be combined; use one of them");
      }
      if (userFile == null && simulatedUsers == null) {
        throw new InvalidInputException(
            "--unit %s needs --user-file or --simulated-users".formatted(unit));
      }
    } else {
      if (userFile != null || simulatedUsers != null) {
        throw new InvalidInputException(
            "--user-file and --simulated-users apply only to images; use --user-column for tables");
      }
      if (userColumn == null) {
        throw new InvalidInputException("--unit %s needs --user-column".formatted(unit));
      }
    }
  }
}
