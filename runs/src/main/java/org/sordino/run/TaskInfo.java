package org.sordino.run;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.sordino.json.Json;
import org.sordino.json.JsonObject;
import org.sordino.table.Schema;

/**
 * Model and data of a run as {@code run.json} records them. The JSON form is the only
 * representation; the other components are what statements, reports and reopening need from it.
 *
 * @param kind the kind of task: {@code table}, {@code network-table}, {@code images}
 * @param data where the records are: a file, a data set, or a database without credentials
 * @param query the SQL query that selects the records, or null
 * @param holdout the share of records held out for testing, or 0
 * @param engine the engine that computes on the records if it is not this process, or null
 * @param userColumn the column with the user of a row, or null
 * @param userFile the file with the user of every image, or null
 * @param simulatedUsers how many users were simulated, or 0
 * @param schema the schema of a table, or null
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
   * Reads the JSON form.
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

  /** The column that is predicted; null if the labels are part of the records. */
  public @Nullable String label() {
    return schema == null ? null : schema.requireLabel().column();
  }

  /** Whether the model is a neural network. */
  public boolean isNetwork() {
    return !kind.equals(TableTask.KIND);
  }

  /** The text of a field that may be absent. */
  public @Nullable String text(String field) {
    return JsonObject.of("task", json).optionalText(field);
  }
}
