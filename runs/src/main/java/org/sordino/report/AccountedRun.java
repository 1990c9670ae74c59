package org.sordino.report;

import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.sordino.Neighboring;
import org.sordino.PrivacyEvent;

/** A planned or executed run whose privacy cost can be computed. */
public interface AccountedRun {

  /** Returns the privacy event of the whole run. */
  PrivacyEvent event();

  /** Returns the privacy event of the run up to a number of steps. */
  PrivacyEvent after(long steps);

  /** Returns the number of steps. */
  long steps();

  /** Returns the neighboring relation. */
  Neighboring neighboring();

  /** Returns the maximum number of records per person, the group size for group privacy. */
  int records();

  /** Returns a description for people. */
  String describe();

  /** Returns the JSON form. */
  Map<String, @Nullable Object> json();

  /**
   * Returns the reason why the run has no guarantee although its cost can be computed; null if it
   * has a guarantee.
   */
  default @Nullable String flaw() {
    return null;
  }

  /** Returns the protected unit as a noun. */
  default String unit() {
    return "record";
  }

  /** Returns a description of the neighboring relation, such as {@code one example replaced}. */
  default String relation() {
    String units = unit() + (unit().endsWith("h") ? "es" : "s");
    String who =
        records() == 1 ? "one " + unit() : "up to " + Decimals.grouped(records()) + " " + units;
    return relation(who, neighboring());
  }

  /**
   * Returns a description of a neighboring relation.
   *
   * @param who what the data sets differ in, such as {@code one example}
   * @param neighboring neighboring relation
   */
  static String relation(String who, Neighboring neighboring) {
    return switch (neighboring) {
      case ADD_OR_REMOVE_ONE -> who + " added or removed";
      case REPLACE_ONE -> who + " replaced";
    };
  }

  /** Returns a neighboring relation as it is spelled in JSON. */
  static String spelling(Neighboring neighboring) {
    return neighboring == Neighboring.REPLACE_ONE ? "replace-one" : "add-remove";
  }
}
