package org.sordino.run;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.sordino.json.JsonObject;
import org.sordino.training.Unit;

/**
 * What was trained on what: the part of a run that is not its plan, stored as {@code run.json}.
 *
 * @param version the version of Sordino
 * @param started when the run began, in UTC
 * @param command the command line, without secrets; for a run from Java, the caller's description
 * @param delta the delta at which the guarantee is stated
 * @param declared which facts about the records were declared instead of computed from them
 * @param baseline whether a model without privacy is trained for comparison
 * @param budgetFile the budget that the run draws from, or null
 * @param task model and data
 */
record RunInfo(
    String version,
    String started,
    String command,
    double delta,
    Declared declared,
    boolean baseline,
    @Nullable String budgetFile,
    TaskInfo task) {

  /**
   * Which facts about the records are public declarations. The others were computed from the
   * records, outside the guarantee.
   *
   * @param population the number of records
   * @param schema bounds, categories and classes
   */
  record Declared(boolean population, boolean schema) {}

  /** What one record is and, for users, which column or file identifies them. */
  String owner(Unit unit) {
    if (!unit.isUser()) {
      return unit.noun();
    }
    String column = task.userColumn();
    if (column != null) {
      return BudgetFile.usersOf(column);
    }
    String file = task.userFile();
    return file == null ? "user (simulated)" : "user (file " + Path.of(file).getFileName() + ")";
  }

  Map<String, @Nullable Object> json() {
    Map<String, @Nullable Object> json = new LinkedHashMap<>();
    json.put("version", version);
    json.put("started", started);
    json.put("command", command);
    json.put("delta", delta);
    json.put("populationDeclared", declared.population);
    json.put("schemaDeclared", declared.schema);
    json.put("baseline", baseline);
    json.put("budgetFile", budgetFile);
    json.put("task", task.json());
    return json;
  }

  /**
   * Reads {@code run.json}.
   *
   * @throws RunDamagedException if a field is missing or has the wrong type
   */
  static RunInfo ofJson(Path file, String text) {
    try {
      JsonObject json = JsonObject.read("", text);
      return new RunInfo(
          json.text("version"),
          json.text("started"),
          json.text("command"),
          json.finite("delta"),
          new Declared(json.bool("populationDeclared"), json.bool("schemaDeclared")),
          json.bool("baseline"),
          json.optionalText("budgetFile"),
          TaskInfo.of(json.object("task").fields()));
    } catch (RuntimeException e) {
      throw new RunDamagedException(
          file + " is damaged: " + e.getMessage() + "; restore it from a copy");
    }
  }
}
