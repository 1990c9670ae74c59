package org.sordino.cli;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.sordino.json.Json;
import org.sordino.mechanism.Layout;
import org.sordino.table.CsvOptions;
import org.sordino.table.Label;
import org.sordino.table.Schema;
import org.sordino.table.TableRecords;
import org.sordino.training.ChannelStatistics;
import org.sordino.training.EngineFactory;
import org.sordino.training.Examples;
import org.sordino.training.GradientEngine;
import org.sordino.training.LinearModel;
import org.sordino.training.Optimiser;
import org.sordino.training.PrincipalDirections;
import org.sordino.training.Records;
import org.sordino.training.Safetensors;
import org.sordino.training.Schedule;
import org.sordino.training.Trainer;
import org.sordino.training.TrainingPlan;
import org.sordino.training.Unit;

/** A linear model on a table. */
final class TableTask implements Task {

  /** Which records are held out is decided by public coins. */
  static final long HOLDOUT_SEED = 20_160_701;

  private final TableLocation table;
  private final Schema schema;
  private final Preprocessing inputs;
  private final TableRecords records;

  /** For inputs as they are; training may see them otherwise. */
  private final LinearModel model;

  private FittedPreprocessing change = FittedPreprocessing.NONE;

  private TableTask(
      TableLocation table, Schema schema, Preprocessing inputs, TableRecords records) {
    this.table = table;
    this.schema = schema;
    this.inputs = inputs;
    this.model = model(schema);
    this.records = records;
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

  /** What a plan must know: known from the schema, before any record is read. */
  static ModelShape shape(Schema schema, Preprocessing inputs) {
    LinearModel model = model(schema);
    int width = schema.width();
    return new ModelShape(
        trained(model, inputs).layout(), model.classes(), width, width, inputs, false);
  }

  private static LinearModel trained(LinearModel model, Preprocessing inputs) {
    return new LinearModel(model.kind(), inputs.width(model.inputs()), model.outputs());
  }

  /** Reads the records. */
  static TableTask read(TableLocation table, Schema schema, Preprocessing inputs) {
    return new TableTask(table, schema, inputs, table.read(schema));
  }

  /** Finds the records of a run again. */
  static TableTask of(Map<String, @Nullable Object> json) {
    String file = text(json, "file");
    String delimiter = text(json, "delimiter");
    String engine = text(json, "engine");
    CsvOptions csv =
        new CsvOptions(
            Boolean.TRUE.equals(json.get("header")),
            delimiter == null ? null : delimiter.charAt(0));
    TableLocation table =
        new TableLocation(
            file == null || file.equals("demo") ? null : file,
            csv,
            text(json, "test"),
            json.get("holdout") instanceof Number share ? share.doubleValue() : 0,
            engine == null ? TableLocation.JAVA : engine,
            text(json, "master"),
            json.get("partitions") instanceof Number count ? count.intValue() : 0,
            text(json, "userColumn"));
    Schema schema = Schema.ofJson("run.json", Json.write(json.get("schema")));
    return read(table, schema, Preprocessing.of(json));
  }

  private static @Nullable String text(Map<String, @Nullable Object> json, String name) {
    Object value = json.get(name);
    return value == null ? null : String.valueOf(value);
  }

  @Override
  public Map<String, @Nullable Object> json() {
    Map<String, @Nullable Object> json = new LinkedHashMap<>();
    Character delimiter = table.csv().delimiter();
    json.put("task", "table");
    json.put("file", table.name());
    json.put("header", table.csv().header());
    json.put("delimiter", delimiter == null ? null : delimiter.toString());
    json.put("test", table.test());
    json.put("holdout", table.holdout());
    if (!table.isLocal()) {
      json.put("engine", table.engine());
      json.put("master", table.master());
      json.put("partitions", (long) table.partitions());
    }
    if (table.userColumn() != null) {
      json.put("userColumn", table.userColumn());
    }
    inputs.addTo(json);
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
  public ModelShape shape() {
    return shape(schema, inputs);
  }

  @Override
  public double[] start() {
    return new double[trained(model, inputs).layout().dimension()];
  }

  @Override
  public long records(Unit unit) {
    return records.size(unit);
  }

  /** The records where they are in this process. */
  private InMemoryRecords local() {
    if (records instanceof InMemoryRecords here) {
      return here;
    }
    throw new InvalidInputException("this plan needs --engine java");
  }

  Schema schema() {
    return schema;
  }

  int classes() {
    return schema.classes().size();
  }

  /** The records themselves, for other models on the same table. */
  TableRecords table() {
    return records;
  }

  /** The share of records that are held out. */
  double holdout() {
    return table.holdout();
  }

  @Override
  public Prepared prepare(TrainingPlan plan) {
    EngineFactory factory = EngineFactory.linear(trained(model, inputs));
    return prepare(plan, factory, inputs, found -> change = found);
  }

  /**
   * Opens the records for training.
   *
   * @param factory of the model
   * @param told what becomes of the inputs
   */
  Prepared prepare(
      TrainingPlan plan,
      EngineFactory factory,
      Preprocessing changed,
      Consumer<FittedPreprocessing> told) {
    List<Layout.Vector> metrics = plan.mechanism().layout().vectors(Layout.Role.METRIC);
    EngineFactory complete = factory.with(metrics, plan.unit());
    if (!changed.areChanged()) {
      return new Prepared(plan, this::engine, answers -> records.engine(complete, plan));
    }
    Examples examples = local().training();
    Records grouped = local().grouping().records(plan);
    int width = examples.width();
    return new Prepared(
        plan,
        () ->
            changed.normalised()
                ? ChannelStatistics.engine(
                    new FittedPreprocessing.UnitRows(examples), grouped, width)
                : PrincipalDirections.engine(examples, grouped),
        answers -> {
          FittedPreprocessing found = FittedPreprocessing.of(changed, width, answers).ofFeatures();
          told.accept(found);
          return complete.open(
              found.applied(examples), grouped, Runtime.getRuntime().availableProcessors());
        });
  }

  /** The engine of the plain model: every example is a record, inputs are as they are. */
  GradientEngine engine() {
    return records.engine(EngineFactory.linear(model));
  }

  /** Plain Adam on large batches, for long enough. */
  @Override
  public @Nullable Evaluation baseline() {
    TrainingPlan plan =
        TrainingPlan.forLayout(model.layout())
            .population(records.size())
            .expectedBatch(Math.min(records.size(), 2048))
            .steps(1000)
            .noiseMultiplier(0)
            .clip(Double.POSITIVE_INFINITY)
            .optimiser(Optimiser.adam(0.1))
            .schedule(Schedule.cosine(0))
            .build();
    try (GradientEngine engine = engine()) {
      return evaluateReleased(Trainer.of(plan, engine).insecureSeed(1).run().weights());
    }
  }

  @Override
  public @Nullable Evaluation evaluate(double[] theta) {
    return evaluateReleased(released(theta));
  }

  private double[] released(double[] theta) {
    return change.folded(theta, model.outputs(), model.inputs());
  }

  private @Nullable Evaluation evaluateReleased(double[] theta) {
    Examples test = records.test();
    return test == null || test.size() == 0
        ? null
        : new TableModel(schema, model, theta).evaluate(test);
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
  public Map<String, Safetensors.Tensor> tensors(double[] trained) {
    double[] theta = released(trained);
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
