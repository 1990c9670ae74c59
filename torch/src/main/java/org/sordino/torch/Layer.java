package org.sordino.torch;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.bytedeco.pytorch.Tensor;

/**
 * One layer of an architecture. Shapes are those of one record: {@code [C, H, W]} for images,
 * {@code [T, d]} for sequences, {@code [C, L]} for signals, {@code [d]} for plain features.
 */
sealed interface Layer
    permits Activation,
        Attention,
        BatchNorm,
        Convolution,
        Dropout,
        Elementwise,
        Embedding,
        Linear,
        Normalization,
        Own,
        Pooling,
        Recurrent,
        Reshaping,
        Residual {

  /** Returns the name of the layer in messages, which is also the prefix of its parameter names. */
  String name();

  /**
   * Returns the shape of the output.
   *
   * @throws IllegalArgumentException if the input does not fit; the message names the layer
   */
  int[] output(int[] input);

  /** Returns the parameter tensors in order. */
  default List<Parameter> parameters(int[] input) {
    return List.of();
  }

  /** Returns the fields that {@link Layers#read} reads, the type first. */
  Map<String, Object> json();

  /** Computes the output of a batch. The pass holds the parameters and the tape. */
  Tensor forward(Tensor x, Pass pass);

  /** Builds the result of {@link #json} from the type and alternating keys and values. */
  static Map<String, Object> fields(String type, Object... pairs) {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("type", type);
    for (int i = 0; i < pairs.length; i += 2) {
      map.put((String) pairs[i], pairs[i + 1]);
    }
    return map;
  }

  /** Creates the exception for an input that does not fit. */
  default IllegalArgumentException misfit(String expected, int[] input) {
    return new IllegalArgumentException(
        "layer " + name() + " needs " + expected + ", got shape " + Shapes.text(input));
  }
}
