package org.sordino.cli;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.sordino.json.Json;
import org.sordino.table.Schema;
import org.sordino.torch.Architecture;
import org.sordino.torch.TorchData;
import org.sordino.torch.TorchModel;
import org.sordino.training.ChannelStatistics;
import org.sordino.training.Examples;
import org.sordino.training.Safetensors;

/**
 * A neural network.
 *
 * @param rows how rows become records; null for images
 * @param model architecture and weights
 * @param statistics by which its images are normalised; null for the usual ones
 */
record TrainedNetwork(
    @Nullable Schema rows, TorchModel model, @Nullable ChannelStatistics statistics)
    implements Model {

  static TrainedNetwork of(Map<?, ?> json, Safetensors tensors, @Nullable Schema rows) {
    Architecture architecture = Architecture.fromJson(Json.write(json.get("architecture")));
    ChannelStatistics statistics =
        json.get("means") instanceof List<?> means
                && json.get("deviations") instanceof List<?> deviations
            ? new ChannelStatistics(numbers(means), numbers(deviations))
            : null;
    return new TrainedNetwork(rows, TorchModel.of(architecture, tensors), statistics);
  }

  private static double[] numbers(List<?> values) {
    return values.stream().mapToDouble(value -> ((Number) value).doubleValue()).toArray();
  }

  /** How good it is on images with labels. Not private. */
  Evaluation evaluate(TorchData images) {
    return NetworkTask.evaluation(
        model, NetworkTask.normalised(images, new FittedPreprocessing(statistics, null)));
  }

  @Override
  public Schema schema() {
    if (rows == null) {
      throw new InvalidInputException(
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
