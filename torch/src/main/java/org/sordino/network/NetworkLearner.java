package org.sordino.network;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.sordino.PrivacyPlan;
import org.sordino.json.Json;
import org.sordino.random.RandomKey;
import org.sordino.report.Decimals;
import org.sordino.run.InvalidInputException;
import org.sordino.run.Learner;
import org.sordino.table.Schema;
import org.sordino.torch.Architecture;
import org.sordino.torch.Loss;
import org.sordino.torch.TorchData;
import org.sordino.torch.TorchFactory;
import org.sordino.torch.TorchModel;
import org.sordino.training.EngineFactory;
import org.sordino.training.Examples;
import org.sordino.training.Safetensors;
import org.sordino.training.TrainingPlan;

/**
 * A neural network on the feature vectors of a table. Initial weights and dropout masks are derived
 * from a public seed; the noise has a separate, secret key.
 *
 * @param name name given by the user: {@code mlp}, a preset, or a file with an architecture
 * @param json architecture as JSON
 * @param seed seed of the public randomness
 */
public record NetworkLearner(String name, String json, long seed) implements Learner {

  private static final long serialVersionUID = 1;

  static final String KIND = "network";
  static final String TASK = "network-table";
  private static final String MLP = "mlp";
  private static final int HIDDEN = 64;

  /**
   * Returns a network for the rows of a table.
   *
   * @param name {@code mlp}, a preset, or a file name that ends in {@code .json}
   * @param schema schema of the table
   * @param seed seed of the public randomness
   * @throws InvalidInputException if the network does not fit the table
   */
  public static NetworkLearner of(String name, Schema schema, long seed) {
    if (schema.requireLabel().isNumber()) {
      throw new InvalidInputException(
          "`model` must be linear for a numeric label, got "
              + name
              + "; networks predict only classes");
    }
    int features = schema.width();
    int classes = schema.classes().size();
    if (name.equals(MLP)) {
      return new NetworkLearner(name, Architecture.mlp(features, HIDDEN, classes).toJson(), seed);
    }
    Architecture architecture = Networks.named(name);
    if (Networks.inputs(architecture) != features) {
      throw InvalidInputException.of(
          "`model`",
          "a network for " + features + " features",
          name + " with input " + Arrays.toString(architecture.input()),
          "use mlp, which adapts to every table");
    }
    return new NetworkLearner(
        name, Networks.requireClasses(name, architecture, classes).toJson(), seed);
  }

  /** Returns a network with the given architecture. */
  public static NetworkLearner of(Architecture architecture, long seed) {
    return new NetworkLearner(KIND, architecture.toJson(), seed);
  }

  private Architecture architecture() {
    return Architecture.fromJson(json);
  }

  private RandomKey publicSeed() {
    return RandomKey.insecure(seed);
  }

  @Override
  public String describe() {
    return "%s with %s parameters"
        .formatted(name, Decimals.grouped(architecture().layout().dimension()));
  }

  @Override
  public EngineFactory factory() {
    return TorchFactory.of(architecture(), Loss.CROSS_ENTROPY, publicSeed().derive("dropout"));
  }

  @Override
  public int inputs() {
    return Networks.inputs(architecture());
  }

  @Override
  public int classes() {
    return Arrays.stream(architecture().output()).reduce(1, Math::multiplyExact);
  }

  @Override
  public double[] initialParameters() {
    return Networks.initialParameters(architecture(), publicSeed());
  }

  @Override
  public double[][] predict(double[] parameters, Examples examples) {
    return Networks.probabilities(
        new TorchModel(architecture(), parameters), TorchData.of(examples));
  }

  @Override
  public boolean isNetwork() {
    return true;
  }

  @Override
  public TrainingPlan baselinePlan(long examples) {
    return Networks.baselinePlan(architecture(), examples);
  }

  @Override
  public long stepsBetweenEvaluations(PrivacyPlan plan) {
    return Networks.stepsBetweenEvaluations(plan);
  }

  @Override
  public Learner withInputs(int inputs) {
    if (!name.equals(MLP)) {
      throw new InvalidInputException(
          "`model` must be linear or mlp if a table is preprocessed, got " + name);
    }
    return new NetworkLearner(name, Architecture.mlp(inputs, HIDDEN, classes()).toJson(), seed);
  }

  @Override
  public int firstLayerOutputs() {
    return Networks.firstLayerOutputs(architecture());
  }

  @Override
  public Map<String, @Nullable Object> taskJson() {
    Map<String, @Nullable Object> task = new LinkedHashMap<>();
    task.put("task", TASK);
    task.put("model", name);
    task.put("architecture", Json.readObject(json));
    task.put("seed", seed);
    return task;
  }

  @Override
  public Map<String, @Nullable Object> modelJson() {
    Map<String, @Nullable Object> model = new LinkedHashMap<>();
    model.put("kind", KIND);
    model.put("architecture", Json.readObject(json));
    return model;
  }

  @Override
  public Map<String, Safetensors.Tensor> tensors(double[] parameters) {
    return new TorchModel(architecture(), parameters).tensors(Map.of()).tensors();
  }

  @Override
  public double[] parameters(Safetensors tensors) {
    return TorchModel.of(architecture(), tensors).theta();
  }
}
