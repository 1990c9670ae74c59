package org.sordino.run;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.sordino.Neighboring;
import org.sordino.ledger.Entry;
import org.sordino.mechanism.Layout;
import org.sordino.report.AccountantComparison;
import org.sordino.report.Decimals;
import org.sordino.report.ExecutedRun;
import org.sordino.table.QueryWarnings;
import org.sordino.training.Metric;
import org.sordino.training.TrainingPlan;
import org.sordino.training.Unit;

/**
 * The first part of a privacy statement, for a data-protection officer: what the guarantee of one
 * particular run means, what it does not cover, and what to do about each point.
 */
final class StatementSummary {

  private final RunInfo info;
  private final TrainingPlan plan;
  private final ExecutedRun executed;
  private final AccountantComparison comparison;
  private final String data;
  private final String unit;
  private final String delta;

  StatementSummary(PrivacyStatement statement) {
    this.info = statement.info();
    this.plan = statement.plan();
    this.executed = statement.executed();
    this.comparison = statement.comparison();
    this.data = statement.dataName();
    this.unit = statement.unit();
    this.delta = statement.delta();
  }

  /** Returns the limits that apply to the run: a short name and an explanation for each. */
  Map<String, String> limits() {
    Map<String, String> limits = new LinkedHashMap<>();
    addFacts(limits);
    addQuery(limits);
    addTestRecords(limits);
    addNetwork(limits);
    addPeople(limits);
    addAlways(limits);
    return limits;
  }

  /** Returns the meaning of the guarantee: a question and its answer in each row. */
  Map<String, String> rows() {
    Map<String, String> rows = new LinkedHashMap<>();
    rows.put("What is protected", protection());
    rows.put(
        "Against whom",
        "Anyone who sees the model, this statement and every other file of the run that is not"
            + " marked \"not private\", even if they know every other %s and how this software works"
                .formatted(unit));
    rows.put("How strongly", strength());
    rows.put("What that means", meaning(comparison.attacks().get(1)));
    rows.put("What is included", included());
    rows.put(
        "Basis",
        "The run's ledger, in which every step is recorded before it is executed. "
            + (executed.ledger().finished()
                ? "The run is finished."
                : "The run is not finished and is charged its whole plan."));
    return rows;
  }

  private String protection() {
    String used = " of %s was used for training, and its content".formatted(source());
    return switch (plan.unit().kind()) {
      case EXAMPLE ->
          replacesOne()
              ? "The content of any one example of " + source()
              : "Whether any one example" + used;
      case MICROBATCH -> "Whether any one " + unit + used;
      case USER, USER_UPDATE ->
          replacesOne()
              ? "Everything that any one user contributed to " + source()
              : "Whether any one user of " + source() + " took part, with all of their examples";
    };
  }

  /** Returns where the records are, in words. */
  private String source() {
    if (info.task().query() != null) {
      return "the query result";
    }
    return TableLocation.DEMO.equals(info.task().data()) ? "the synthetic census" : data;
  }

  private boolean replacesOne() {
    return executed.neighboring() == Neighboring.REPLACE_ONE
        && plan.unit().kind() != Unit.Kind.MICROBATCH;
  }

  private String strength() {
    return "Any outcome of training is at most %s times (e^epsilon) as likely with that %s as %s,"
            .formatted(Decimals.up(Math.exp(comparison.guarantee()), 4), unit, absence())
        + " plus a probability of at most %s; the reverse holds too.".formatted(delta);
  }

  private String absence() {
    boolean person = plan.unit().isUser();
    return replacesOne()
        ? "with another one in " + (person ? "their" : "its") + " place"
        : "without " + (person ? "them" : "it");
  }

  private String meaning(AccountantComparison.Attack attack) {
    String pattern =
        replacesOne()
            ? "An attacker tries to find out whether a given %1$s was in the training data or another"
                + " one in its place. An attacker who wrongly answers yes in %2$s of the cases in"
                + " which it was not can correctly answer yes in at most %3$s of the cases in"
                + " which it was. Guessing at random achieves %2$s."
            : plan.unit().isUser()
                ? "An attacker tries to find out which %1$ss took part. If %2$s of those who did not"
                    + " are wrongly accused, at most %3$s of those who did are identified."
                    + " Guessing at random identifies %2$s."
                : "An attacker tries to find out which %1$ss were used. If %2$s of those that were"
                    + " not used are wrongly accused, at most %3$s of those that were used are"
                    + " identified. Guessing at random identifies %2$s.";
    return pattern.formatted(unit, attack.falsePositives(), attack.truePositives());
  }

  private String included() {
    List<String> parts = new ArrayList<>(List.of("Every training step"));
    List<String> queries =
        executed.ledger().entries().stream()
            .filter(Entry.Query.class::isInstance)
            .map(entry -> PlanSummary.displayName(((Entry.Query) entry).name()))
            .distinct()
            .toList();
    if (!queries.isEmpty()) {
      parts.add("the private queries before training (" + String.join(", ", queries) + ")");
    }
    if (!plan.metrics().isEmpty()) {
      parts.add("the private metrics");
    }
    int last = parts.size() - 1;
    return last == 0
        ? parts.get(0)
        : String.join(", ", parts.subList(0, last)) + " and " + parts.get(last);
  }

  private void addFacts(Map<String, String> limits) {
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

  private void addQuery(Map<String, String> limits) {
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

  private void addTestRecords(Map<String, String> limits) {
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

  private void addNetwork(Map<String, String> limits) {
    if (!info.task().isNetwork()) {
      return;
    }
    boolean byContent = TableLocation.BY_CONTENT.equals(info.task().text(TableLocation.PLACEMENT));
    if (info.task().engine() != null && !plan.unit().isUser() && !byContent) {
      limits.put(
          "Partitions",
          "Records were assigned to partitions by their position, and the"
              + " floating-point sums of a network depend on the partition. The guarantee"
              + " therefore covers replacing a record by an empty one. Train a new model with this"
              + " version to remove this limit.");
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

  private void addPeople(Map<String, String> limits) {
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

  private void addAlways(Map<String, String> limits) {
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
