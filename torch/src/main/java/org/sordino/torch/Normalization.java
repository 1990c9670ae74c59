package org.sordino.torch;

import java.util.List;
import java.util.Map;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.TensorOptional;
import org.bytedeco.pytorch.global.torch;

/**
 * Layer and group normalization: normalizes each record separately, then applies a weight and a
 * bias per feature.
 *
 * @param groups number of groups; 0 for layer normalization, which is over the last axis
 */
record Normalization(String name, int groups, double epsilon) implements Layer {

  static Normalization read(Spec spec, String type) {
    return new Normalization(
        spec.name("norm"),
        type.equals("group-norm") ? spec.number("groups") : 0,
        spec.real("epsilon", 1e-5));
  }

  @Override
  public int[] output(int[] input) {
    if (groups == 0 && input.length > 2) {
      throw misfit("features or a sequence (use group-norm with groups 1 for images)", input);
    }
    if (groups > 0 && (input.length < 2 || input[0] % groups != 0)) {
      throw misfit("channels divisible by its " + groups + " groups, followed by positions", input);
    }
    return input;
  }

  private int features(int[] input) {
    return groups == 0 ? Shapes.last(input) : input[0];
  }

  @Override
  public List<Parameter> parameters(int[] input) {
    return List.of(
        Parameter.constant(name + ".weight", 1, features(input)),
        Parameter.constant(name + ".bias", 0, features(input)));
  }

  @Override
  public Map<String, Object> json() {
    return groups == 0
        ? Layer.fields("layer-norm", "name", name, "epsilon", epsilon)
        : Layer.fields("group-norm", "name", name, "groups", groups, "epsilon", epsilon);
  }

  @Override
  public Tensor forward(Tensor x, Pass pass) {
    TensorOptional none = new TensorOptional();
    Tensor normal =
        groups == 0
            ? torch.layer_norm(x, new long[] {x.size(-1)}, none, none, epsilon, false)
            : torch.group_norm(x, groups, none, none, epsilon, false);
    long axis = groups == 0 ? x.dim() - 1 : 1;
    return pass.affine(new AffineRule(name + ".weight", name + ".bias", axis), normal);
  }
}
