package org.sordino.torch;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.bytedeco.pytorch.Tensor;

/** Runs a custom layer, record by record. */
final class CustomRule implements Rule {

  private final Own own;
  private final int[] input;
  private final int[] output;
  private final List<Parameter> parameters;
  private final float[][] weights;

  private CustomRule(Own own, int[] input, float[][] weights) {
    this.own = own;
    this.input = input;
    this.output = own.output(input);
    this.parameters = own.parameters(input);
    this.weights = weights;
  }

  static CustomRule of(Own own, Pass pass, Tensor x) {
    int[] input = new int[Math.toIntExact(x.dim() - 1)];
    Arrays.setAll(input, axis -> Math.toIntExact(x.size(axis + 1L)));
    float[][] weights =
        own.parameters(input).stream()
            .map(parameter -> Tensors.floats(pass.weight(parameter.name())))
            .toArray(float[][]::new);
    return new CustomRule(own, input, weights);
  }

  @Override
  public List<String> parameters() {
    return parameters.stream().map(Parameter::name).toList();
  }

  /** Returns the output, without autograd history. */
  Tensor forward(Tensor x) {
    float[][] rows = rows(x);
    float[][] y = new float[rows.length][Shapes.size(output)];
    for (int i = 0; i < rows.length; i++) {
      own.layer().forward(rows[i], weights, y[i]);
    }
    return tensor(y, output);
  }

  /** Returns the derivative with respect to the input. */
  Tensor backward(Tensor x, Tensor g) {
    float[][] rows = rows(x);
    float[][] outputs = rows(g);
    float[][] gx = new float[rows.length][Shapes.size(input)];
    for (int i = 0; i < rows.length; i++) {
      own.layer().backward(rows[i], weights, outputs[i], gx[i], empty());
    }
    return tensor(gx, input);
  }

  @Override
  public List<RecordGradients> gradients(Tensor a, Tensor g) {
    float[][] rows = rows(a);
    float[][] outputs = rows(g);
    float[][][] gradients = new float[weights.length][rows.length][];
    for (int i = 0; i < rows.length; i++) {
      float[][] gradient = empty();
      own.layer().backward(rows[i], weights, outputs[i], new float[Shapes.size(input)], gradient);
      for (int k = 0; k < weights.length; k++) {
        gradients[k][i] = gradient[k];
      }
    }
    List<RecordGradients> list = new ArrayList<>();
    for (float[][] gradient : gradients) {
      list.add(new Materialized(tensor(gradient, gradient[0].length).to(a.scalar_type())));
    }
    return list;
  }

  private float[][] empty() {
    return Arrays.stream(weights).map(w -> new float[w.length]).toArray(float[][]::new);
  }

  private static float[][] rows(Tensor tensor) {
    int records = Math.toIntExact(tensor.size(0));
    float[] all = Tensors.floats(tensor);
    int width = all.length / records;
    float[][] rows = new float[records][];
    Arrays.setAll(rows, i -> Arrays.copyOfRange(all, i * width, (i + 1) * width));
    return rows;
  }

  private static Tensor tensor(float[][] rows, int... shape) {
    int width = Shapes.size(shape);
    float[] all = new float[rows.length * width];
    for (int i = 0; i < rows.length; i++) {
      System.arraycopy(rows[i], 0, all, i * width, width);
    }
    return Tensors.of(all, 0, Shapes.batch(rows.length, shape));
  }
}
