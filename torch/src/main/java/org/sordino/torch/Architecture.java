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
 * A network as data: the shape of a record and the layers it goes through. Everything that can be
 * wrong with it is found when it is made, before data is read; the message names the layer. No
 * native code is needed to make, read or write one.
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
      throw new IllegalArgumentException("layers must have parameters, got none; add a linear");
    }
    this.layout =
        new Layout(
            parameters.stream().map(p -> new Layout.Vector(p.name(), p.size(), p.role())).toList());
  }

  /**
   * Reads an architecture.
   *
   * @throws IllegalArgumentException naming the layer, if there is an unknown type or field, a
   *     shape that does not fit, or a layer that mixes records
   */
  public static Architecture fromJson(String json) {
    return fromJson(json, Map.of());
  }

  /**
   * Reads an architecture with layers of the user's.
   *
   * @param own the user's layers by the names under which the JSON refers to them
   */
  public static Architecture fromJson(String json, Map<String, OwnLayer> own) {
    Map<String, @Nullable Object> map = Json.readObject(json);
    if (!Set.of("input", "layers").equals(map.keySet())) {
      throw new IllegalArgumentException(
          "an architecture must have the fields input and layers, got " + map.keySet());
    }
    List<Spec> specs = Spec.list(map.get("layers"), new Spec.Names(), "layers");
    return new Architecture(
        Spec.shape(map.get("input"), "input"), Layers.read(specs, new OwnLayers(own)));
  }

  /** As JSON that {@link #fromJson} reads, with every default written out. */
  public String toJson() {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("input", Shapes.list(input));
    map.put("layers", layers.json());
    return Json.writePretty(map);
  }

  /** The shape of a record. */
  public int[] input() {
    return input.clone();
  }

  /** The shape of what comes out for a record: one number per class, for a classifier. */
  public int[] output() {
    return output.clone();
  }

  /** The parameter tensors as the vectors of a record. */
  public Layout layout() {
    return layout;
  }

  /** The shape of every parameter tensor by name, in the order of the layout. */
  public Map<String, long[]> shapes() {
    Map<String, long[]> shapes = new LinkedHashMap<>();
    parameters.forEach(parameter -> shapes.put(parameter.name(), parameter.dims().clone()));
    return shapes;
  }

  /**
   * First values as PyTorch draws them by default.
   *
   * @param key they are drawn from; the caller derives it for initialization. They are public.
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
   * One of {@code mnist-cnn}, {@code cifar-cnn} (the example networks of Opacus), {@code mlp}
   * (784-1000-10) and {@code logreg} (12 features, 2 classes).
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

  /** 26,010 parameters for 1x28x28 images. */
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

  /** 131,466 parameters for 3x32x32 images. */
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

  /** One hidden layer of ReLUs. */
  public static Architecture mlp(int features, int hidden, int out) {
    return fromJson(
        """
        {"input": [%d], "layers": [
          {"type": "linear", "out": %d}, {"type": "relu"}, {"type": "linear", "out": %d}]}
        """
            .formatted(features, hidden, out));
  }

  /** A single linear layer. */
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
