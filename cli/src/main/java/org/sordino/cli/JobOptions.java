package org.sordino.cli;

import org.jspecify.annotations.Nullable;
import org.sordino.network.ImageTask;
import org.sordino.network.NetworkLearner;
import org.sordino.network.Networks;
import org.sordino.run.InvalidInputException;
import org.sordino.run.Preprocessing;
import org.sordino.run.TableTask;
import org.sordino.run.Task;
import org.sordino.run.Training;
import org.sordino.torch.ImageData;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Records, model and plan: what 'train' does and 'plan' explains. */
final class JobOptions {

  private static final String LINEAR = "linear";
  private static final String MLP = "mlp";

  @Mixin DataOptions data;

  @Mixin TrainOptions options;

  @Option(
      names = "--model",
      paramLabel = "NAME",
      description =
          "For tables linear (the default: linear, logistic or softmax regression, as the label"
              + " requires) or mlp; for images mnist-cnn, cifar-cnn or mlp; or a file with an"
              + " architecture in JSON.")
  private @Nullable String model;

  /** Checks everything that can be checked before any file is opened. */
  void check() {
    options.check(data.images() != null, data.isLocal());
    options.parsed();
    if (model == null || model.equals(LINEAR) || model.equals(MLP)) {
      return;
    }
    Preprocessing preprocessing = options.releases.preprocessing();
    if (preprocessing.directions() > 0) {
      throw new InvalidInputException(
          "--pca needs --model mlp, or linear on a table, got " + model);
    }
    if (data.images() == null && preprocessing.normalized()) {
      throw new InvalidInputException(
          "--normalise needs --model linear or mlp on a table, got " + model);
    }
    if (data.images() == null) {
      Networks.named(model);
    }
  }

  /**
   * Model and records. Records are read only to draft a schema.
   *
   * @param seed of the public randomness
   */
  Task task(long seed) {
    ImageData.Source images = data.images();
    Preprocessing preprocessing = options.releases.preprocessing();
    if (images != null) {
      data.requireNothingOfTables();
      return new ImageTask(
          images,
          data.imageFolder(),
          model == null ? ImageTask.usualModel(images) : model,
          preprocessing,
          options.records.imageUsers(),
          seed);
    }
    TableTask.Builder table = data.table(options.records.userColumn()).preprocessing(preprocessing);
    if (model != null && !model.equals(LINEAR)) {
      String network = model;
      table.learner(schema -> NetworkLearner.of(network, schema, seed));
    }
    return table.build();
  }

  /** A run of the task with all settings. */
  Training training(Task task) {
    return Training.of(task).options(options.parsed());
  }
}
