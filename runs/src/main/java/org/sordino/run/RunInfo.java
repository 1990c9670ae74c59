package org.sordino.run;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.sordino.json.JsonObject;
import org.sordino.training.Unit;

/**
 * Facts about a run in addition to its plan, stored as {@code run.json}.
 *
 * @param version version of Sordino
 * @param started start time in UTC
 * @param command command line without secrets; for a run from Java, the caller's description
 * @param delta delta at which the guarantee is stated
 * @param declared facts about the records that were declared instead of computed from them
 * @param baseline whether a model without privacy is trained for comparison
 * @param budgetFile budget file that the run is charged to, or null
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
   * Which facts about the records were declared publicly. The others were computed from the
   * records, outside the guarantee.
   *
   * @param population whether the number of records was declared
   * @param schema whether bounds, categories and classes were declared
   */
  record Declared(boolean population, boolean schema) {}

  /**
   * Returns the noun of the protected unit and, for users, the column or file that identifies them.
   */
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
