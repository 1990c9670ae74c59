package org.sordino.torch;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;
import org.sordino.mechanism.Layout;
import org.sordino.training.Safetensors;

/**
 * An architecture with weights, for inference. Predictions for records outside the training data
 * have no privacy cost. Publishing the accuracy on the training records has one.
 *
 * @param architecture layers of the model
 * @param theta weights in the order of the layout
 */
@SuppressWarnings("ArrayRecordComponent") // millions of numbers: shared, not copied
public record TorchModel(Architecture architecture, double[] theta) {

  private static final int BATCH = 256;
  private static final String WEIGHTS = "model.safetensors";
  private static final String LAYERS = "model.json";

  public TorchModel {
    if (theta.length != architecture.layout().dimension()) {
      throw new IllegalArgumentException(
          "theta must have " + architecture.layout().dimension() + " numbers, got " + theta.length);
    }
  }

  /**
   * Returns the outputs of the last layer, record by record.
   *
   * @param threads number of batches that run in parallel
   */
  public float[] outputs(TorchData data, int threads) {
    data.requireShape(architecture.input());
    int width = Shapes.size(architecture.output());
    float[] outputs = new float[Math.multiplyExact(data.size(), width)];
    try (Workers workers = new Workers(threads)) {
      Scopes.run(
          () -> {
            Map<String, Tensor> weights = Weights.floats(architecture, theta);
            List<Runnable> tasks = new ArrayList<>();
            for (int from = 0; from < data.size(); from += BATCH) {
              int start = from;
              tasks.add(() -> answer(data, weights, start, outputs));
            }
            workers.run(tasks);
          });
    }
    return outputs;
  }

  private void answer(TorchData data, Map<String, Tensor> weights, int from, float[] outputs) {
    int[] records = new int[Math.min(BATCH, data.size() - from)];
    Arrays.setAll(records, i -> from + i);
    Scopes.run(
        () ->
            Scopes.withoutGradients(
                () -> {
                  Tensor x = data.inputs(records, architecture.input());
                  Tensor y = architecture.layers().forward(x, new Pass(weights, null, null));
                  float[] values = Tensors.floats(y);
                  int width = values.length / records.length;
                  System.arraycopy(values, 0, outputs, from * width, values.length);
                }));
  }

  /** Returns the probability of each class, record by record, with {@link #outputs} as logits. */
  public float[] probabilities(TorchData data, int threads) {
    float[] logits = outputs(data, threads);
    return Scopes.get(
        () -> Tensors.floats(torch.softmax(Tensors.of(logits, 0, data.size(), classes()), 1)));
  }

  /** Returns the fraction of records whose most likely class is the target. */
  public double accuracy(TorchData data, int threads) {
    float[] outputs = outputs(data, threads);
    int correct = 0;
    for (int i = 0; i < data.size(); i++) {
      correct += predicted(outputs, i) == data.target(i) ? 1 : 0;
    }
    return correct / (double) data.size();
  }

  private int predicted(float[] outputs, int record) {
    int classes = classes();
    if (classes == 1) {
      return outputs[record] > 0 ? 1 : 0;
    }
    int best = 0;
    for (int c = 1; c < classes; c++) {
      if (outputs[record * classes + c] > outputs[record * classes + best]) {
        best = c;
      }
    }
    return best;
  }

  private int classes() {
    return Shapes.size(architecture.output());
  }

  /** Returns the weights by name, as float32. */
  public Safetensors tensors(Map<String, String> metadata) {
    Map<String, Safetensors.Tensor> tensors = new LinkedHashMap<>();
    Layout layout = architecture.layout();
    int j = 0;
    for (Parameter parameter : architecture.parameters()) {
      double[] values = Arrays.copyOfRange(theta, layout.offset(j), layout.offset(j + 1));
      List<Integer> shape = shape(parameter);
      tensors.put(parameter.name(), new Safetensors.Tensor(Safetensors.Type.F32, shape, values));
      j++;
    }
    return new Safetensors(tensors, metadata);
  }

  private static List<Integer> shape(Parameter parameter) {
    return Arrays.stream(parameter.dims()).mapToObj(Math::toIntExact).toList();
  }

  /** Writes {@code model.json} and {@code model.safetensors} into a directory. */
  public void save(Path directory) throws IOException {
    Files.createDirectories(directory);
    Files.writeString(directory.resolve(LAYERS), architecture.toJson() + "\n");
    Files.write(directory.resolve(WEIGHTS), tensors(Map.of("format", "pt")).toBytes());
  }

  /** Reads a model written by {@link #save}. */
  public static TorchModel load(Path directory) throws IOException {
    return load(directory, Map.of());
  }

  /** Reads a model with custom layers. */
  public static TorchModel load(Path directory, Map<String, CustomLayer> own) throws IOException {
    Architecture architecture =
        Architecture.fromJson(Files.readString(directory.resolve(LAYERS)), own);
    return of(architecture, Safetensors.ofBytes(Files.readAllBytes(directory.resolve(WEIGHTS))));
  }

  /**
   * Creates a model from weights by name.
   *
   * @throws IllegalArgumentException if a tensor is missing, unknown or has another shape; the
   *     message names the tensor
   */
  public static TorchModel of(Architecture architecture, Safetensors weights) {
    double[] theta = new double[architecture.layout().dimension()];
    int offset = 0;
    for (Parameter parameter : architecture.parameters()) {
      Safetensors.Tensor tensor = weights.tensors().get(parameter.name());
      List<Integer> expected = shape(parameter);
      if (tensor == null || !tensor.shape().equals(expected)) {
        throw new IllegalArgumentException(
            "weights must contain "
                + parameter.name()
                + " of shape "
                + expected
                + ", got "
                + (tensor == null ? weights.tensors().keySet() : tensor.shape()));
      }
      System.arraycopy(tensor.values(), 0, theta, offset, parameter.size());
      offset += parameter.size();
    }
    if (weights.tensors().size() != architecture.parameters().size()) {
      throw new IllegalArgumentException(
          "weights must contain no tensors except those of the model, got "
              + weights.tensors().keySet());
    }
    return new TorchModel(architecture, theta);
  }
}
