package org.sordino.torch;

import java.util.Map;
import org.bytedeco.pytorch.Tensor;

/**
 * A layer that rearranges the elements of a record: flatten, reshape or transpose.
 *
 * @param shape target shape, for {@code reshape} only
 */
record Reshaping(String type, int[] shape) implements Layer {

  static Reshaping read(Spec spec, String type) {
    return new Reshaping(type, type.equals("reshape") ? spec.shape("shape") : new int[0]);
  }

  @Override
  public String name() {
    return type;
  }

  @Override
  public int[] output(int[] input) {
    if (type.equals("flatten")) {
      return new int[] {Shapes.size(input)};
    }
    if (type.equals("transpose")) {
      if (input.length != 2) {
        throw misfit("an input with two axes", input);
      }
      return new int[] {input[1], input[0]};
    }
    if (Shapes.size(input) != Shapes.size(shape)) {
      throw misfit("as many elements as the " + Shapes.text(shape) + " output", input);
    }
    return shape;
  }

  @Override
  public Map<String, Object> json() {
    return shape.length == 0 ? Layer.fields(type) : Layer.fields(type, "shape", Shapes.list(shape));
  }

  @Override
  public Tensor forward(Tensor x, Pass pass) {
    return switch (type) {
      case "flatten" -> x.flatten(1, -1);
      case "transpose" -> x.transpose(1, 2).contiguous();
      default -> x.reshape(Shapes.batch(x.size(0), shape));
    };
  }
}
