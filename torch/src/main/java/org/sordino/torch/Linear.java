package org.sordino.torch;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.bytedeco.pytorch.Tensor;

/** A linear layer: y = W a + b on the last axis. */
record Linear(String name, int out, boolean bias) implements Layer {

  static Linear read(Spec spec) {
    return new Linear(spec.name("linear"), spec.number("out"), spec.flag("bias", true));
  }

  @Override
  public int[] output(int[] input) {
    if (input.length > 2) {
      throw misfit("features or a sequence (add a flatten layer before it)", input);
    }
    int[] shape = input.clone();
    shape[shape.length - 1] = out;
    return shape;
  }

  @Override
  public List<Parameter> parameters(int[] input) {
    return parameters(name, Shapes.last(input), out, bias);
  }

  /** Returns the parameters of a linear map. */
  static List<Parameter> parameters(String name, int in, int out, boolean bias) {
    double width = 1 / Math.sqrt(in);
    List<Parameter> parameters = new ArrayList<>();
    parameters.add(Parameter.uniform(name + ".weight", width, out, in));
    if (bias) {
      parameters.add(Parameter.uniform(name + ".bias", width, out));
    }
    return parameters;
  }

  @Override
  public Map<String, Object> json() {
    return Layer.fields("linear", "name", name, "out", out, "bias", bias);
  }

  @Override
  public Tensor forward(Tensor x, Pass pass) {
    return pass.linear(new LinearRule(name + ".weight", bias ? name + ".bias" : null), x);
  }
}
