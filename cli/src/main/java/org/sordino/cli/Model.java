package org.sordino.cli;

import java.nio.file.Files;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.sordino.json.Json;
import org.sordino.table.Schema;
import org.sordino.table.TableException;
import org.sordino.training.Examples;
import org.sordino.training.Safetensors;

/**
 * The model of a finished run, ready to be used. One implementation per kind in {@code model.json}.
 */
interface Model {

  /** How rows become records, and what is predicted. */
  Schema schema();

  /**
   * What the model says about records, one row each: the target of a number, the probability of
   * class 1, or the probabilities of all classes.
   */
  double[][] predict(Examples examples);

  /** How good it is on records with labels. Not private. */
  default Evaluation evaluate(Examples examples) {
    return Evaluation.of(schema().requireLabel(), predict(examples), examples);
  }

  /** Reads the model of a run. */
  static Model load(RunDirectory run) {
    if (!Files.exists(run.file("model.json"))) {
      throw new InvalidInputException(
          "a run must be finished to have a model, got "
              + run.path()
              + "; finish it with 'sordino resume'");
    }
    try {
      Map<String, @Nullable Object> json = Json.readObject(run.text("model.json"));
      Safetensors tensors = Safetensors.ofBytes(run.bytes("model.safetensors"));
      return of(json, tensors);
    } catch (IllegalArgumentException
        | ClassCastException
        | ArithmeticException
        | TableException e) {
      throw new RunDamagedException(
          "the model in "
              + run.path()
              + " is damaged: "
              + e.getMessage()
              + "; restore model.json and model.safetensors from a copy");
    }
  }

  private static @Nullable Schema rows(Map<String, @Nullable Object> json) {
    Object schema = json.get("schema");
    return schema == null ? null : Schema.ofJson("model.json", Json.write(schema));
  }

  private static Model of(Map<String, @Nullable Object> json, Safetensors tensors) {
    if (!(json.get("model") instanceof Map<?, ?> model)) {
      throw new IllegalArgumentException("model.json has no model");
    }
    String kind = String.valueOf(model.get("kind"));
    return switch (kind) {
      case "regression", "logistic", "softmax" ->
          TableModel.of(
              model, tensors, Schema.ofJson("model.json", Json.write(json.get("schema"))));
      case "network" -> TrainedNetwork.of(model, tensors, rows(json));
      default ->
          throw new IllegalArgumentException(
              "a model of the unknown kind " + kind + ", written by a newer version");
    };
  }
}
