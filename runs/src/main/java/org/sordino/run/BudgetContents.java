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
 * The content of a budget file: what all runs on the same data may cost together, and what they
 * did. Later runs are chosen after a look at earlier ones, which ordinary composition does not
 * cover, so that a {@link RenyiFilter} decides whether a run fits. The exact sum is shown beside
 * it: the cost of the runs had all of them been fixed beforehand.
 *
 * @param filter decides whether a run fits
 * @param data what the records are, for people
 * @param runs in the order of their reservation
 */
public record BudgetContents(RenyiFilter filter, String data, List<Entry> runs) {

  private static final List<String> FIELDS =
      List.of("budget", "version", "epsilon", "delta", "neighbouring", "data", "order", "runs");

  /** Whether a run has ended. */
  public enum State {
    PLANNED,
    EXECUTED;

    public String spelling() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /**
   * One run.
   *
   * @param id its name
   * @param directory where it is
   * @param event what it does: all that was planned until it is settled, then what it did
   * @param state whether it is settled
   * @param unit what it protects: an example, a user; empty in files of earlier builds
   */
  public record Entry(String id, String directory, PrivacyEvent event, State state, String unit) {

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

  /** A budget that nothing was spent from yet. */
  static BudgetContents of(PrivacyBudget limit, Neighboring neighboring, String data) {
    try {
      return new BudgetContents(RenyiFilter.of(limit, neighboring), data, List.of());
    } catch (IllegalArgumentException e) {
      throw new InvalidInputException(String.valueOf(e.getMessage()));
    }
  }

  public PrivacyBudget limit() {
    return filter.limit();
  }

  public Neighboring neighboring() {
    return filter.neighboring();
  }

  public double order() {
    return filter.order();
  }

  /** What its runs protect, as far as there are any. */
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
            "all runs of a budget must protect the same, got one that protects one "
                + unit
                + " after one that protects one "
                + run.unit
                + "; use another budget");
      }
      if (run.id.equals(id)) {
        throw new InvalidInputException(
            "a run must be new to the budget, got " + id + ", which is in it");
      }
      others.add(run);
    }
    others.add(new Entry(id, directory, planned, State.PLANNED, unit));
    return affordable(others, planned);
  }

  /** Replaces what a run that has not ended was expected to cost. */
  BudgetContents recount(String id, PrivacyEvent all) {
    Entry known = find(id);
    if (known.state != State.PLANNED) {
      throw new InvalidInputException("a run must not have ended to be counted again, got " + id);
    }
    return affordable(replacing(known, all, State.PLANNED), all);
  }

  private Entry find(String id) {
    return runs.stream()
        .filter(run -> run.id.equals(id))
        .findFirst()
        .orElseThrow(() -> new InvalidInputException("a run must be in the budget, got " + id));
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
        ("the run must fit into the budget of epsilon %s at delta %s, got a sum of %s with it and %s"
                + " without it (Renyi filter of order %s; the tight sum would be %s); %s")
            .formatted(
                Decimals.plain(limit().epsilon()),
                Decimals.plain(limit().delta()),
                Decimals.up(next.spent(), 4),
                Decimals.up(spent(), 4),
                Decimals.plain(order()),
                Decimals.up(next.tight().upper(), 4),
                fits > 0.01
                    ? "about " + (long) (100 * fits) + " % of its steps fit, or use more noise"
                    : "nothing is left for these records"));
  }

  BudgetContents settle(String id, PrivacyEvent executed) {
    List<Entry> settled = replacing(find(id), executed, State.EXECUTED);
    return new BudgetContents(filter, data, settled);
  }

  /** All that was done or may be done. */
  public PrivacyEvent event() {
    return new PrivacyEvent.Composition(runs.stream().map(Entry::event).toList());
  }

  /** The epsilon that the filter counts, which decides; 0 before the first run. */
  public double spent() {
    return filter.spent(event());
  }

  /** The share of the budget that is left, in units that add up over runs. */
  public double left() {
    return filter.shareLeft(event());
  }

  /** The exact epsilon of the same runs, had they been fixed beforehand. */
  public Bracket tight() {
    return TightAccountant.of(neighboring()).epsilonBracket(event(), limit().delta());
  }

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
   * Reads what {@link #toJson} wrote.
   *
   * @throws IllegalArgumentException if it is anything else; a field that is not known could change
   *     the meaning of the others
   */
  static BudgetContents fromJson(String text) {
    JsonObject json = JsonObject.read("", text).only(FIELDS);
    if (!"sordino".equals(json.fields().get("budget"))
        || !Long.valueOf(1).equals(json.fields().get("version"))) {
      throw new IllegalArgumentException("it is no budget of Sordino, or of a newer version");
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
