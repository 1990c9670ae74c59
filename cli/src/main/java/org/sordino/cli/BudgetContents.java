package org.sordino.cli;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.sordino.Neighbouring;
import org.sordino.PrivacyBudget;
import org.sordino.PrivacyEvent;
import org.sordino.accounting.Bracket;
import org.sordino.accounting.RdpAccountant;
import org.sordino.accounting.TightAccountant;
import org.sordino.json.Json;

/**
 * What all runs on the same data may cost together, and what they did.
 *
 * <p>Later runs are chosen after a look at earlier ones, and ordinary composition does not cover
 * that. A Renyi filter does (Feldman and Zrnic 2021, arXiv:2008.11193; Lecuyer 2021,
 * arXiv:2103.01379): stop before the divergences of one order alpha, fixed in advance, exceed a
 * bound. So alpha is a function of the budget alone, chosen when it is made. The tight sum is shown
 * beside it; it is what the runs would cost had all of them been fixed beforehand.
 *
 * @param limit the budget
 * @param neighbouring which data sets must look alike
 * @param data what the records are, for people
 * @param order alpha
 * @param runs in the order of their reservation
 */
record BudgetContents(
    PrivacyBudget limit, Neighbouring neighbouring, String data, double order, List<Run> runs) {

  private static final Set<String> FIELDS =
      Set.of("budget", "version", "epsilon", "delta", "neighbouring", "data", "order", "runs");

  /** Whether a run has ended. */
  enum State {
    PLANNED,
    EXECUTED;

    String spelling() {
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
  record Run(String id, String directory, PrivacyEvent event, State state, String unit) {

    Map<String, @Nullable Object> json() {
      Map<String, @Nullable Object> json = new LinkedHashMap<>();
      json.put("id", id);
      json.put("directory", directory);
      json.put("event", Json.readObject(event.toJson()));
      json.put("state", state.spelling());
      json.put("unit", unit);
      return json;
    }
  }

  BudgetContents {
    runs = List.copyOf(runs);
    if (!(order > 1 && order < Double.POSITIVE_INFINITY)) {
      throw new IllegalArgumentException("order must be above 1 and finite, got " + order);
    }
  }

  /** A budget that nothing has been taken from. */
  static BudgetContents of(PrivacyBudget limit, Neighbouring neighbouring, String data) {
    return new BudgetContents(limit, neighbouring, data, order(limit), List.of());
  }

  /**
   * The order that leaves most room for many small steps, which behave like plain Gaussians: with
   * RDP = alpha rho, the largest rho that the budget allows.
   */
  private static double order(PrivacyBudget limit) {
    double best = 2;
    double most = Double.NEGATIVE_INFINITY;
    for (int i = 1; i <= 1200; i++) {
      double order = 1 + Math.pow(10, i / 200.0 - 2); // up to 10,000
      double rho = allowed(limit, order) / order;
      if (rho > most) {
        most = rho;
        best = order;
      }
    }
    if (!(most > 0)) {
      throw new InvalidInputException(
          "epsilon of a budget must be larger at this delta, got "
              + limit.epsilon()
              + "; the filter has room for nothing");
    }
    return Math.rint(best * 1000) / 1000;
  }

  /** What is added to RDP to get epsilon (Canonne, Kamath and Steinke 2020, proposition 12). */
  private static double conversion(double order, double delta) {
    return Math.log1p(-1 / order) - (Math.log(delta) + Math.log(order)) / (order - 1);
  }

  /** What its runs protect, as far as there are any. */
  String unit() {
    return runs.stream()
        .map(Run::unit)
        .filter(unit -> !unit.isEmpty())
        .findFirst()
        .orElse("record");
  }

  BudgetContents reserve(String id, String directory, PrivacyEvent planned, String unit) {
    List<Run> others = new ArrayList<>();
    for (Run run : runs) {
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
    others.add(new Run(id, directory, planned, State.PLANNED, unit));
    return affordable(others, planned);
  }

  /** Replaces what a run that has not ended was expected to cost. */
  BudgetContents recount(String id, PrivacyEvent all) {
    Run known = find(id);
    if (known.state != State.PLANNED) {
      throw new InvalidInputException("a run must not have ended to be counted again, got " + id);
    }
    return affordable(replacing(known, all, State.PLANNED), all);
  }

  private Run find(String id) {
    return runs.stream()
        .filter(run -> run.id.equals(id))
        .findFirst()
        .orElseThrow(() -> new InvalidInputException("a run must be in the budget, got " + id));
  }

  private List<Run> replacing(Run known, PrivacyEvent event, State state) {
    Run next = new Run(known.id, known.directory, event, state, known.unit);
    return runs.stream().map(run -> run.equals(known) ? next : run).toList();
  }

  private BudgetContents affordable(List<Run> all, PrivacyEvent latest) {
    BudgetContents next = new BudgetContents(limit, neighbouring, data, order, all);
    if (!(next.spent() <= limit.epsilon())) {
      throw refused(next, latest);
    }
    return next;
  }

  private BudgetRefusedException refused(BudgetContents next, PrivacyEvent planned) {
    double fits = room() / RdpAccountant.of(neighbouring).rdp(planned, order);
    return new BudgetRefusedException(
        ("the run must fit into the budget of epsilon %s at delta %s, got a sum of %s with it and %s"
                + " without it (Renyi filter of order %s; the tight sum would be %s); %s")
            .formatted(
                Numbers.plain(limit.epsilon()),
                Numbers.plain(limit.delta()),
                Numbers.up(next.spent(), 4),
                Numbers.up(spent(), 4),
                Numbers.plain(order),
                Numbers.up(next.tight().upper(), 4),
                fits > 0.01
                    ? "about " + (long) (100 * fits) + " % of its steps fit, or use more noise"
                    : "nothing is left for these records"));
  }

  BudgetContents settle(String id, PrivacyEvent executed) {
    List<Run> settled = replacing(find(id), executed, State.EXECUTED);
    return new BudgetContents(limit, neighbouring, data, order, settled);
  }

  /** All that was done or may be done. */
  PrivacyEvent event() {
    return new PrivacyEvent.Composition(runs.stream().map(Run::event).toList());
  }

  /** The epsilon that the filter counts, which decides; 0 before the first run. */
  double spent() {
    return RdpAccountant.of(neighbouring).epsilonAtOrder(event(), limit.delta(), order);
  }

  /** The divergence of the fixed order that further runs may have; at least 0. */
  private double room() {
    double used = RdpAccountant.of(neighbouring).rdp(event(), order);
    return Math.max(0, allowed(limit, order) - used);
  }

  /** The share of the budget that is left, in units that add up over runs. */
  double left() {
    return room() / allowed(limit, order);
  }

  /** The largest divergence of this order that the budget allows. */
  private static double allowed(PrivacyBudget limit, double order) {
    return limit.epsilon() - conversion(order, limit.delta());
  }

  /** The exact epsilon of the same runs, had they been fixed beforehand. */
  Bracket tight() {
    return TightAccountant.of(neighbouring).epsilonBracket(event(), limit.delta());
  }

  Map<String, @Nullable Object> json() {
    Map<String, @Nullable Object> json = new LinkedHashMap<>();
    json.put("budget", "sordino");
    json.put("version", 1L);
    json.put("epsilon", limit.epsilon());
    json.put("delta", limit.delta());
    json.put("neighbouring", AccountedRun.spelling(neighbouring));
    json.put("data", data);
    json.put("order", order);
    json.put("runs", runs.stream().map(Run::json).toList());
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
    Map<String, @Nullable Object> json = Json.readObject(text);
    for (String field : json.keySet()) {
      if (!FIELDS.contains(field)) {
        throw new IllegalArgumentException("it has the unknown field " + field);
      }
    }
    if (!"sordino".equals(json.get("budget")) || !Long.valueOf(1).equals(json.get("version"))) {
      throw new IllegalArgumentException("it is no budget of Sordino, or of a newer version");
    }
    if (!(json.get("runs") instanceof List<?> list)) {
      throw new IllegalArgumentException("runs must be a list");
    }
    return new BudgetContents(
        new PrivacyBudget(number(json, "epsilon"), number(json, "delta")),
        neighbouring(json),
        text(json, "data"),
        number(json, "order"),
        list.stream().map(BudgetContents::run).toList());
  }

  private static Neighbouring neighbouring(Map<?, ?> json) {
    String text = text(json, "neighbouring");
    for (Neighbouring relation : Neighbouring.values()) {
      if (AccountedRun.spelling(relation).equals(text)) {
        return relation;
      }
    }
    throw new IllegalArgumentException("neighbouring cannot be " + text);
  }

  private static Run run(@Nullable Object item) {
    if (!(item instanceof Map<?, ?> json) || !(json.get("event") instanceof Map<?, ?> event)) {
      throw new IllegalArgumentException("a run must be an object with an event");
    }
    String state = text(json, "state");
    if (!state.equals(State.PLANNED.spelling()) && !state.equals(State.EXECUTED.spelling())) {
      throw new IllegalArgumentException("state cannot be " + state);
    }
    return new Run(
        text(json, "id"),
        text(json, "directory"),
        PrivacyEvent.fromJson(Json.write(event)),
        State.valueOf(state.toUpperCase(Locale.ROOT)),
        json.get("unit") instanceof String unit ? unit : "");
  }

  private static double number(Map<?, ?> json, String name) {
    if (json.get(name) instanceof Number number && Double.isFinite(number.doubleValue())) {
      return number.doubleValue();
    }
    throw new IllegalArgumentException(name + " must be a number");
  }

  private static String text(Map<?, ?> json, String name) {
    if (json.get(name) instanceof String text) {
      return text;
    }
    throw new IllegalArgumentException(name + " must be a text");
  }
}
