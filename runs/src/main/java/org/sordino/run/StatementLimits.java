package org.sordino.run;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.sordino.mechanism.Layout;
import org.sordino.report.Decimals;
import org.sordino.table.QueryWarnings;
import org.sordino.training.Metric;
import org.sordino.training.TrainingPlan;

/** What the guarantee of one particular run does not cover, and what to do about each point. */
final class StatementLimits {

  private final RunInfo info;
  private final TrainingPlan plan;
  private final String unit;
  private final Map<String, String> limits = new LinkedHashMap<>();

  private StatementLimits(RunInfo info, TrainingPlan plan, String unit) {
    this.info = info;
    this.plan = plan;
    this.unit = unit;
  }

  /**
   * Returns the limits that apply to a run: a short name and an explanation for each.
   *
   * @param plan the settings of the run
   * @param unit what is protected, in one word
   */
  static Map<String, String> of(RunInfo info, TrainingPlan plan, String unit) {
    StatementLimits statement = new StatementLimits(info, plan, unit);
    statement.addFacts();
    statement.addQuery();
    statement.addTestRecords();
    statement.addNetwork();
    statement.addPeople();
    statement.addAlways();
    return statement.limits;
  }

  private void addFacts() {
    if (!info.declared().schema()) {
      limits.put(
          "Schema",
          "Column types, ranges, categories and classes were taken from the records without"
              + " noise. Declare them from public knowledge with `--schema`.");
    }
    if (!info.declared().population()) {
      limits.put(
          "Number of records",
          "It was counted in the data without noise and appears in this statement. Declare it from"
              + " public knowledge with `--population`.");
    }
  }

  private void addQuery() {
    String query = info.task().query();
    if (query == null) {
      return;
    }
    List<String> constructs = QueryWarnings.of(query).constructs();
    if (!constructs.isEmpty()) {
      limits.put(
          "Query",
          "One person can change several rows of the result of `%s`, because it uses %s."
                  .formatted(query.strip(), String.join(", ", constructs))
              + " The guarantee covers one row. Select one row per person without these"
              + " constructs.");
    }
  }

  private void addTestRecords() {
    boolean heldOut = info.task().holdout() > 0;
    if (heldOut && !plan.unit().isUser()) {
      limits.put(
          "Test split",
          "Records were held out for testing by their position. The guarantee therefore"
              + " covers replacing a record by an empty one, not deleting it so that later records"
              + " move up. Use a separate test file (`--test`).");
    }
    if (heldOut || info.task().text("test") != null || info.task().schema() == null) {
      limits.put(
          "Test results",
          "Accuracy and other results on test records, and learning curves, were"
              + " computed without noise. This statement contains none of them; publish them only"
              + " if the test records need no protection.");
    }
    if (info.baseline()) {
      limits.put(
          "Comparison model",
          "A model without privacy was trained on the same records. Nothing that"
              + " was computed with it is covered; do not publish it, or train without"
              + " `--baseline`.");
    }
  }

  private void addNetwork() {
    if (!info.task().isNetwork()) {
      return;
    }
    if (info.task().engine() != null && !plan.unit().isUser()) {
      limits.put(
          "Partitions",
          "Records were assigned to partitions by their position, and the"
              + " floating-point sums of a network depend on the partition. The guarantee"
              + " therefore covers replacing a record by an empty one. Train on one machine to"
              + " remove this limit.");
    }
    if (hasDiscontinuousMetrics()) {
      limits.put(
          "Metrics",
          "The private metrics accuracy and unclipped of a network jump where a value"
              + " crosses a threshold. The guarantee does not account for one record making"
              + " another record cross it through rounding. Train without these metrics and"
              + " without adaptive clipping to remove this limit.");
    }
  }

  private boolean hasDiscontinuousMetrics() {
    return plan.mechanism().layout().vectors(Layout.Role.METRIC).stream()
        .map(Layout.Vector::name)
        .anyMatch(
            name ->
                name.equals(Metric.Kind.ACCURACY.vector())
                    || name.equals(Metric.Kind.UNCLIPPED.vector()));
  }

  private void addPeople() {
    long simulated = info.task().simulatedUsers();
    if (simulated > 0) {
      limits.put(
          "Simulated users",
          "Examples were assigned to %s users at random with public randomness."
                  .formatted(Decimals.grouped(simulated))
              + " The guarantee covers these simulated users, not people. Use real user IDs.");
    }
    if (!plan.unit().isUser()) {
      limits.put(
          "People with several records",
          "They are protected less, because protection is per %s.".formatted(unit)
              + " `sordino account --ledger ledger.jsonl --group K` computes epsilon for K records;"
              + " `--unit user` protects each person as a whole.");
    }
  }

  private void addAlways() {
    limits.put(
        "Hyperparameters",
        "If settings were chosen by trying them on the same records, that choice"
            + " has a privacy cost that is not included. Choose them on public data.");
    String budget = info.budgetFile();
    limits.put(
        "Other releases",
        budget == null
            ? "Other runs and releases from the same records add to the privacy cost. Use one budget"
                + " file for all of them (`--budget-file`)."
            : "Releases from the same records that are not counted in `%s` add to the privacy cost."
                    .formatted(Path.of(budget).getFileName())
                + " Use this budget file for all of them.");
    limits.put(
        "General facts",
        "Differential privacy hides who took part. It does not hide what is true of"
            + " the population.");
    limits.put(
        "Access to the training computer",
        "The guarantee does not hold against anyone who could observe the training process (its"
            + " memory, timing or error messages), or read the key of an unfinished run or the"
            + " records themselves.");
  }
}
