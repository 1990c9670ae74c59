package org.sordino.run;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.sordino.table.Label;
import org.sordino.table.Schema;
import org.sordino.training.EngineFactory;
import org.sordino.training.Examples;
import org.sordino.training.LinearModel;
import org.sordino.training.Optimizer;
import org.sordino.training.Safetensors;
import org.sordino.training.Schedule;
import org.sordino.training.TrainingPlan;

/** Linear, logistic and softmax regression. */
record LinearLearner(LinearModel model) implements Learner {

  private static final long serialVersionUID = 1;

  /** Returns whether a {@code kind} in {@code model.json} is a linear model. */
  static boolean isKind(String kind) {
    return Arrays.stream(LinearModel.Kind.values()).anyMatch(k -> spelling(k).equals(kind));
  }

  /** Returns the linear model for the label of a schema. */
  static LinearLearner of(Schema schema) {
    Label label = schema.requireLabel();
    int width = schema.width();
    if (label.isNumber()) {
      return new LinearLearner(LinearModel.regression(width));
    }
    int classes = label.classes().size();
    return new LinearLearner(
        classes == 2 ? LinearModel.logistic(width) : LinearModel.softmax(width, classes));
  }

  /** Creates a learner from its {@link #modelJson}. */
  static LinearLearner ofModel(Map<?, ?> json) {
    return new LinearLearner(
        new LinearModel(
            LinearModel.Kind.valueOf(String.valueOf(json.get("kind")).toUpperCase(Locale.ROOT)),
            size(json, "inputs"),
            size(json, "outputs")));
  }

  private static int size(Map<?, ?> json, String name) {
    if (json.get(name) instanceof Long size) {
      return Math.toIntExact(size);
    }
    throw new IllegalArgumentException(name + " must be a whole number, got " + json.get(name));
  }

  private static String spelling(LinearModel.Kind kind) {
    return kind.name().toLowerCase(Locale.ROOT);
  }

  @Override
  public String describe() {
    return switch (model.kind()) {
      case REGRESSION -> "linear regression";
      case LOGISTIC -> "logistic regression";
      case SOFTMAX -> "softmax regression";
    };
  }

  @Override
  public EngineFactory factory() {
    return EngineFactory.linear(model);
  }

  @Override
  public int inputs() {
    return model.inputs();
  }

  @Override
  public int classes() {
    return model.classes();
  }

  @Override
  public double[] initialParameters() {
    return new double[model.layout().dimension()];
  }

  @Override
  public double[][] predict(double[] parameters, Examples examples) {
    double[][] predictions = new double[examples.size()][];
    for (int i = 0; i < predictions.length; i++) {
      predictions[i] = allClasses(model.predict(parameters, examples, i));
    }
    return predictions;
  }

  /** Adds the probability of the first class, which logistic regression does not return. */
  private double[] allClasses(double[] predicted) {
    return model.kind() == LinearModel.Kind.LOGISTIC
        ? new double[] {1 - predicted[0], predicted[0]}
        : predicted;
  }

  @Override
  public boolean isNetwork() {
    return false;
  }

  /** Returns a plan with Adam, large batches and enough steps to converge. */
  @Override
  public TrainingPlan baselinePlan(long examples) {
    return TrainingPlan.forLayout(model.layout())
        .population(examples)
        .expectedBatch(Math.min(examples, 2048))
        .steps(1000)
        .noiseMultiplier(0)
        .clip(Double.POSITIVE_INFINITY)
        .optimizer(Optimizer.adam(0.1))
        .schedule(Schedule.cosine(0))
        .build();
  }

  @Override
  public Learner withInputs(int inputs) {
    return inputs == model.inputs()
        ? this
        : new LinearLearner(new LinearModel(model.kind(), inputs, model.outputs()));
  }

  @Override
  public int firstLayerOutputs() {
    return model.outputs();
  }

  @Override
  public Map<String, @Nullable Object> taskJson() {
    return Map.of("task", TableTask.KIND);
  }

  @Override
  public Map<String, @Nullable Object> modelJson() {
    Map<String, @Nullable Object> json = new LinkedHashMap<>();
    json.put("kind", spelling(model.kind()));
    json.put("inputs", (long) model.inputs());
    json.put("outputs", (long) model.outputs());
    return json;
  }

  @Override
  public Map<String, Safetensors.Tensor> tensors(double[] parameters) {
    int weights = model.inputs() * model.outputs();
    Map<String, Safetensors.Tensor> tensors = new LinkedHashMap<>();
    tensors.put("weight", tensor(weightShape(), Arrays.copyOf(parameters, weights)));
    tensors.put(
        "bias", tensor(biasShape(), Arrays.copyOfRange(parameters, weights, parameters.length)));
    return tensors;
  }

  private static Safetensors.Tensor tensor(List<Integer> shape, double[] values) {
    return new Safetensors.Tensor(Safetensors.Type.F64, shape, values);
  }

  private List<Integer> weightShape() {
    return List.of(model.outputs(), model.inputs());
  }

  private List<Integer> biasShape() {
    return List.of(model.outputs());
  }

  @Override
  public double[] parameters(Safetensors tensors) {
    double[] weight = values(tensors, "weight", weightShape());
    double[] bias = values(tensors, "bias", biasShape());
    double[] parameters = Arrays.copyOf(weight, weight.length + bias.length);
    System.arraycopy(bias, 0, parameters, weight.length, bias.length);
    return parameters;
  }

  private static double[] values(Safetensors tensors, String name, List<Integer> shape) {
    Safetensors.Tensor tensor = tensors.tensors().get(name);
    if (tensor == null || !tensor.shape().equals(shape)) {
      throw new IllegalArgumentException(
          "tensor %s must have the shape %s, got %s"
              .formatted(name, shape, tensor == null ? "none" : tensor.shape()));
    }
    return tensor.values();
  }
}
