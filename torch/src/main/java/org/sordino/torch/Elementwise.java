package org.sordino.torch;

import java.util.List;
import java.util.Map;
import org.bytedeco.pytorch.Tensor;

/** A bias (added) or a scale (multiplied), with one parameter per element of a record. */
record Elementwise(String name, boolean scale) implements Layer {

  static Elementwise read(Spec spec, String type) {
    return new Elementwise(spec.name(type), type.equals("scale"));
  }

  private String parameter() {
    return name + (scale ? ".weight" : ".bias");
  }

  @Override
  public int[] output(int[] input) {
    return input;
  }

  @Override
  public List<Parameter> parameters(int[] input) {
    return List.of(Parameter.constant(parameter(), scale ? 1 : 0, Shapes.longs(input)));
  }

  @Override
  public Map<String, Object> json() {
    return Layer.fields(scale ? "scale" : "bias", "name", name);
  }

  @Override
  public Tensor forward(Tensor x, Pass pass) {
    AffineRule rule =
        scale
            ? new AffineRule(parameter(), null, AffineRule.EVERY)
            : new AffineRule(null, parameter(), AffineRule.EVERY);
    return pass.affine(rule, x);
  }
}
