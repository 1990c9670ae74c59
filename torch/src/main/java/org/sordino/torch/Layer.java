package org.sordino.torch;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.bytedeco.pytorch.Tensor;

/**
 * One layer as data. Shapes are those of one record: {@code [C, H, W]} for images, {@code [T, d]}
 * for sequences, {@code [C, L]} for signals, {@code [d]} for plain features.
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

  /** What messages call it, and what the names of its parameters begin with. */
  String name();

  /**
   * The shape that comes out.
   *
   * @throws IllegalArgumentException naming the layer, if the input does not fit
   */
  int[] output(int[] input);

  /** Its parameter tensors, in order. */
  default List<Parameter> parameters(int[] input) {
    return List.of();
  }

  /** Its fields, the type first, as {@link Layers#read} takes them. */
  Map<String, Object> json();

  /** Computes on a batch; parameters and the tape are in the pass. */
  Tensor forward(Tensor x, Pass pass);

  /** For {@link #json}: type and, then, pairs of keys and values. */
  static Map<String, Object> fields(String type, Object... pairs) {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("type", type);
    for (int i = 0; i < pairs.length; i += 2) {
      map.put((String) pairs[i], pairs[i + 1]);
    }
    return map;
  }

  /** The complaint about an input that does not fit. */
  default IllegalArgumentException misfit(String expected, int[] input) {
    return new IllegalArgumentException(
        "layer " + name() + " needs " + expected + ", got the shape " + Shapes.text(input));
  }
}
