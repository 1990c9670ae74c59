package org.sordino.run;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.sordino.json.Json;
import org.sordino.table.Schema;
import org.sordino.table.TableException;
import org.sordino.table.TableSource;
import org.sordino.training.Safetensors;

/**
 * The released model of a run. Models are immutable and safe for use by several threads.
 *
 * <p>A linear model needs no native library; the libraries of networks are loaded only for a
 * network.
 */
public interface Model {

  /**
   * Loads the model of a finished run.
   *
   * @param runDirectory the directory with {@code model.json} and {@code model.safetensors}
   * @throws InvalidInputException if the directory holds no finished run
   * @throws RunDamagedException if the files are not what a run wrote
   */
  static Model load(Path runDirectory) {
    RunDirectory run = new RunDirectory(runDirectory);
    if (!run.has(RunDirectory.MODEL)) {
      throw new InvalidInputException(
          "a run must be finished to have a model, got "
              + runDirectory
              + "; finish it with 'sordino resume'");
    }
    try {
      Map<String, @Nullable Object> json = Json.readObject(run.text(RunDirectory.MODEL));
      return of(json, Safetensors.ofBytes(run.bytes(RunDirectory.WEIGHTS)));
    } catch (IllegalArgumentException
        | ClassCastException
        | ArithmeticException
        | TableException e) {
      throw new RunDamagedException(
          "the model in "
              + runDirectory
              + " is damaged: "
              + e.getMessage()
              + "; restore model.json and model.safetensors from a copy");
    }
  }

  private static Model of(Map<String, @Nullable Object> json, Safetensors tensors) {
    return json.get("schema") == null && !TableTask.KIND.equals(json.get("task"))
        ? TaskType.of(String.valueOf(json.get("task"))).load(json, tensors)
        : TableModel.of(json, tensors);
  }

  /**
   * How rows become features, and what is predicted.
   *
   * @throws InvalidInputException if the model does not take rows of a table
   */
  Schema schema();

  /**
   * Predicts one record.
   *
   * @param record values by column; a column that is not there is a missing value, and columns that
   *     the schema does not name are not used
   */
  Prediction predict(Map<String, ?> record);

  /**
   * Predicts one record.
   *
   * @param values in the order of the schema's columns, without the ignored ones
   */
  Prediction predict(Object[] values);

  /** Predicts all records of a table, in their order; labels are not needed. */
  List<Prediction> predictAll(TableSource records);

  /** Evaluates the model on records with labels. Not private. */
  Evaluation evaluate(TableSource records);

  /** Architecture and preprocessing, the content of {@code model.json}. */
  Map<String, @Nullable Object> json();

  /** The parameters, the content of {@code model.safetensors}. */
  Map<String, Safetensors.Tensor> tensors();
}
