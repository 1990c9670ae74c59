package org.sordino.torch;

import java.util.LinkedHashMap;
import java.util.Map;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch.MemoryFormat;

/** Parameters as tensors, in the scope of the caller; only read, so threads may share them. */
final class Weights {

  private Weights() {}

  /** In float32, convolutions in the layout they like. */
  static Map<String, Tensor> floats(Architecture architecture, double[] theta) {
    float[] narrow = new float[theta.length];
    Slices.forEach(
        theta.length,
        (from, to) -> {
          for (int i = from; i < to; i++) {
            narrow[i] = (float) theta[i];
          }
        });
    Map<String, Tensor> weights = new LinkedHashMap<>();
    int offset = 0;
    for (Parameter parameter : architecture.parameters()) {
      Tensor tensor = Tensors.of(narrow, offset, parameter.dims());
      weights.put(
          parameter.name(),
          parameter.dims().length == 4 ? tensor.contiguous(MemoryFormat.ChannelsLast) : tensor);
      offset += parameter.size();
    }
    return weights;
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
