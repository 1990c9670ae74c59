package org.sordino.run;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.sordino.Neighboring;
import org.sordino.PrivacyBudget;
import org.sordino.PrivacyEvent;
import org.sordino.accounting.Bracket;
import org.sordino.accounting.RenyiFilter;
import org.sordino.accounting.TightAccountant;
import org.sordino.json.Json;
import org.sordino.json.JsonObject;
import org.sordino.report.AccountedRun;
import org.sordino.report.Decimals;

/**
 * The content of a budget file: the limit on the total cost of all runs on the same data, and the
 * runs charged so far.
 *
 * <p>Later runs are chosen after seeing the results of earlier ones, which ordinary composition
 * does not cover. A {@link RenyiFilter} therefore determines whether a run fits. {@link #tight}
 * gives the exact cost of the same runs under the assumption that all of them were fixed in
 * advance.
 *
 * @param filter determines whether a run fits
 * @param data description of the records, shown to people
 * @param runs runs in the order of their reservations
 */
public record BudgetContents(RenyiFilter filter, String data, List<Entry> runs) {

  private static final List<String> FIELDS =
      List.of("budget", "version", "epsilon", "delta", "neighbouring", "data", "order", "runs");

  /** The state of a run in the budget. */
  public enum State {
    /** The run is charged as planned. */
    PLANNED,
    /** The run is settled and charged as executed. */
    EXECUTED;

    /** Returns the state as it is spelled in the file. */
    public String spelling() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /**
   * One run in the budget.
   *
   * @param id unique identifier
   * @param directory directory of the run
   * @param event what the run is charged for: its plan until it is settled, then what it executed
   * @param state whether the run is settled
   * @param unit protected unit, such as an example or a user; empty in files of earlier builds
   */
  public record Entry(String id, String directory, PrivacyEvent event, State state, String unit) {

    /** Returns the JSON form of the entry. */
    public Map<String, @Nullable Object> json() {
      Map<String, @Nullable Object> json = new LinkedHashMap<>();
      json.put("id", id);
      json.put("directory", directory);
      json.put("event", Json.readObject(event.toJson()));
      json.put("state", state.spelling());
      json.put("unit", unit);
      return json;
    }
  }

  public BudgetContents {
    runs = List.copyOf(runs);
  }

  /** Returns a budget without runs. */
  static BudgetContents of(PrivacyBudget limit, Neighboring neighboring, String data) {
    try {
      return new BudgetContents(RenyiFilter.of(limit, neighboring), data, List.of());
    } catch (IllegalArgumentException e) {
      throw new InvalidInputException(String.valueOf(e.getMessage()));
    }
  }

  /** Returns the limit on the total cost of all runs. */
  public PrivacyBudget limit() {
    return filter.limit();
  }

  /** Returns the neighboring relation of all runs. */
  public Neighboring neighboring() {
    return filter.neighboring();
  }

  /** Returns the order of the Renyi divergence that the filter sums up. */
  public double order() {
    return filter.order();
  }

  /** Returns the protected unit of the runs, or {@code record} before the first run. */
  public String unit() {
    return runs.stream()
        .map(Entry::unit)
        .filter(unit -> !unit.isEmpty())
        .findFirst()
        .orElse("record");
  }

  BudgetContents reserve(String id, String directory, PrivacyEvent planned, String unit) {
    List<Entry> others = new ArrayList<>();
    for (Entry run : runs) {
      if (!run.unit.isEmpty() && !run.unit.equals(unit)) {
        throw new InvalidInputException(
            "all runs of a budget must protect the same unit, got "
                + unit
                + " after "
                + run.unit
                + "; use another budget");
      }
      if (run.id.equals(id)) {
        throw new InvalidInputException(
            "the run ID must be new, got " + id + ", which the budget already contains");
      }
      others.add(run);
    }
    others.add(new Entry(id, directory, planned, State.PLANNED, unit));
    return affordable(others, planned);
  }

  /** Replaces the reserved cost of a run that is not settled. */
  BudgetContents recount(String id, PrivacyEvent all) {
    Entry known = find(id);
    if (known.state != State.PLANNED) {
      throw new InvalidInputException(
          "a run must not be settled when its cost is recounted, got the settled run " + id);
    }
    return affordable(replacing(known, all, State.PLANNED), all);
  }

