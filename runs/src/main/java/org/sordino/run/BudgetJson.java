package org.sordino.run;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.sordino.Neighboring;
import org.sordino.PrivacyBudget;
import org.sordino.PrivacyEvent;
import org.sordino.accounting.ForeignRelease;
import org.sordino.accounting.GdpFilter;
import org.sordino.accounting.PrivacyFilter;
import org.sordino.accounting.RenyiFilter;
import org.sordino.json.JsonObject;
import org.sordino.report.AccountedRun;

/**
 * The JSON form of {@link BudgetContents}. Version 1 has a Renyi filter; version 2 names its
 * filter. Unknown fields are rejected, because they could change the meaning of the others.
 */
final class BudgetJson {

  private static final String GDP = "gdp";

  private static final List<String> FIELDS_1 =
      List.of("budget", "version", "epsilon", "delta", "neighbouring", "data", "order", "runs");

  private static final List<String> FIELDS_2 =
      List.of(
          "budget",
          "version",
          "filter",
          "epsilon",
          "delta",
          "foreignEpsilon",
          "foreignDelta",
          "neighbouring",
          "data",
          "runs",
          "releases");

  private BudgetJson() {}

  static Map<String, @Nullable Object> of(BudgetContents budget) {
    Map<String, @Nullable Object> json = new LinkedHashMap<>();
    boolean gdp = budget.filter() instanceof GdpFilter;
    json.put("budget", "sordino");
    json.put("version", gdp ? 2L : 1L);
    if (gdp) {
      json.put("filter", GDP);
    }
    json.put("epsilon", budget.limit().epsilon());
    json.put("delta", budget.limit().delta());
    if (gdp) {
      json.put("foreignEpsilon", budget.foreign().epsilon());
      json.put("foreignDelta", budget.foreign().delta());
    }
    json.put("neighbouring", AccountedRun.spelling(budget.neighboring()));
    json.put("data", budget.data());
    if (budget.filter() instanceof RenyiFilter renyi) {
      json.put("order", renyi.order());
    }
    json.put("runs", budget.runs().stream().map(BudgetContents.Entry::json).toList());
    if (gdp) {
      json.put("releases", budget.releases().stream().map(BudgetContents.Release::json).toList());
    }
    return json;
  }

  /**
   * Parses the output of {@link #of}.
   *
   * @throws IllegalArgumentException if the text is not a valid budget
   */
  static BudgetContents read(String text) {
    JsonObject json = JsonObject.read("", text);
    Object version = json.fields().get("version");
    boolean old = Long.valueOf(1).equals(version);
    if (!"sordino".equals(json.fields().get("budget"))
        || !(old || Long.valueOf(2).equals(version) && GDP.equals(json.fields().get("filter")))) {
      throw new IllegalArgumentException(
          "it is not a Sordino budget file, or it was written by a newer version");
    }
    json.only(old ? FIELDS_1 : FIELDS_2);
    return new BudgetContents(
        old ? renyi(json) : gdp(json),
        json.text("data"),
        json.objects("runs").stream().map(run -> run(run, old)).toList(),
        old ? List.of() : json.objects("releases").stream().map(BudgetJson::release).toList());
  }

  private static PrivacyFilter renyi(JsonObject json) {
    return new RenyiFilter(limit(json), neighboring(json), json.finite("order"));
  }

  private static PrivacyFilter gdp(JsonObject json) {
    return new GdpFilter(
        limit(json),
        neighboring(json),
        new PrivacyBudget(json.finite("foreignEpsilon"), json.finite("foreignDelta")));
  }

  private static PrivacyBudget limit(JsonObject json) {
    return new PrivacyBudget(json.finite("epsilon"), json.finite("delta"));
  }

  private static Neighboring neighboring(JsonObject json) {
    String text = json.text("neighbouring");
    for (Neighboring relation : Neighboring.values()) {
      if (AccountedRun.spelling(relation).equals(text)) {
        return relation;
      }
    }
    throw json.wrong("neighbouring", "a neighboring relation");
  }

  private static BudgetContents.Entry run(JsonObject json, boolean old) {
    List<BudgetContents.Charge> charges =
        old ? List.of() : json.objects("charges").stream().map(BudgetJson::charge).toList();
    if (!old && charges.isEmpty()) {
      throw json.wrong("charges", "a list with at least one charge");
    }
    return new BudgetContents.Entry(
        json.text("id"),
        json.text("directory"),
        PrivacyEvent.fromJson(json.object("event").toJson()),
        json.choice(BudgetContents.State.class, "state"),
        json.text("unit", ""),
        charges);
  }

  private static BudgetContents.Charge charge(JsonObject json) {
    json.only(List.of("event", "index", "mu"));
    return new BudgetContents.Charge(
        PrivacyEvent.fromJson(json.object("event").toJson()),
        json.integer("index"),
        json.finite("mu"));
  }

  private static BudgetContents.Release release(JsonObject json) {
    json.only(List.of("description", "epsilon", "delta", "mu"));
    return new BudgetContents.Release(
        json.text("description"),
        new ForeignRelease(json.finite("epsilon"), json.finite("delta"), json.finite("mu")));
  }
}
