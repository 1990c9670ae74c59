package org.sordino.torch;

import java.util.LinkedHashMap;
import java.util.Map;
import org.bytedeco.javacpp.FloatPointer;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;
import org.bytedeco.pytorch.global.torch.MemoryFormat;

/** Parameters as tensors, in the scope of the caller; only read, so threads may share them. */
final class Weights {

  private Weights() {}

  /** In float32, convolutions in the layout they like. */
  static Map<String, Tensor> floats(Architecture architecture, double[] theta) {
    Map<String, Tensor> weights = new LinkedHashMap<>();
    int offset = 0;
    for (Parameter parameter : architecture.parameters()) {
      Tensor tensor = torch.empty(parameter.dims());
      fill(tensor, theta, offset);
      weights.put(
          parameter.name(),
          parameter.dims().length == 4 ? tensor.contiguous(MemoryFormat.ChannelsLast) : tensor);
      offset += parameter.size();
    }
    return weights;
  }

  private static void fill(Tensor tensor, double[] theta, int offset) {
    FloatPointer numbers = tensor.data_ptr_float();
    Slices.forEach(
        Math.toIntExact(tensor.numel()),
        (from, to) -> {
          float[] narrow = Tensors.narrow(theta, offset + from, offset + to);
          new FloatPointer(numbers).position(from).put(narrow);
        });
  }

  /** In float64, for inner products. */
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
