package org.sordino.cli;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.sordino.table.Schema;
import org.sordino.torch.ImageData;
import org.sordino.training.TrainingPlan;
import org.sordino.training.Unit;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Records, model and plan: what 'train' does and 'plan' explains. */
final class JobOptions {

  private static final String LINEAR = "linear";

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

  /** Checks all that can be checked before any file is opened. */
  void check() {
    options.check(data.images() != null, data.isLocal());
    if (data.images() == null) {
      NetworkTask.requireKnown(model);
    }
  }

  /**
   * What a plan is about, as far as it is known before any record is read.
   *
   * @param name the model and its data, for people
   * @param shape of the model
   * @param schema of a table; null for images
   * @param table where its rows are; null for images
   */
  record Subject(
      String name, ModelShape shape, @Nullable Schema schema, @Nullable TableLocation table) {

    /** Whether nothing about the values was taken from the records. */
    boolean schemaDeclared() {
      return schema == null || !schema.drafted();
    }

    /** The share of records that are held out. */
    double holdout() {
      return table == null ? 0 : table.holdout();
    }
  }

  /** The model, checked against the options; reads records only to draft a schema. */
  Subject subject() {
    Preprocessing inputs = options.releases.inputs();
    ImageData.Source images = data.images();
    Subject subject;
    if (images != null) {
      data.requireNothingOfTables();
      ModelShape shape = NetworkTask.shape(network(images), images, inputs);
      subject = new Subject(network(images) + " on " + images.id(), shape, null, null);
    } else {
      TableLocation table = data.table(options.records.userColumn());
      Schema schema = data.schema(table);
      ModelShape shape =
          isLinear()
              ? TableTask.shape(schema, inputs)
              : NetworkTask.shape(String.valueOf(model), schema, inputs);
      String name = (isLinear() ? "" : model + " ") + "for " + schema.requireLabel().column();
      subject = new Subject(name, shape, schema, table);
    }
    options.check(subject.shape());
    return subject;
  }

  /** Model and records. */
  Task task(Subject subject, long seed) {
    Preprocessing inputs = subject.shape().inputs();
    Schema schema = subject.schema();
    TableLocation place = subject.table();
    ImageData.Source images = data.images();
    if (images != null || schema == null || place == null) {
      Path folder = data.imageFolder();
      ImageData.Source source = java.util.Objects.requireNonNull(images);
      ImageUsers users = options.records.imageUsers();
      return NetworkTask.ofImages(source, folder, network(source), inputs, users, seed);
    }
    TableTask table = TableTask.read(place, schema, inputs);
    return isLinear() ? table : NetworkTask.ofTable(table, String.valueOf(model), inputs, seed);
  }

  private boolean isLinear() {
    return model == null || model.equals(LINEAR);
  }

  private String network(ImageData.Source images) {
    return model == null ? NetworkTask.usual(images) : model;
  }

  /** The declared number of records to train on; null if it is to be counted. */
  @Nullable Long declared(Subject subject) {
    Unit unit = options.records.unit();
    Long declared = options.population();
    if (declared == null) {
      long simulated = options.records.imageUsers().simulated();
      return simulated > 0 ? simulated : null;
    }
    long kept = Math.max(1, Math.round(declared * (1 - subject.holdout())));
    return unit.kind() == Unit.Kind.MICROBATCH ? RecordGrouping.slots(kept, unit) : kept;
  }

  /** Whether the number of records is public. */
  boolean isPublic(Subject subject) {
    boolean counted = options.records.unit().isUser();
    return declared(subject) != null || (data.isPublic() && !counted);
  }

  TrainingPlan plan(Subject subject, long population) {
    ModelShape shape = subject.shape();
    TrainingDefaults defaults =
        TrainingDefaults.of(shape.network(), options.records.unit(), population);
    return options.plan(shape, population, defaults, 1);
  }
}
