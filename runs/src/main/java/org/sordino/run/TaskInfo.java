package org.sordino.run;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.sordino.json.Json;
import org.sordino.json.JsonObject;
import org.sordino.table.Schema;

/**
 * The model and data of a run, stored in {@code run.json}. The component {@code json} is the
 * complete description; the others are those of its fields that statements, reports and resuming
 * need.
 *
 * @param kind kind of task: {@code table}, {@code network-table}, {@code images}
 * @param data location of the records: a file, a data set, or a database without credentials
 * @param query SQL query that selects the records, or null
 * @param holdout share of the records held out for testing, or 0
 * @param engine engine that computes on the records; null for this process
 * @param userColumn column with the user ID of each row, or null
 * @param userFile file with the user ID of each image, or null
 * @param simulatedUsers number of simulated users, or 0
 * @param schema schema of a table, or null
 * @param json all fields, in order
 */
public record TaskInfo(
    String kind,
    @Nullable String data,
    @Nullable String query,
    double holdout,
    @Nullable String engine,
    @Nullable String userColumn,
    @Nullable String userFile,
    long simulatedUsers,
    @Nullable Schema schema,
    Map<String, @Nullable Object> json) {

  public TaskInfo {
    json = Collections.unmodifiableMap(new LinkedHashMap<>(json));
  }

  /**
   * Parses the JSON form.
   *
   * @throws IllegalArgumentException if a field has the wrong type
   */
  public static TaskInfo of(Map<String, @Nullable Object> json) {
    JsonObject task = JsonObject.of("task", json);
    Object schema = json.get("schema");
    return new TaskInfo(
        task.text("task", "unknown"),
        task.optionalText("file"),
        task.optionalText("query"),
        task.finite("holdout", 0),
        task.optionalText("engine"),
        task.optionalText("userColumn"),
        task.optionalText("userFile"),
        (long) task.finite("simulatedUsers", 0),
        schema == null ? null : Schema.ofJson("run.json", Json.write(schema)),
        json);
  }

  /** Returns the column to predict; null if the data is not a table. */
  public @Nullable String label() {
    return schema == null ? null : schema.requireLabel().column();
  }

  /** Returns whether the model is a neural network. */
  public boolean isNetwork() {
    return !kind.equals(TableTask.KIND);
  }

  /** Returns the text of a field, or null if the field is missing. */
  public @Nullable String text(String field) {
    return JsonObject.of("task", json).optionalText(field);
  }
}
