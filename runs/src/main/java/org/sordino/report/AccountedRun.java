package org.sordino.report;

import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.sordino.Neighboring;
import org.sordino.PrivacyEvent;

/** Something done to records, planned or executed, that accountants can be asked about. */
public interface AccountedRun {

  /** All of it. */
  PrivacyEvent event();

  /** What had been done after so many of its steps. */
  PrivacyEvent after(long steps);

  /** How many steps it has. */
  long steps();

  /** Which data sets must look alike. */
  Neighboring neighboring();

  /** How many records one person owns at most. */
  int records();

  /** In words. */
  String describe();

  Map<String, @Nullable Object> json();

  /** Why no guarantee follows, although a cost can be computed; null if one does. */
  default @Nullable String flaw() {
    return null;
  }

  /** What is protected, in one word. */
  default String unit() {
    return "record";
  }

  /** The relation in words. */
  default String relation() {
    String units = unit() + (unit().endsWith("h") ? "es" : "s");
    String who =
        records() == 1 ? "one " + unit() : "up to " + Decimals.grouped(records()) + " " + units;
    return relation(who, neighboring());
  }

  /** Who is in one of two neighboring data sets, in words. */
  static String relation(String who, Neighboring neighboring) {
    return switch (neighboring) {
      case ADD_OR_REMOVE_ONE -> who + " added or removed";
      case REPLACE_ONE -> who + " replaced";
    };
  }

  /** The relation in JSON. */
  static String spelling(Neighboring neighboring) {
    return neighboring == Neighboring.REPLACE_ONE ? "replace-one" : "add-remove";
  }
}
