package org.sordino.cli;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.sordino.table.Schema;
import org.sordino.training.Examples;
import org.sordino.training.LinearModel;
import org.sordino.training.Safetensors;

/**
 * A linear model on a table.
 *
 * @param schema how rows become records
 * @param model its shape
 * @param theta its parameters
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record TableModel(Schema schema, LinearModel model, double[] theta) implements Model {

  TableModel {
    if (model.inputs() != schema.width()) {
      throw new IllegalArgumentException(
          "inputs of the model must be the features of the schema, "
              + schema.width()
              + ", got "
              + model.inputs());
    }
  }

  static TableModel of(Map<?, ?> json, Safetensors tensors, Schema schema) {
    LinearModel model =
        new LinearModel(
            LinearModel.Kind.valueOf(String.valueOf(json.get("kind")).toUpperCase(Locale.ROOT)),
            size(json, "inputs"),
            size(json, "outputs"));
    double[] weight = tensor(tensors, "weight", List.of(model.outputs(), model.inputs()));
    double[] bias = tensor(tensors, "bias", List.of(model.outputs()));
    double[] theta = Arrays.copyOf(weight, weight.length + bias.length);
    System.arraycopy(bias, 0, theta, weight.length, bias.length);
    return new TableModel(schema, model, theta);
  }

  private static int size(Map<?, ?> json, String name) {
    if (json.get(name) instanceof Long size) {
      return Math.toIntExact(size);
    }
    throw new IllegalArgumentException(name + " must be a whole number, got " + json.get(name));
  }

  private static double[] tensor(Safetensors tensors, String name, List<Integer> shape) {
    Safetensors.Tensor tensor = tensors.tensors().get(name);
    if (tensor == null || !tensor.shape().equals(shape)) {
      throw new IllegalArgumentException(
          "tensor %s must have the shape %s, got %s"
              .formatted(name, shape, tensor == null ? "none" : tensor.shape()));
    }
    return tensor.values();
  }

  @Override
  public double[][] predict(Examples examples) {
    double[][] predictions = new double[examples.size()][];
    for (int i = 0; i < predictions.length; i++) {
      predictions[i] = model.predict(theta, examples, i);
    }
    return predictions;
  }
}
