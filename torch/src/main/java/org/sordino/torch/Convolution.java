package org.sordino.torch;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.bytedeco.pytorch.Tensor;

/**
 * A convolution over one or two axes. A convolution over one axis is computed over two, the first
 * of size 1; the arrays always have two elements.
 *
 * @param axes number of axes, 1 or 2
 * @param kernel kernel size per axis
 * @param stride stride per axis
 * @param padding padding per axis
 * @param dilation dilation per axis
 */
record Convolution(
    String name,
    int axes,
    int out,
    int[] kernel,
    int[] stride,
    int[] padding,
    int[] dilation,
    int groups,
    boolean bias)
    implements Layer {

  static Convolution read(Spec spec, int axes) {
    int[] ones = axes == 1 ? new int[] {1} : new int[] {1, 1};
    int[] zeros = new int[axes];
    return new Convolution(
        spec.name("conv"),
        axes,
        spec.number("out"),
        two(spec.axes("kernel", axes, null, 1), 1),
        two(spec.axes("stride", axes, ones, 1), 1),
        two(spec.axes("padding", axes, zeros, 0), 0),
        two(spec.axes("dilation", axes, ones, 1), 1),
        spec.number("groups", 1, 1),
        spec.flag("bias", true));
  }

  private static int[] two(int[] axes, int first) {
    return axes.length == 2 ? axes : new int[] {first, axes[0]};
  }

  /** Returns the same convolution with a kernel of one row. */
  Convolution oneRow() {
    return new Convolution(
        name, axes, out, new int[] {1, kernel[1]}, stride, padding, dilation, groups, bias);
  }

  @Override
  public int[] output(int[] input) {
    if (input.length != axes + 1) {
      throw misfit(axes == 1 ? "an input of shape CxL" : "an input of shape CxHxW", input);
    }
    if (input[0] % groups != 0 || out % groups != 0) {
      throw misfit(
          "input and output channels divisible by its " + groups + " groups (out is " + out + ")",
          input);
    }
    int[] shape = input.clone();
    shape[0] = out;
    for (int i = 1; i < shape.length; i++) {
      int k = i + 1 - axes;
      shape[i] = Shapes.windows(input[i], kernel[k], stride[k], padding[k], dilation[k]);
      if (shape[i] < 1) {
        throw misfit("an input at least as large as its kernel " + Shapes.text(kernel), input);
      }
    }
    return shape;
  }

  @Override
  public List<Parameter> parameters(int[] input) {
    int in = input[0] / groups;
    double width = 1 / Math.sqrt((double) in * kernel[0] * kernel[1]);
    long[] dims = {out, in, kernel[0], kernel[1]};
    long[] oneAxis = {out, in, kernel[1]};
    List<Parameter> parameters = new ArrayList<>();
    parameters.add(Parameter.uniform(name + ".weight", width, axes == 1 ? oneAxis : dims));
    if (bias) {
      parameters.add(Parameter.uniform(name + ".bias", width, out));
    }
    return parameters;
  }

  @Override
  public Map<String, Object> json() {
    return Layer.fields(
        axes == 1 ? "conv1d" : "conv2d",
        "name",
        name,
        "out",
        out,
        "kernel",
        tail(kernel),
        "stride",
        tail(stride),
        "padding",
        tail(padding),
        "dilation",
        tail(dilation),
        "groups",
        groups,
        "bias",
        bias);
  }

  private List<Integer> tail(int[] two) {
    return Shapes.list(Arrays.copyOfRange(two, 2 - axes, 2));
  }

  @Override
  public Tensor forward(Tensor x, Pass pass) {
    return pass.convolution(new ConvolutionRule(this), x);
  }
}
