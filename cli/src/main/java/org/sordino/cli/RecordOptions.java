package org.sordino.cli;

import org.jspecify.annotations.Nullable;
import org.sordino.network.ImageUsers;
import org.sordino.run.InvalidInputException;
import org.sordino.training.Unit;
import picocli.CommandLine.Option;

/** What one record is, and whose the examples are. */
final class RecordOptions {

  private static final int DEFAULT_EXAMPLES_OF_A_USER = 32;
  private static final int MOST_EXAMPLES = 1_000_000;

  /** Kinds of records by their names on the command line. */
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
          "What is drawn, bounded and protected as a whole: ${COMPLETION-CANDIDATES}; example if"
              + " not given. Batch and noise are about these units, --population about"
              + " users or examples. With microbatch, one example is protected.")
  private UnitName unit = UnitName.example;

  @Option(
      names = "--examples-per-record",
      paramLabel = "N",
      description =
          "Examples of a microbatch on average, or of a user at most; 32 for users if not given.")
  private @Nullable String examples;

  @Option(
      names = "--user-column",
      paramLabel = "COLUMN",
      description = "The column that says whose a row is; not a feature.")
  private @Nullable String userColumn;

  @Option(
      names = "--user-file",
      paramLabel = "FILE",
      description = "Whose the images are: a line for each, in their order.")
  private @Nullable String userFile;

  @Option(
      names = "--simulated-users",
      paramLabel = "N",
      description = "Public coins assign images to so many users, for experiments.")
  private @Nullable String simulatedUsers;

  @Option(
      names = "--local-epochs",
      paramLabel = "E",
      description = "Of user-update: how often a user goes over the own examples; 1 if not given.")
  private @Nullable String localEpochs;

  @Option(
      names = "--local-batch",
      paramLabel = "B",
      description = "Of user-update: examples in a step at home; 10 if not given.")
  private @Nullable String localBatch;

  @Option(
      names = "--local-learning-rate",
      paramLabel = "ETA",
      description = "Of user-update: the learning rate at home; 0.1 if not given.")
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

  /** Whose the images are. */
  ImageUsers imageUsers() {
    return new ImageUsers(
        userFile,
        simulatedUsers == null
            ? 0
            : OptionValues.whole("--simulated-users", simulatedUsers, 1, 1 << 30, "try 1000"));
  }

  /**
   * Checks what can be checked before any record is read.
   *
   * @param images whether the records are images
   * @param local whether they are in this process
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
          "--local-epochs, --local-batch and --local-learning-rate need" + " --unit user-update");
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
        throw new InvalidInputException("--user-column belongs to tables; images have --user-file");
      }
      if (userFile != null && simulatedUsers != null) {
        throw new InvalidInputException(
            "--user-file and --simulated-users contradict each other; give one of them");
      }
      if (userFile == null && simulatedUsers == null) {
        throw new InvalidInputException(
            "--unit %s needs --user-file or --simulated-users".formatted(unit));
      }
    } else {
      if (userFile != null || simulatedUsers != null) {
        throw new InvalidInputException(
            "--user-file and --simulated-users belong to images; tables have --user-column");
      }
      if (userColumn == null) {
        throw new InvalidInputException("--unit %s needs --user-column".formatted(unit));
      }
    }
  }
}
