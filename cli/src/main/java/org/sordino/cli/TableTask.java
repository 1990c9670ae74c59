package org.sordino.cli;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.sordino.json.Json;
import org.sordino.mechanism.Layout;
import org.sordino.table.CsvOptions;
import org.sordino.table.CsvSource;
import org.sordino.table.DemoCensus;
import org.sordino.table.Label;
import org.sordino.table.Schema;
import org.sordino.table.Split;
import org.sordino.training.Examples;
import org.sordino.training.GradientEngine;
import org.sordino.training.LinearEngine;
import org.sordino.training.LinearModel;
import org.sordino.training.Optimiser;
import org.sordino.training.Safetensors;
import org.sordino.training.Schedule;
import org.sordino.training.Trainer;
import org.sordino.training.TrainingPlan;

/** A linear model on a table. */
final class TableTask implements Task {

  /** Which records are held out is decided by public coins. */
  private static final long HOLDOUT_SEED = 20_160_701;

  private final Table table;
  private final Schema schema;
  private final LinearModel model;
  private final Examples training;
  private final @Nullable Examples test;

  /**
   * Where the records are.
   *
   * @param file a file of delimited text; null for the demonstration
   * @param csv how to read it
   * @param test a file of records to test with, or null
   * @param holdout the share of records to test with instead, or 0
   */
  record Table(@Nullable Path file, CsvOptions csv, @Nullable Path test, double holdout) {

    CsvSource source() {
      return file == null ? DemoCensus.source(DemoCensus.PEOPLE) : CsvSource.of(file, csv);
    }

    private String name() {
      return file == null ? "demo" : file.toString();
    }
  }

  private TableTask(
      Table table, Schema schema, LinearModel model, Examples training, @Nullable Examples test) {
    this.table = table;
    this.schema = schema;
    this.model = model;
    this.training = training;
    this.test = test;
  }

  /** The model that suits the label: known from the schema, before any record is read. */
  static LinearModel model(Schema schema) {
    Label label = schema.requireLabel();
    if (label.isNumber()) {
      return LinearModel.regression(schema.width());
    }
    int classes = label.classes().size();
    return classes == 2
        ? LinearModel.logistic(schema.width())
        : LinearModel.softmax(schema.width(), classes);
  }

  /** Reads the records. */
  static TableTask read(Table table, Schema schema) {
    LinearModel model = model(schema);
    Examples all = schema.training(table.source());
    if (table.test() != null) {
      Examples test = schema.evaluation(CsvSource.of(table.test(), table.csv()));
      return new TableTask(table, schema, model, all, test);
    }
    if (table.holdout() == 0) {
      return new TableTask(table, schema, model, all, null);
    }
    Split split = Split.of(all, table.holdout(), HOLDOUT_SEED);
    return new TableTask(table, schema, model, split.training(), split.heldOut());
  }

  /** Finds the records of a run again. */
  static TableTask of(Map<String, @Nullable Object> json) {
    Object file = json.get("file");
    Object test = json.get("test");
    Object delimiter = json.get("delimiter");
    CsvOptions csv =
        new CsvOptions(
            Boolean.TRUE.equals(json.get("header")),
            delimiter == null ? null : String.valueOf(delimiter).charAt(0));
    double holdout = json.get("holdout") instanceof Number share ? share.doubleValue() : 0;
    Table table =
        new Table(
            file == null || file.equals("demo") ? null : Path.of(String.valueOf(file)),
            csv,
            test == null ? null : Path.of(String.valueOf(test)),
            holdout);
    return read(table, Schema.ofJson("run.json", Json.write(json.get("schema"))));
  }

  @Override
  public Map<String, @Nullable Object> json() {
    Map<String, @Nullable Object> json = new LinkedHashMap<>();
    Path test = table.test();
    Character delimiter = table.csv().delimiter();
    json.put("task", "table");
    json.put("file", table.name());
    json.put("header", table.csv().header());
    json.put("delimiter", delimiter == null ? null : delimiter.toString());
    json.put("test", test == null ? null : test.toString());
    json.put("holdout", table.holdout());
    json.put("schema", Json.readObject(schema.toJson()));
    return json;
  }

  @Override
  public String describe() {
    String kind =
        switch (model.kind()) {
          case REGRESSION -> "linear regression";
          case LOGISTIC -> "logistic regression";
          case SOFTMAX -> "softmax regression";
        };
    return "%s of %s on %d features"
        .formatted(kind, schema.requireLabel().column(), model.inputs());
  }

  @Override
  public Layout layout() {
    return model.layout();
  }

  @Override
  public double[] start() {
    return new double[layout().dimension()];
  }

  @Override
  public long records() {
    return training.size();
  }

  Schema schema() {
    return schema;
  }

  int classes() {
    return schema.classes().size();
  }

  Examples training() {
    return training;
  }

  @Nullable Examples test() {
    return test;
  }

  /** The share of records that are held out. */
  double holdout() {
    return table.holdout();
  }

  @Override
  public GradientEngine engine() {
    return LinearEngine.of(model, training);
  }

  /** Plain Adam on large batches, for long enough. */
  @Override
  public double[] baseline() {
    TrainingPlan plan =
        TrainingPlan.forLayout(layout())
            .population(training.size())
            .expectedBatch(Math.min(training.size(), 2048))
            .steps(1000)
            .noiseMultiplier(0)
            .clip(Double.POSITIVE_INFINITY)
            .optimiser(Optimiser.adam(0.1))
            .schedule(Schedule.cosine(0))
            .build();
    return Trainer.of(plan, LinearEngine.of(model, training)).insecureSeed(1).run().weights();
  }

  @Override
  public @Nullable Evaluation evaluate(double[] theta) {
    return test == null || test.size() == 0
        ? null
        : new TrainedLinearModel(schema, model, theta).evaluate(test);
  }

  @Override
  public Map<String, @Nullable Object> model() {
    Map<String, @Nullable Object> linear = new LinkedHashMap<>();
    linear.put("kind", model.kind().name().toLowerCase(Locale.ROOT));
    linear.put("inputs", (long) model.inputs());
    linear.put("outputs", (long) model.outputs());
    Map<String, @Nullable Object> json = new LinkedHashMap<>();
    json.put("task", "table");
    json.put("model", linear);
    json.put("schema", Json.readObject(schema.toJson()));
    return json;
  }

  @Override
  public Map<String, Safetensors.Tensor> tensors(double[] theta) {
    int weights = model.inputs() * model.outputs();
    Map<String, Safetensors.Tensor> tensors = new LinkedHashMap<>();
    tensors.put(
        "weight",
        new Safetensors.Tensor(
            Safetensors.Type.F64,
            List.of(model.outputs(), model.inputs()),
            java.util.Arrays.copyOf(theta, weights)));
    tensors.put(
        "bias",
        new Safetensors.Tensor(
            Safetensors.Type.F64,
            List.of(model.outputs()),
            java.util.Arrays.copyOfRange(theta, weights, theta.length)));
    return tensors;
  }
}
