package org.sordino.torch;

import java.util.List;
import java.util.Map;
import org.bytedeco.pytorch.Tensor;

/**
 * Batch normalization that keeps records independent. Features are normalized by moving averages of
 * their mean and variance instead of batch statistics. The moving averages are part of the model
 * and stay fixed during a step. Each record contributes the differences between them and its own
 * statistics as two additional vectors; the noisy averages of these vectors update the moving
 * averages. Parameter names are those of PyTorch.
 */
record BatchNorm(String name, double epsilon) implements Layer {

  static BatchNorm read(Spec spec) {
    return new BatchNorm(spec.name("norm"), spec.real("epsilon", 1e-5));
  }

  @Override
  public int[] output(int[] input) {
    return input;
  }

  private static int features(int[] input) {
    return input.length == 3 ? input[0] : Shapes.last(input);
  }

  @Override
  public List<Parameter> parameters(int[] input) {
    int features = features(input);
    return List.of(
        Parameter.constant(name + ".weight", 1, features),
        Parameter.constant(name + ".bias", 0, features),
        Parameter.following(name + ".running_mean", 0, features),
        Parameter.following(name + ".running_var", 1, features));
  }

  @Override
  public Map<String, Object> json() {
    return Layer.fields("batch-norm", "name", name, "epsilon", epsilon);
  }

  @Override
  public Tensor forward(Tensor x, Pass pass) {
    long axis = x.dim() == 4 ? 1 : x.dim() - 1;
    Tensor normal = pass.normalize(name, x, axis, epsilon);
    return pass.affine(new AffineRule(name + ".weight", name + ".bias", axis), normal);
  }
}
