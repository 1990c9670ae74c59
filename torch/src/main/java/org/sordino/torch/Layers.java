package org.sordino.torch;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.bytedeco.pytorch.Tensor;

/** A sequence of layers. */
record Layers(List<Layer> list) {

  Layers {
    list = List.copyOf(list);
  }

  /** The known layer types, as listed in messages. */
  static final String KNOWN =
      "linear, conv1d, conv2d, embedding, layer-norm, group-norm, batch-norm, bias, scale, residual, attention,"
          + " lstm, gru, own, relu, tanh, tempered-sigmoid, gelu, max-pool, avg-pool,"
          + " adaptive-avg-pool, flatten, reshape, transpose, dropout";

  static Layers read(List<Spec> specs, CustomLayers own) {
    List<Layer> layers = new ArrayList<>();
    for (Spec spec : specs) {
      layers.add(layer(spec, own));
      spec.done();
    }
    return new Layers(layers);
  }

  private static Layer layer(Spec spec, CustomLayers own) {
    String type = spec.type();
    return switch (type) {
      case "linear" -> Linear.read(spec);
      case "conv1d" -> Convolution.read(spec, 1);
      case "conv2d" -> Convolution.read(spec, 2);
      case "embedding" -> Embedding.read(spec);
      case "layer-norm", "group-norm" -> Normalization.read(spec, type);
      case "batch-norm" -> BatchNorm.read(spec);
      case "bias", "scale" -> Elementwise.read(spec, type);
      case "residual" -> Residual.read(spec, own);
      case "attention" -> Attention.read(spec);
      case "lstm", "gru" -> Recurrent.read(spec, type);
      case "own" -> Own.read(spec, own);
      case "relu", "tanh", "tempered-sigmoid", "gelu" -> Activation.read(spec, type);
      case "max-pool", "avg-pool", "adaptive-avg-pool" -> Pooling.read(spec, type);
      case "flatten", "reshape", "transpose" -> Reshaping.read(spec, type);
      case "dropout" -> Dropout.read(spec);
      default -> throw unknown(spec, type);
    };
  }

  private static IllegalArgumentException unknown(Spec spec, String type) {
    String plain = type.replaceAll("[^A-Za-z]", "").toLowerCase(java.util.Locale.ROOT);
    if (plain.startsWith("batchnorm")) {
      return spec.error(
          "batch normalization with batch statistics mixes records, so no record's contribution"
              + " can be bounded; use group-norm, or batch-norm, which normalizes by private"
              + " moving averages");
    }
    return spec.error("unknown type " + type + "; known types are " + KNOWN);
  }

  boolean haveDropout() {
    return list.stream()
        .anyMatch(
            layer ->
                layer instanceof Dropout
                    || layer instanceof Residual block
                        && (block.body().haveDropout() || block.shortcut().haveDropout()));
  }

  int[] output(int[] input) {
    int[] shape = input;
    for (Layer layer : list) {
      shape = layer.output(shape);
    }
    return shape;
  }

  List<Parameter> parameters(int[] input) {
    List<Parameter> parameters = new ArrayList<>();
    int[] shape = input;
    for (Layer layer : list) {
      parameters.addAll(layer.parameters(shape));
      shape = layer.output(shape);
    }
    return parameters;
  }

  List<Map<String, Object>> json() {
    return list.stream().map(Layer::json).toList();
  }

  Tensor forward(Tensor x, Pass pass) {
    Tensor y = x;
    for (Layer layer : list) {
      y = layer.forward(y, pass);
    }
    return y;
  }
}
