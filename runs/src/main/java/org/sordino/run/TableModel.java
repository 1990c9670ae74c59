package org.sordino.run;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.sordino.json.Json;
import org.sordino.table.Label;
import org.sordino.table.RecordEncoder;
import org.sordino.table.Schema;
import org.sordino.table.TableSource;
import org.sordino.training.Examples;
import org.sordino.training.Safetensors;

/** A model for the rows of a table. */
final class TableModel implements Model {

  private static final float[] NO_TARGET = {0};

  private final Schema schema;
  private final Label label;
  private final Learner learner;
  private final double[] parameters;
  private final @Nullable String data;
  private final RecordEncoder encoder;

  /** One row of features per thread, so that a prediction does not allocate a row. */
  private final ThreadLocal<Examples> row;

  /**
   * Creates a model.
   *
   * @param schema encoding of rows as features
   * @param parameters parameters for features as the schema encodes them
   * @param data name of the training data for {@code model.json}; null if unknown
   */
  TableModel(Schema schema, Learner learner, double[] parameters, @Nullable String data) {
    if (learner.inputs() != schema.width()) {
      throw new IllegalArgumentException(
          "the number of inputs of the model must be the number of features of the schema, "
              + schema.width()
              + ", got "
              + learner.inputs());
    }
    this.schema = schema;
    this.label = schema.requireLabel();
    this.learner = learner;
    this.parameters = parameters;
    this.data = data;
    this.encoder = RecordEncoder.of(schema);
    int width = schema.width();
    this.row =
        ThreadLocal.withInitial(() -> new Examples(new float[width], width, NO_TARGET.clone()));
  }

  static TableModel of(Map<String, @Nullable Object> json, Safetensors tensors) {
    if (!(json.get("model") instanceof Map<?, ?> model)) {
      throw new IllegalArgumentException("the field model is missing from model.json");
    }
    String kind = String.valueOf(model.get("kind"));
    Learner learner =
        LinearLearner.isKind(kind)
            ? LinearLearner.ofModel(model)
            : LearnerType.ofKind(kind).ofModel(model);
    Schema schema = Schema.ofJson("model.json", Json.write(json.get("schema")));
    String data = json.get("data") instanceof String text ? text : null;
    return new TableModel(schema, learner, learner.parameters(tensors), data);
  }

  @Override
  public Schema schema() {
    return schema;
  }

  @Override
  public Prediction predict(Map<String, ?> record) {
    Examples one = row.get();
    encoder.encode(record, one.features());
    return predict(one);
  }

  @Override
  public Prediction predict(Object[] values) {
    Examples one = row.get();
    encoder.encode(values, one.features());
    return predict(one);
  }

  private Prediction predict(Examples one) {
    return new Prediction(label, learner.predict(parameters, one)[0]);
  }

  @Override
  public List<Prediction> predictAll(TableSource records) {
    return Arrays.stream(learner.predict(parameters, schema.unlabeled(records)))
        .map(scores -> new Prediction(label, scores))
        .toList();
  }

  @Override
  public Evaluation evaluate(TableSource records) {
    return evaluate(schema.labeled(records));
  }

  Evaluation evaluate(Examples examples) {
    return Evaluation.of(label, learner.predict(parameters, examples), examples);
  }

  @Override
  public Map<String, @Nullable Object> json() {
    Map<String, @Nullable Object> json = new LinkedHashMap<>();
    json.put("task", learner.taskJson().get("task"));
    json.put("model", learner.modelJson());
    if (learner.isNetwork()) {
      json.put("classes", schema.classes());
      json.put("data", data);
    }
    json.put("schema", Json.readObject(schema.toJson()));
    return json;
  }

  @Override
  public Map<String, Safetensors.Tensor> tensors() {
    return learner.tensors(parameters);
  }
}
