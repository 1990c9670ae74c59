package org.sordino.torch;

import java.util.Arrays;
import java.util.Map;
import org.bytedeco.pytorch.LongOptional;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;

/**
 * Pooling over the positions of CxHxW or CxL. If there is one axis, the second number of each pair
 * applies.
 *
 * @param kernel kernel size; for adaptive pooling, the number of output positions
 */
record Pooling(String type, int[] kernel, int[] stride, int[] padding) implements Layer {

  private static final String ADAPTIVE = "adaptive-avg-pool";

  static Pooling read(Spec spec, String type) {
    if (type.equals(ADAPTIVE)) {
      return new Pooling(type, spec.axes("out", 2, null, 1), new int[] {1, 1}, new int[2]);
    }
    int[] kernel = spec.axes("kernel", 2, null, 1);
    Pooling pooling =
        new Pooling(
            type,
            kernel,
            spec.axes("stride", 2, kernel, 1),
            spec.axes("padding", 2, new int[2], 0));
    for (int k = 0; k < 2; k++) {
      if (2 * pooling.padding[k] > kernel[k]) {
        throw spec.error("padding must be at most half of the kernel");
      }
    }
    return pooling;
  }

  @Override
  public String name() {
    return type;
  }

  @Override
  public int[] output(int[] input) {
    if (input.length < 2) {
      throw misfit("an input of shape CxHxW or CxL", input);
    }
    int[] shape = input.clone();
    for (int i = 1; i < shape.length; i++) {
      int k = i + 2 - shape.length;
      shape[i] =
          type.equals(ADAPTIVE)
              ? kernel[k]
              : Shapes.windows(input[i], kernel[k], stride[k], padding[k], 1);
      if (shape[i] < 1) {
        throw misfit("an input at least as large as its kernel " + Shapes.text(kernel), input);
      }
    }
    return shape;
  }

  @Override
  public Map<String, Object> json() {
    return type.equals(ADAPTIVE)
        ? Layer.fields(type, "out", Shapes.list(kernel))
        : Layer.fields(
            type,
            "kernel",
            Shapes.list(kernel),
            "stride",
            Shapes.list(stride),
            "padding",
            Shapes.list(padding));
  }

  @Override
  public Tensor forward(Tensor x, Pass pass) {
    boolean oneAxis = x.dim() == 3;
    Tensor y = pool(oneAxis ? x.unsqueeze(2) : x, oneAxis);
    return oneAxis ? y.squeeze(2) : y;
  }

  private Tensor pool(Tensor x, boolean oneAxis) {
    long[] k = two(kernel, oneAxis, 1);
    long[] s = two(stride, oneAxis, 1);
    long[] p = two(padding, oneAxis, 0);
    return switch (type) {
      case "max-pool" -> torch.max_pool2d(x, k, s, p, new long[] {1, 1}, false);
      case "avg-pool" -> torch.avg_pool2d(x, k, s, p, false, true, new LongOptional());
      default -> torch.adaptive_avg_pool2d(x, k);
    };
  }

  private static long[] two(int[] pair, boolean oneAxis, int first) {
    long[] two = Shapes.longs(Arrays.copyOf(pair, 2));
    two[0] = oneAxis ? first : two[0];
    return two;
  }
}
