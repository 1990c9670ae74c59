package org.sordino.network;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.sordino.json.Json;
import org.sordino.run.Evaluation;
import org.sordino.run.InvalidInputException;
import org.sordino.run.Model;
import org.sordino.run.Prediction;
import org.sordino.table.Schema;
import org.sordino.table.TableSource;
import org.sordino.torch.Architecture;
import org.sordino.torch.TorchData;
import org.sordino.torch.TorchModel;
import org.sordino.training.ChannelStatistics;
import org.sordino.training.Safetensors;

/** A network for images. */
public final class ImageModel implements Model {

  private final TorchModel network;
  private final @Nullable ChannelStatistics statistics;
  private final List<String> classes;
  private final String data;

  /**
   * Creates a model.
   *
   * @param network architecture and weights
   * @param statistics channel statistics with which images are normalized; null for those of the
   *     data set
   * @param classes names of the classes
   * @param data data set that the network was trained on
   */
  ImageModel(
      TorchModel network,
      @Nullable ChannelStatistics statistics,
      List<String> classes,
      String data) {
    this.network = network;
    this.statistics = statistics;
    this.classes = List.copyOf(classes);
    this.data = data;
  }

  static ImageModel of(Map<String, @Nullable Object> json, Safetensors tensors) {
    if (!(json.get("model") instanceof Map<?, ?> model)) {
      throw new IllegalArgumentException("model.json must contain a model");
    }
    if (!NetworkLearner.KIND.equals(model.get("kind"))) {
      throw new IllegalArgumentException(
          "model.json must contain a known kind of model, got "
              + model.get("kind")
              + "; update Sordino to the version that wrote it");
    }
    Architecture architecture = Architecture.fromJson(Json.write(model.get("architecture")));
    ChannelStatistics statistics =
        model.get("means") instanceof List<?> means
                && model.get("deviations") instanceof List<?> deviations
            ? new ChannelStatistics(numbers(means), numbers(deviations))
            : null;
    List<String> classes =
        json.get("classes") instanceof List<?> names
            ? names.stream().map(String::valueOf).toList()
            : List.of();
    return new ImageModel(
        TorchModel.of(architecture, tensors),
        statistics,
        classes,
        String.valueOf(json.get("data")));
  }

  private static double[] numbers(List<?> values) {
    return values.stream().mapToDouble(value -> ((Number) value).doubleValue()).toArray();
  }

  /** Evaluates the model on images with labels. Not private. */
  public Evaluation evaluate(TorchData images) {
    TorchData seen =
        statistics == null
            ? images
            : images.normalizedBy(statistics.means(), statistics.deviations());
    return Networks.evaluate(network, seen);
  }

  @Override
  public Schema schema() {
    throw needsImages();
  }

  @Override
  public Prediction predict(Map<String, ?> record) {
    throw needsImages();
  }

  @Override
  public Prediction predict(Object[] values) {
    throw needsImages();
  }

  @Override
  public List<Prediction> predictAll(TableSource records) {
    throw needsImages();
  }

  @Override
  public Evaluation evaluate(TableSource records) {
    throw needsImages();
  }

  private static InvalidInputException needsImages() {
    return new InvalidInputException(
        "`data` must be images for this model, got a table; use mnist, fashion-mnist, cifar-10"
            + " or a directory that contains one of them");
  }

  @Override
  public Map<String, @Nullable Object> json() {
    Map<String, @Nullable Object> model = new LinkedHashMap<>();
    model.put("kind", NetworkLearner.KIND);
    model.put("architecture", Json.readObject(network.architecture().toJson()));
    if (statistics != null) {
      model.put("means", Arrays.stream(statistics.means()).boxed().toList());
      model.put("deviations", Arrays.stream(statistics.deviations()).boxed().toList());
    }
    Map<String, @Nullable Object> json = new LinkedHashMap<>();
    json.put("task", ImageTask.KIND);
    json.put("model", model);
    json.put("classes", classes);
    json.put("data", data);
    return json;
  }

  @Override
  public Map<String, Safetensors.Tensor> tensors() {
    return network.tensors(Map.of()).tensors();
  }
}
