package org.sordino.torch;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.sordino.json.Json;
import org.sordino.mechanism.Layout;
import org.sordino.random.RandomKey;
import org.sordino.random.RandomStream;

/**
 * A network architecture: the shape of a record and the layers applied to it. It is validated
 * completely when it is created, before any data is read; error messages name the layer. Creating,
 * reading and writing an architecture requires no native code.
 *
 * <pre>{@code
 * {"input": [1, 28, 28],
 *  "layers": [
 *    {"type": "conv2d", "out": 16, "kernel": 8, "stride": 2, "padding": 3},
 *    {"type": "tanh"},
 *    {"type": "flatten"},
 *    {"type": "linear", "out": 10}]}
 * }</pre>
 */
public final class Architecture {

  private final int[] input;
  private final int[] output;
  private final Layers layers;
  private final List<Parameter> parameters;
  private final Layout layout;

  private Architecture(int[] input, Layers layers) {
    this.input = input;
    this.layers = layers;
    this.output = layers.output(input);
    this.parameters = List.copyOf(layers.parameters(input));
    if (parameters.isEmpty()) {
      throw new IllegalArgumentException(
          "layers must have parameters, got none; add a linear layer");
    }
    this.layout =
        new Layout(
            parameters.stream().map(p -> new Layout.Vector(p.name(), p.size(), p.role())).toList());
  }

  /**
   * Reads an architecture.
   *
   * @throws IllegalArgumentException if a type or field is unknown, a shape does not fit, or a
   *     layer mixes records; the message names the layer
   */
  public static Architecture fromJson(String json) {
    return fromJson(json, Map.of());
  }

  /**
   * Reads an architecture with custom layers.
   *
   * @param own custom layers by the names that the JSON uses for them
   */
  public static Architecture fromJson(String json, Map<String, CustomLayer> own) {
    Map<String, @Nullable Object> map = Json.readObject(json);
    if (!Set.of("input", "layers").equals(map.keySet())) {
      throw new IllegalArgumentException(
          "an architecture must have the fields input and layers, got " + map.keySet());
    }
    List<Spec> specs = Spec.list(map.get("layers"), new Spec.Names(), "layers");
    return new Architecture(
        Spec.shape(map.get("input"), "input"), Layers.read(specs, new CustomLayers(own)));
  }

  /**
   * Returns the architecture as JSON that {@link #fromJson} reads, with all defaults written out.
   */
  public String toJson() {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("input", Shapes.list(input));
    map.put("layers", layers.json());
    return Json.writePretty(map);
  }

  /** Returns the shape of a record. */
  public int[] input() {
    return input.clone();
  }

  /** Returns the shape of the output for one record; one number per class for a classifier. */
  public int[] output() {
    return output.clone();
  }

  /** Returns the layout of a record's contribution: one vector per parameter tensor. */
  public Layout layout() {
    return layout;
  }

  /** Returns the shape of every parameter tensor by name, in the order of the layout. */
  public Map<String, long[]> shapes() {
    Map<String, long[]> shapes = new LinkedHashMap<>();
    parameters.forEach(parameter -> shapes.put(parameter.name(), parameter.dims().clone()));
    return shapes;
  }

  /**
   * Draws initial weights from the default distributions of PyTorch. Initial weights are public.
   *
   * @param key key for initialization, derived by the caller
   */
  public double[] initialWeights(RandomKey key) {
    double[] theta = new double[layout.dimension()];
    int offset = 0;
    for (int i = 0; i < parameters.size(); i++) {
      RandomStream stream = key.stream(0, i);
      parameters.get(i).fill(stream, theta, offset);
      offset += parameters.get(i).size();
    }
    return theta;
  }

  /**
   * Returns the preset with the given name: {@code mnist-cnn} or {@code cifar-cnn} (the example
   * networks of Opacus), {@code mlp} (784-1000-10) or {@code logreg} (12 features, 2 classes).
   */
  public static Architecture preset(String name) {
    return switch (name) {
      case "mnist-cnn" -> mnistCnn();
      case "cifar-cnn" -> cifarCnn();
      case "mlp" -> mlp(784, 1000, 10);
      case "logreg" -> logisticRegression(12, 2);
      default ->
          throw new IllegalArgumentException(
              "model must be mnist-cnn, cifar-cnn, mlp or logreg, got " + name);
    };
  }

  /** Returns the preset {@code mnist-cnn}: 26,010 parameters, for 1x28x28 images. */
  public static Architecture mnistCnn() {
    return fromJson(
        """
        {"input": [1, 28, 28], "layers": [
          {"type": "conv2d", "out": 16, "kernel": 8, "stride": 2, "padding": 3},
          {"type": "relu"}, {"type": "max-pool", "kernel": 2, "stride": 1},
          {"type": "conv2d", "out": 32, "kernel": 4, "stride": 2},
          {"type": "relu"}, {"type": "max-pool", "kernel": 2, "stride": 1},
          {"type": "flatten"}, {"type": "linear", "out": 32},
          {"type": "relu"}, {"type": "linear", "out": 10}]}
        """);
  }

  /** Returns the preset {@code cifar-cnn}: 131,466 parameters, for 3x32x32 images. */
  public static Architecture cifarCnn() {
    return fromJson(
        """
        {"input": [3, 32, 32], "layers": [
          {"type": "conv2d", "out": 32, "kernel": 3, "padding": 1},
          {"type": "relu"}, {"type": "avg-pool", "kernel": 2},
          {"type": "conv2d", "out": 64, "kernel": 3, "padding": 1},
          {"type": "relu"}, {"type": "avg-pool", "kernel": 2},
          {"type": "conv2d", "out": 64, "kernel": 3, "padding": 1},
          {"type": "relu"}, {"type": "avg-pool", "kernel": 2},
          {"type": "conv2d", "out": 128, "kernel": 3, "padding": 1},
          {"type": "relu"}, {"type": "adaptive-avg-pool", "out": 1},
          {"type": "flatten"}, {"type": "linear", "out": 10}]}
        """);
  }

  /** Returns a multilayer perceptron with one hidden layer of ReLUs. */
  public static Architecture mlp(int features, int hidden, int out) {
    return fromJson(
        """
        {"input": [%d], "layers": [
          {"type": "linear", "out": %d}, {"type": "relu"}, {"type": "linear", "out": %d}]}
        """
            .formatted(features, hidden, out));
  }

  /** Returns a network of one linear layer. */
  public static Architecture logisticRegression(int features, int out) {
    return fromJson(
        """
        {"input": [%d], "layers": [{"type": "linear", "out": %d}]}
        """
            .formatted(features, out));
  }

  Layers layers() {
    return layers;
  }

  List<Parameter> parameters() {
    return parameters;
  }
}