  private Entry find(String id) {
    return runs.stream()
        .filter(run -> run.id.equals(id))
        .findFirst()
        .orElseThrow(
            () -> new InvalidInputException("the budget does not contain a run with the ID " + id));
  }

  private List<Entry> replacing(Entry known, PrivacyEvent event, State state) {
    Entry next = new Entry(known.id, known.directory, event, state, known.unit);
    return runs.stream().map(run -> run.equals(known) ? next : run).toList();
  }

  private BudgetContents affordable(List<Entry> all, PrivacyEvent latest) {
    BudgetContents next = new BudgetContents(filter, data, all);
    if (!filter.admits(next.event())) {
      throw refused(next, latest);
    }
    return next;
  }

  private BudgetRefusedException refused(BudgetContents next, PrivacyEvent planned) {
    double fits = filter.fittingShare(event(), planned);
    return new BudgetRefusedException(
        ("the run exceeds the budget of epsilon %s at delta %s: the spent epsilon would be %s with"
                + " this run and is %s without it (Renyi filter of order %s; exact composition with"
                + " this run: %s); %s")
            .formatted(
                Decimals.plain(limit().epsilon()),
                Decimals.plain(limit().delta()),
                Decimals.up(next.spent(), 4),
                Decimals.up(spent(), 4),
                Decimals.plain(order()),
                Decimals.up(next.tight().upper(), 4),
                fits > 0.01
                    ? "about "
                        + (long) (100 * fits)
                        + "% of its steps fit; train fewer steps or use more noise"
                    : "less than 1% of its steps fit, so the budget is too small for this run or"
                        + " exhausted"));
  }

  BudgetContents settle(String id, PrivacyEvent executed) {
    List<Entry> settled = replacing(find(id), executed, State.EXECUTED);
    return new BudgetContents(filter, data, settled);
  }

  /** Returns the composition of everything that was executed or is reserved. */
  public PrivacyEvent event() {
    return new PrivacyEvent.Composition(runs.stream().map(Entry::event).toList());
  }

  /**
   * Returns the spent epsilon by the filter, rounded up; 0 before the first run. This is the number
   * that determines whether another run fits.
   */
  public double spent() {
    return filter.spent(event());
  }

  /**
   * Returns the share of the budget that is left, in [0, 1]. Shares are proportional to Renyi
   * divergence, so the shares of several runs add up; epsilons do not.
   */
  public double left() {
    return filter.shareLeft(event());
  }

  /** Returns the exact epsilon of the same runs if all of them had been fixed in advance. */
  public Bracket tight() {
    return TightAccountant.of(neighboring()).epsilonBracket(event(), limit().delta());
  }

  /** Returns the JSON form, which is the content of the file. */
  public Map<String, @Nullable Object> json() {
    Map<String, @Nullable Object> json = new LinkedHashMap<>();
    json.put("budget", "sordino");
    json.put("version", 1L);
    json.put("epsilon", limit().epsilon());
    json.put("delta", limit().delta());
    json.put("neighbouring", AccountedRun.spelling(neighboring()));
    json.put("data", data);
    json.put("order", order());
    json.put("runs", runs.stream().map(Entry::json).toList());
    return json;
  }

  String toJson() {
    return Json.writePretty(json());
  }

  /**
   * Parses the output of {@link #toJson}. Unknown fields are rejected, because they could change
   * the meaning of the others.
   *
   * @throws IllegalArgumentException if the text is not a valid budget
   */
  static BudgetContents fromJson(String text) {
    JsonObject json = JsonObject.read("", text).only(FIELDS);
    if (!"sordino".equals(json.fields().get("budget"))
        || !Long.valueOf(1).equals(json.fields().get("version"))) {
      throw new IllegalArgumentException(
          "it is not a Sordino budget file, or it was written by a newer version");
    }
    return new BudgetContents(
        new RenyiFilter(
            new PrivacyBudget(json.finite("epsilon"), json.finite("delta")),
            neighboring(json),
            json.finite("order")),
        json.text("data"),
        json.objects("runs").stream().map(BudgetContents::run).toList());
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

  private static Entry run(JsonObject json) {
    return new Entry(
        json.text("id"),
        json.text("directory"),
        PrivacyEvent.fromJson(json.object("event").toJson()),
        json.choice(State.class, "state"),
        json.text("unit", ""));
  }
}
