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

/** The options that {@code train} and {@code plan} share: records, model and training plan. */
final class JobOptions {

  private static final String LINEAR = "linear";
  private static final String MLP = "mlp";

  @Mixin DataOptions data;

  @Mixin TrainOptions options;

  @Option(
      names = "--model",
      paramLabel = "NAME",
      description =
          "Model: linear (linear, logistic or softmax regression, depending on the label) or mlp"
              + " for tables; mnist-cnn, cifar-cnn or mlp for images; or a JSON file with an"
              + " architecture (default: linear for tables, cifar-cnn for cifar-10, mnist-cnn for"
              + " other images)")
  private @Nullable String model;

  /** Checks combinations of options before any file is opened. */
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
          "--normalize needs --model linear or mlp on a table, got " + model);
    }
    if (data.images() == null) {
      Networks.named(model);
    }
  }

  /**
   * Returns the model and the records. Reads records only to draft a schema.
   *
   * @param seed seed of the public randomness
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

  /** Returns a training run of the task with all settings. */
  Training training(Task task) {
    return Training.of(task).options(options.parsed());
  }
}
