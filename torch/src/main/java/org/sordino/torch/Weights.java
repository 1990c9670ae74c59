package org.sordino.torch;

import java.util.LinkedHashMap;
import java.util.Map;
import org.bytedeco.javacpp.FloatPointer;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;
import org.bytedeco.pytorch.global.torch.MemoryFormat;

/**
 * Parameters as tensors, in the scope of the caller. They are only read, so threads may share them.
 */
final class Weights {

  /** Numbers that fit in the first-level cache. */
  private static final int PIECE = 1 << 12;

  private Weights() {}

  /** Returns the parameters in float32; those of convolutions have the channels-last layout. */
  static Map<String, Tensor> floats(Architecture architecture, double[] theta) {
    return floats(architecture, theta, Slices.ALONE);
  }

  static Map<String, Tensor> floats(Architecture architecture, double[] theta, Slices slices) {
    Map<String, Tensor> weights = new LinkedHashMap<>();
    int offset = 0;
    for (Parameter parameter : architecture.parameters()) {
      Tensor tensor = torch.empty(parameter.dims());
      fill(tensor, theta, offset, slices);
      weights.put(
          parameter.name(),
          parameter.dims().length == 4 ? tensor.contiguous(MemoryFormat.ChannelsLast) : tensor);
      offset += parameter.size();
    }
    return weights;
  }

  private static void fill(Tensor tensor, double[] theta, int offset, Slices slices) {
    FloatPointer numbers = tensor.data_ptr_float();
    slices.forEach(
        Math.toIntExact(tensor.numel()),
        (from, to) -> {
          FloatPointer slice = new FloatPointer(numbers);
          float[] piece = new float[Math.min(PIECE, to - from)];
          for (int first = from; first < to; first += PIECE) {
            int count = Math.min(PIECE, to - first);
            for (int k = 0; k < count; k++) {
              piece[k] = (float) theta[offset + first + k];
            }
            slice.position(first).put(piece, 0, count);
          }
        });
  }

  /** Returns the parameters in float64, for inner products. */
  static Map<String, Tensor> doubles(Architecture architecture, double[] theta) {
    Map<String, Tensor> weights = new LinkedHashMap<>();
    int offset = 0;
    for (Parameter parameter : architecture.parameters()) {
      weights.put(parameter.name(), Tensors.of(theta, offset, parameter.dims()));
      offset += parameter.size();
    }
    return weights;
  }
}
