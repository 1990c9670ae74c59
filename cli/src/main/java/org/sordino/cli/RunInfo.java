package org.sordino.cli;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.sordino.json.Json;
import org.sordino.training.Unit;

/**
 * What was trained on what: the part of a run that is not its plan.
 *
 * @param version of Sordino
 * @param started when, in UTC
 * @param command as it was typed
 * @param delta at which the guarantee is stated
 * @param populationDeclared whether the number of records was declared, or counted in the file
 * @param schemaDeclared whether bounds and categories were declared, or taken from the records
 * @param baseline whether the non-private model was trained too
 * @param budgetFile which budget the run draws from, or null
 * @param task the fields of the {@link Task}
 */
record RunInfo(
    String version,
    String started,
    String command,
    double delta,
    boolean populationDeclared,
    boolean schemaDeclared,
    boolean baseline,
    @Nullable String budgetFile,
    Map<String, @Nullable Object> task) {

  /** What a record is, and who says whose it is: not all users of a table are the same people. */
  String owner(Unit unit) {
    if (!unit.isUser()) {
      return unit.noun();
    }
    if (task.get("userColumn") instanceof String column) {
      return BudgetFile.usersOf(column);
    }
    return task.get("userFile") instanceof String file
        ? "user (file " + Path.of(file).getFileName() + ")"
        : "user (simulated)";
  }

  Map<String, @Nullable Object> json() {
    Map<String, @Nullable Object> json = new LinkedHashMap<>();
    json.put("version", version);
    json.put("started", started);
    json.put("command", command);
    json.put("delta", delta);
    json.put("populationDeclared", populationDeclared);
    json.put("schemaDeclared", schemaDeclared);
    json.put("baseline", baseline);
    json.put("budgetFile", budgetFile);
    json.put("task", task);
    return json;
  }

  static RunInfo ofJson(Path file, String text) {
    try {
      Map<String, @Nullable Object> json = Json.readObject(text);
      return new RunInfo(
          (String) value(json, "version"),
          (String) value(json, "started"),
          (String) value(json, "command"),
          ((Number) value(json, "delta")).doubleValue(),
          (Boolean) value(json, "populationDeclared"),
          (Boolean) value(json, "schemaDeclared"),
          (Boolean) value(json, "baseline"),
          (String) json.get("budgetFile"),
          object(value(json, "task")));
    } catch (IllegalArgumentException | ClassCastException e) {
      throw new RunDamagedException(
          file + " is damaged: " + e.getMessage() + "; restore it from a copy");
    }
  }

  private static Object value(Map<String, @Nullable Object> json, String name) {
    Object value = json.get(name);
    if (value == null) {
      throw new IllegalArgumentException(name + " is missing");
    }
    return value;
  }

  @SuppressWarnings("unchecked") // objects that Json reads have strings for names
  private static Map<String, @Nullable Object> object(Object value) {
    return (Map<String, @Nullable Object>) value;
  }
}
