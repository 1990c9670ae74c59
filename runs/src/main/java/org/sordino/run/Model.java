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
 * The released model of a run. Models are immutable and thread-safe.
 *
 * <p>Linear models do not need a native library; libtorch is loaded only for networks.
 */
public interface Model {

  /**
   * Loads the model of a finished run.
   *
   * @param runDirectory directory with {@code model.json} and {@code model.safetensors}
   * @throws InvalidInputException if the directory does not contain a finished run
   * @throws RunDamagedException if the files are damaged
   */
  static Model load(Path runDirectory) {
    RunDirectory run = new RunDirectory(runDirectory);
    if (!run.has(RunDirectory.MODEL)) {
      throw new InvalidInputException(
          "a run directory must contain the model of a finished run, got "
              + runDirectory
              + "; check the path, or finish the run with 'sordino resume'");
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
   * Returns the schema of the input records, including the predicted label.
   *
   * @throws InvalidInputException if the model is not for tables
   */
  Schema schema();

  /**
   * Returns the prediction for one record.
   *
   * @param record values by column. Columns that are absent count as missing values; columns that
   *     are not in the schema are ignored
   */
  Prediction predict(Map<String, ?> record);

  /**
   * Returns the prediction for one record.
   *
   * @param values values in the order of the schema's columns, without the ignored columns
   */
  Prediction predict(Object[] values);

  /** Returns the predictions for all records of a table, in order. Labels are not required. */
  List<Prediction> predictAll(TableSource records);

  /** Evaluates the model on labeled records. The result is not private. */
  Evaluation evaluate(TableSource records);

  /** Returns the architecture and preprocessing, the content of {@code model.json}. */
  Map<String, @Nullable Object> json();

  /** Returns the parameters, the content of {@code model.safetensors}. */
  Map<String, Safetensors.Tensor> tensors();
}
