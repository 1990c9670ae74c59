package org.sordino.torch;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Random;

/** Small networks that cover every layer and its options, with matching records. */
final class Nets {

  private Nets() {}

  static final Map<String, String> LAYERS = new LinkedHashMap<>();

  private static void net(String name, String input, String layers) {
    LAYERS.put(name, "{\"input\": " + input + ", \"layers\": [" + layers + "]}");
  }

  private static final String HEAD =
      ", {\"type\": \"flatten\"}, {\"type\": \"linear\", \"out\": 3}";

  static {
    net("linear", "[7]", type("linear", "out", "5") + "," + type("tanh") + head());
    net("no-bias", "[7]", "{\"type\": \"linear\", \"out\": 5, \"bias\": false}" + HEAD);
    net("sequence", "[6, 5]", type("linear", "out", "4") + "," + type("gelu") + HEAD);
    net("sequence-gram", "[3, 40]", type("linear", "out", "30") + "," + type("tanh") + HEAD);
    net(
        "conv1d",
        "[3, 20]",
        "{\"type\": \"conv1d\", \"out\": 4, \"kernel\": 3, \"stride\": 2, \"padding\": 1,"
            + " \"dilation\": 2},"
            + type("relu")
            + HEAD);
    net("conv2d", "[3, 9, 9]", conv("4", 3, 1, 1, 1, 1) + "," + type("relu") + HEAD);
    net("conv2d-wide", "[16, 10, 10]", conv("16", 3, 1, 1, 1, 1) + "," + type("tanh") + HEAD);
    net("conv2d-strided", "[2, 11, 13]", conv("5", 4, 2, 3, 1, 1) + "," + type("relu") + HEAD);
    net("conv2d-dilated", "[2, 9, 9]", conv("3", 2, 1, 0, 3, 1) + "," + type("tanh") + HEAD);
    net("conv2d-groups", "[4, 9, 9]", conv("6", 3, 1, 1, 1, 2) + "," + type("tanh") + HEAD);
    net("conv2d-groups-few", "[4, 5, 5]", conv("6", 3, 1, 0, 1, 2) + "," + type("tanh") + HEAD);
    net("conv2d-gram", "[20, 4, 4]", conv("50", 3, 1, 0, 1, 1) + "," + type("tanh") + HEAD);
    net("conv2d-few", "[32, 4, 4]", conv("64", 3, 1, 1, 1, 1) + "," + type("tanh") + HEAD);
    net("conv2d-planar", "[1, 12, 12]", conv("4", 3, 1, 1, 2, 1) + "," + type("tanh") + HEAD);
    net("conv2d-one", "[8, 3, 3]", conv("5", 3, 1, 0, 1, 1) + "," + type("tanh") + HEAD);
    net(
        "embedding",
        "[9]",
        "{\"type\": \"embedding\", \"vocabulary\": 6, \"dimension\": 4}," + type("tanh") + HEAD);
    net("layer-norm", "[4, 6]", type("linear", "out", "6") + "," + type("layer-norm") + HEAD);
    net(
        "group-norm",
        "[3, 8, 8]",
        conv("6", 3, 1, 1, 1, 1)
            + ","
            + type("group-norm", "groups", "3")
            + ","
            + type("relu")
            + HEAD);
    net("bias-scale", "[4, 6]", type("scale") + "," + type("bias") + "," + type("tanh") + HEAD);
    net(
        "residual",
        "[4, 6, 6]",
        "{\"type\": \"residual\", \"body\": ["
            + conv("8", 3, 1, 1, 1, 1)
            + ","
            + type("relu")
            + ","
            + conv("8", 3, 1, 1, 1, 1)
            + "], \"shortcut\": ["
            + conv("8", 1, 1, 0, 1, 1)
            + "]},"
            + type("avg-pool", "kernel", "2")
            + HEAD);
    net(
        "residual-identity",
        "[6]",
        "{\"type\": \"residual\", \"body\": [" + type("linear", "out", "6") + "]}" + HEAD);
    net(
        "attention",
        "[5, 8]",
        type("bias")
            + ",{\"type\": \"attention\", \"heads\": 2},"
            + "{\"type\": \"attention\", \"heads\": 4, \"causal\": true}"
            + HEAD);
    net("lstm", "[7, 5]", type("lstm", "hidden", "6") + HEAD);
    net(
        "gru",
        "[7, 5]",
        "{\"type\": \"gru\", \"hidden\": 6, \"sequence\": true},"
            + type("gru", "hidden", "4")
            + HEAD);
    net(
        "pools",
        "[2, 12, 12]",
        conv("4", 3, 1, 1, 1, 1)
            + ",{\"type\": \"max-pool\", \"kernel\": 3, \"stride\": 2, \"padding\": 1},"
            + type("tempered-sigmoid")
            + ","
            + type("avg-pool", "kernel", "2")
            + ","
            + type("adaptive-avg-pool", "out", "2")
            + HEAD);
    net(
        "reshapes",
        "[12]",
        type("reshape", "shape", "[3, 4]")
            + ","
            + type("transpose")
            + ","
            + type("linear", "out", "5")
            + HEAD);
  }

  private static String type(String type) {
    return "{\"type\": \"" + type + "\"}";
  }

  private static String head() {
    return HEAD;
  }

  private static String type(String type, String key, String value) {
    return "{\"type\": \"" + type + "\", \"" + key + "\": " + value + "}";
  }

  private static String conv(String out, int k, int s, int p, int d, int groups) {
    return ("{\"type\": \"conv2d\", \"out\": %s, \"kernel\": %d, \"stride\": %d, \"padding\": %d,"
            + " \"dilation\": %d, \"groups\": %d}")
        .formatted(out, k, s, p, d, groups);
  }

  static Architecture architecture(String name) {
    return LAYERS.containsKey(name)
        ? Architecture.fromJson(LAYERS.get(name))
        : Architecture.preset(name);
  }

  /** Creates records with normal features, or with tokens if the first layer is an embedding. */
  static TorchData data(Architecture architecture, int records, long seed) {
    Random random = new Random(seed);
    boolean tokens = architecture.layers().list().get(0) instanceof Embedding;
    float[] features = new float[records * Shapes.size(architecture.input())];
    for (int i = 0; i < features.length; i++) {
      features[i] = tokens ? random.nextInt(6) : (float) random.nextGaussian();
    }
    float[] targets = new float[records];
    for (int i = 0; i < records; i++) {
      targets[i] = random.nextInt(architecture.output()[0]);
    }
    return TorchData.of(features, architecture.input(), targets);
  }

  /** Creates weights in which no parameter has a special value such as 0 or 1. */
  static double[] theta(Architecture architecture, long seed) {
    Random random = new Random(seed);
    double[] theta = architecture.initialWeights(org.sordino.random.RandomKey.insecure(seed));
    for (int i = 0; i < theta.length; i++) {
      theta[i] = (float) (theta[i] + 0.05 * random.nextGaussian());
    }
    return theta;
  }

  /** Returns the features of records created by {@link #data}. */
  static float[] features(TorchData data, Architecture architecture) {
    Libtorch.load();
    int[] all = new int[data.size()];
    java.util.Arrays.setAll(all, i -> i);
    return Scopes.get(() -> Tensors.floats(data.inputs(all, architecture.input())));
  }
}
