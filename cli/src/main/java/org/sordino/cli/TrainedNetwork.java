package org.sordino.cli;

import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.sordino.json.Json;
import org.sordino.table.Schema;
import org.sordino.torch.Architecture;
import org.sordino.torch.TorchData;
import org.sordino.torch.TorchModel;
import org.sordino.training.Examples;
import org.sordino.training.Safetensors;

/**
 * A neural network.
 *
 * @param rows how rows become records; null for images
 * @param model architecture and weights
 */
record TrainedNetwork(@Nullable Schema rows, TorchModel model) implements TrainedModel {

  static TrainedNetwork of(Map<?, ?> json, Safetensors tensors, @Nullable Schema rows) {
    Architecture architecture = Architecture.fromJson(Json.write(json.get("architecture")));
    return new TrainedNetwork(rows, TorchModel.of(architecture, tensors));
  }

  @Override
  public Schema schema() {
    if (rows == null) {
      throw new BadInput(
          "--data must be images for this model, got a table; give mnist, fashion-mnist, cifar-10"
              + " or a directory with one of them");
    }
    return rows;
  }

  @Override
  public double[][] predict(Examples examples) {
    return NetworkTask.probabilities(model, TorchData.of(examples));
  }
}
