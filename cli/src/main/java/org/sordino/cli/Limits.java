package org.sordino.cli;

import java.util.ArrayList;
import java.util.List;

/** What a guarantee does not cover, said plainly where the guarantee is stated. */
final class Limits {

  private Limits() {}

  /**
   * The limits of a run.
   *
   * @param unit what is protected
   */
  static List<String> of(RunInfo info, String unit) {
    List<String> limits = new ArrayList<>();
    limits.add(
        info.schemaDeclared()
            ? "The schema (bounds, categories, classes) was declared. If it was made by looking at"
                + " these records, that look is not covered."
            : "The schema (bounds, categories, classes) was taken from the records, outside the"
                + " guarantee. Declare it from public knowledge to close this gap.");
    limits.add(
        info.populationDeclared()
            ? "The number of records was declared. It is public, and not hidden by anything here."
            : "The number of records was counted in the file, outside the guarantee, and is public"
                + " now. Declare it to close this gap.");
    if (info.task().get("holdout") instanceof Number share && share.doubleValue() > 0) {
      limits.add(
          "Records were set aside for testing by public coins that depend on the position in the"
              + " file. The guarantee is about a record whose place is left empty.");
    }
    if (info.baseline()) {
      limits.add(
          "A model without privacy was trained on the same records, for comparison. Nothing that"
              + " comes from it is covered.");
    }
    limits.addAll(always(unit));
    return limits;
  }

  private static List<String> always(String unit) {
    return List.of(
        "Numbers computed from records without noise (evaluation on held-out or test records,"
            + " learning curves) are not covered, and none of them is in this statement.",
        "Hyper-parameters that were chosen by trying them on the same records cost privacy that is"
            + " not counted here.",
        "Other runs on the same records add to the cost. They are counted together only where a"
            + " budget file was used for all of them.",
        "Whoever owns several records is protected less; see 'sordino account --group'. One %s is"
                .formatted(unit)
            + " what is protected here.",
        "What the model teaches about everybody, also about people who were not among the records,"
            + " is meant to be learnt and is not hidden.",
        "Who can see the process at work (its memory, its timing, its error messages, the key of an"
            + " unfinished run, the records themselves) is inside the trust boundary.");
  }
}
