package org.sordino.torch;

import java.util.Map;
import org.bytedeco.pytorch.Scalar;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;

/**
 * An elementwise activation function. The tempered sigmoid is s sigmoid(T x) - o (Papernot et al.
 * 2020, arXiv:2007.14191); with its default settings it equals tanh.
 */
record Activation(String type, double scale, double temperature, double offset) implements Layer {

  static Activation read(Spec spec, String type) {
    return type.equals("tempered-sigmoid")
        ? new Activation(
            type, spec.real("scale", 2), spec.real("temperature", 2), spec.real("offset", 1))
        : new Activation(type, 0, 0, 0);
  }

  @Override
  public String name() {
    return type;
  }

  @Override
  public int[] output(int[] input) {
    return input;
  }

  @Override
  public Map<String, Object> json() {
    return type.equals("tempered-sigmoid")
        ? Layer.fields(type, "scale", scale, "temperature", temperature, "offset", offset)
        : Layer.fields(type);
  }

  @Override
  public Tensor forward(Tensor x, Pass pass) {
    return switch (type) {
      case "relu" -> torch.relu(x);
      case "tanh" -> torch.tanh(x);
      case "gelu" -> torch.gelu(x);
      default ->
          torch
              .sigmoid(x.mul(new Scalar(temperature)))
              .mul(new Scalar(scale))
              .sub(new Scalar(offset));
    };
  }
}
