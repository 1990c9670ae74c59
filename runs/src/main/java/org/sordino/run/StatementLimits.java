package org.sordino.run;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.sordino.mechanism.Layout;
import org.sordino.report.Decimals;
import org.sordino.table.QueryWarnings;
import org.sordino.training.Metric;
import org.sordino.training.TrainingPlan;

/** What a guarantee does not cover, said plainly where the guarantee is stated. */
final class StatementLimits {

  private StatementLimits() {}

  /**
   * The limits of a run.
   *
   * @param plan what was decided
   * @param unit what is protected
   */
  static List<String> of(RunInfo info, TrainingPlan plan, String unit) {
    List<String> limits = new ArrayList<>();
    limits.add(
        info.declared().schema()
            ? "The schema (bounds, categories, classes) was declared. If it was made by looking at"
                + " these records, that look is not covered."
            : "The schema (bounds, categories, classes) was taken from the records, outside the"
                + " guarantee. Declare it from public knowledge to close this gap.");
    limits.add(
        info.declared().population()
            ? "The number of records was declared. It is public, and not hidden by anything here."
            : "The number of records was counted in the file, outside the guarantee, and is public"
                + " now. Declare it to close this gap.");
    addQuery(limits, info.task().query());
    boolean heldOut = info.task().holdout() > 0;
    if (heldOut && plan.unit().isUser()) {
      limits.add(
          "Users were set aside for testing with all their examples, by public coins that depend on"
              + " the user's name.");
    } else if (heldOut) {
      limits.add(
          "Records were set aside for testing by public coins that depend on the position in the"
              + " file. The guarantee is about a record whose place is left empty.");
    }
    boolean network = info.task().isNetwork();
    if (network && info.task().engine() != null && !plan.unit().isUser()) {
      limits.add(
          "The records were cut into partitions in their order, and a network's float sums depend on"
              + " the cuts. The guarantee is about a record whose place is left empty.");
    }
    if (network && notesJumps(plan)) {
      limits.add(
          "The private metrics accuracy and unclipped jump where a network's numbers cross a limit."
              + " That another record may cross it by a last bit is not accounted for.");
    }
    if (info.baseline()) {
      limits.add(
          "A model without privacy was trained on the same records, for comparison. Nothing that"
              + " comes from it is covered.");
    }
    long simulated = info.task().simulatedUsers();
    if (simulated > 0) {
      limits.add(
          "Users were simulated: public coins assigned the examples to %s of them. The guarantee is"
                  .formatted(Decimals.grouped(simulated))
              + " about these, not about people.");
    }
    limits.addAll(always(unit));
    return limits;
  }

  /** A query decides what a record is, and how many of them one person can change. */
  private static void addQuery(List<String> limits, @Nullable String query) {
    if (query == null) {
      return;
    }
    List<String> constructs = QueryWarnings.of(query).constructs();
    limits.add(
        "One record is one row of the query's result: "
            + query.strip()
            + (constructs.isEmpty()
                ? ""
                : ". It uses "
                    + String.join(", ", constructs)
                    + ", by which one person can change several rows of the result; the guarantee"
                    + " covers one row. Select one row per person, without these, to close this"
                    + " gap"));
  }

  private static boolean notesJumps(TrainingPlan plan) {
    return plan.mechanism().layout().vectors(Layout.Role.METRIC).stream()
        .map(Layout.Vector::name)
        .anyMatch(
            name ->
                name.equals(Metric.Kind.ACCURACY.vector())
                    || name.equals(Metric.Kind.UNCLIPPED.vector()));
  }

  private static List<String> always(String unit) {
    return List.of(
        "Numbers computed from records without noise (evaluation on held-out or test records,"
            + " learning curves) are not covered, and none of them is in this statement.",
        "Hyper-parameters that were chosen by trying them on the same records cost privacy that is"
            + " not counted here.",
        "Other runs on the same records add to the cost. They are counted together only where a"
            + " budget file was used for all of them.",
        "Whoever is behind several records is protected less; see 'sordino account --group'. One %s"
                .formatted(unit)
            + " is what is protected here.",
        "What the model teaches about everybody, also about people who were not among the records,"
            + " is meant to be learnt and is not hidden.",
        "Who can see the process at work (its memory, its timing, its error messages, the key of an"
            + " unfinished run, the records themselves) is inside the trust boundary.");
  }
}
