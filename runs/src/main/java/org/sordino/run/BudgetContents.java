package org.sordino.run;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.sordino.Neighboring;
import org.sordino.PrivacyBudget;
import org.sordino.PrivacyEvent;
import org.sordino.accounting.Bracket;
import org.sordino.accounting.ForeignRelease;
import org.sordino.accounting.GdpFilter;
import org.sordino.accounting.PrivacyFilter;
import org.sordino.accounting.RenyiFilter;
import org.sordino.accounting.TightAccountant;
import org.sordino.json.Json;
import org.sordino.report.Decimals;

/**
 * The content of a budget file: the limit on the total cost of all runs on the same data, and the
 * runs and releases charged so far.
 *
 * <p>Later runs are chosen after seeing the results of earlier ones, which ordinary composition
 * does not cover. A {@link PrivacyFilter} therefore determines whether a run fits. New files use
 * {@link GdpFilter}; files of version 0.1 keep {@link RenyiFilter}. {@link #tight} gives the exact
 * cost of the same runs under the assumption that all of them were fixed in advance.
 *
 * @param filter determines whether a run fits
 * @param data description of the records, shown to people
 * @param runs runs in the order of their reservations
 * @param releases releases of other tools; empty with a Renyi filter
 */
public record BudgetContents(
    PrivacyFilter filter, String data, List<Entry> runs, List<Release> releases) {

  /** The state of a run in the budget. */
  public enum State {
    /** The run has not ended. */
    PLANNED,
    /** The run has ended, and its event is what it executed. */
    EXECUTED;

    /** Returns the state as it is spelled in the file. */
    public String spelling() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /**
   * What a {@link GdpFilter} counts for a run: one charge for its plan, and one more for each
   * restart that repeats steps.
   *
   * @param event everything the charge covers, fixed before it was executed
   * @param index which share of delta it has; 0 if it needs none
   * @param mu mu of the event at this share, rounded up
   */
  public record Charge(PrivacyEvent event, long index, double mu) {

    public Charge {
      if (!(index >= 0 && mu >= 0 && mu < Double.POSITIVE_INFINITY)) {
        throw new IllegalArgumentException(
            "index and mu of a charge must be at least 0 and finite, got " + index + " and " + mu);
      }
    }

    private static Charge of(GdpFilter filter, PrivacyEvent event, long index) {
      return new Charge(event, index, Math.min(filter.mu(event, index), Double.MAX_VALUE));
    }

    Map<String, @Nullable Object> json() {
      Map<String, @Nullable Object> json = new LinkedHashMap<>();
      json.put("event", Json.readObject(event.toJson()));
      json.put("index", index);
      json.put("mu", mu);
      return json;
    }
  }

  /**
   * One run in the budget.
   *
   * @param id unique identifier
   * @param directory directory of the run
   * @param event the plan of the run until it is settled, then what it executed. A Renyi filter
   *     counts this event; a GDP filter counts the charges
   * @param state whether the run is settled
   * @param unit protected unit, such as an example or a user; empty in files of earlier builds
   * @param charges what a GDP filter counts; empty with a Renyi filter
   */
  public record Entry(
      String id,
      String directory,
      PrivacyEvent event,
      State state,
      String unit,
      List<Charge> charges) {

    public Entry {
      charges = List.copyOf(charges);
    }

    private Entry with(PrivacyEvent other, State next, List<Charge> counted) {
      return new Entry(id, directory, other, next, unit, counted);
    }

    /** Returns everything that has been charged. */
    private PrivacyEvent charged() {
      return new PrivacyEvent.Composition(charges.stream().map(Charge::event).toList());
    }

    /** Returns the mu of all charges together, rounded up. */
    public double mu() {
      return GdpFilter.total(charges.stream().map(Charge::mu).toList());
    }

    /** Returns the JSON form of the entry. */
    public Map<String, @Nullable Object> json() {
      Map<String, @Nullable Object> json = new LinkedHashMap<>();
      json.put("id", id);
      json.put("directory", directory);
      json.put("event", Json.readObject(event.toJson()));
      json.put("state", state.spelling());
      json.put("unit", unit);
      if (!charges.isEmpty()) {
        json.put("charges", charges.stream().map(Charge::json).toList());
      }
      return json;
    }
  }

  /**
   * A release of another tool, on the same records.
   *
   * @param description what was released, shown to people
   * @param cost what it costs
   */
  public record Release(String description, ForeignRelease cost) {

    Map<String, @Nullable Object> json() {
      Map<String, @Nullable Object> json = new LinkedHashMap<>();
      json.put("description", description);
      json.put("epsilon", cost.epsilon());
      json.put("delta", cost.delta());
      json.put("mu", cost.mu());
      return json;
    }
  }

  public BudgetContents {
    runs = List.copyOf(runs);
    releases = List.copyOf(releases);
  }

  /**
   * Returns a budget without runs.
   *
   * @param foreign the part of the limit reserved for releases of other tools
   */
  static BudgetContents of(
      PrivacyBudget limit, PrivacyBudget foreign, Neighboring neighboring, String data) {
    try {
      GdpFilter filter = new GdpFilter(limit, neighboring, foreign);
      return new BudgetContents(filter, data, List.of(), List.of());
    } catch (IllegalArgumentException e) {
      throw new InvalidInputException(String.valueOf(e.getMessage()));
    }
  }

  /** Returns the limit on the total cost of all runs. */
  public PrivacyBudget limit() {
    return filter.limit();
  }

  /** Returns the part of the limit that is reserved for releases of other tools. */
  public PrivacyBudget foreign() {
    return filter instanceof GdpFilter gdp ? gdp.foreign() : new PrivacyBudget(0, 0);
  }

  /** Returns the neighboring relation of all runs. */
  public Neighboring neighboring() {
    return filter.neighboring();
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
    others.add(new Entry(id, directory, planned, State.PLANNED, unit, charges(List.of(), planned)));
    return affordable(others, planned);
  }

  /** Replaces the reserved cost of a run that is not settled. */
  BudgetContents recount(String id, PrivacyEvent all) {
    Entry known = find(id);
    if (known.state != State.PLANNED) {
      throw new InvalidInputException(
          "a run must not be settled when its cost is recounted, got the settled run " + id);
    }
    PrivacyEvent more = GdpFilter.uncovered(all, known.charged());
    List<Charge> charges = costsNothing(more) ? known.charges : charges(known.charges, more);
    Entry next = known.with(all, State.PLANNED, charges);
    return affordable(replacing(known, next), all);
  }

  /**
   * Adds a charge for an event that is about to be executed. Steps that a restart repeats are a
   * mechanism of their own: which ones they are depends on what happened before.
   */
  private List<Charge> charges(List<Charge> before, PrivacyEvent next) {
    if (!(filter instanceof GdpFilter gdp)) {
      return before;
    }
    long index = GdpFilter.needsShare(next) ? nextIndex() : 0;
    List<Charge> charges = new ArrayList<>(before);
    charges.add(Charge.of(gdp, next, index));
    return charges;
  }

  private static boolean costsNothing(PrivacyEvent event) {
    return event instanceof PrivacyEvent.Composition all && all.events().isEmpty();
  }

  private long nextIndex() {
    return 1 + charges().mapToLong(Charge::index).max().orElse(0);
  }

  private Stream<Charge> charges() {
    return runs.stream().flatMap(run -> run.charges.stream());
  }

  private Entry find(String id) {
    return runs.stream()
        .filter(run -> run.id.equals(id))
        .findFirst()
        .orElseThrow(
            () -> new InvalidInputException("the budget does not contain a run with the ID " + id));
  }

  private List<Entry> replacing(Entry known, Entry next) {
    return runs.stream().map(run -> run.equals(known) ? next : run).toList();
  }

  private BudgetContents with(List<Entry> all) {
    return new BudgetContents(filter, data, all, releases);
  }

  private BudgetContents affordable(List<Entry> all, PrivacyEvent latest) {
    BudgetContents next = with(all);
    if (filter instanceof GdpFilter gdp) {
      next.requireRoom(gdp, this);
    } else if (filter instanceof RenyiFilter renyi && !renyi.admits(next.event())) {
      throw refused(renyi, next, latest);
    }
    return next;
  }

  private void requireRoom(GdpFilter gdp, BudgetContents before) {
    if (!gdp.admits(mu())) {
      double added = Math.sqrt(Math.max(0, mu() * mu() - before.mu() * before.mu()));
      throw new BudgetRefusedException(
          ("the run needs epsilon %s, but the budget has %s left (delta %s). Lower --epsilon, train"
                  + " fewer steps, or add noise.")
              .formatted(
                  Decimals.up(gdp.epsilon(added), 3),
                  Decimals.down(gdp.epsilonLeft(before.mu()), 3),
                  Decimals.plain(limit().delta())));
    }
  }

  private BudgetRefusedException refused(
      RenyiFilter filter, BudgetContents next, PrivacyEvent planned) {
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
                Decimals.plain(filter.order()),
                Decimals.up(next.tight().upper(), 4),
                fits > 0.01
                    ? "about "
                        + (long) (100 * fits)
                        + "% of its steps fit; train fewer steps or use more noise"
                    : "less than 1% of its steps fit, so the budget is too small for this run or"
                        + " exhausted"));
  }

  /**
   * Records what a run executed. A Renyi filter counts it from now on. A GDP filter counts the
   * plan: whether a run was stopped may depend on its results, so its cost is never lowered. Should
   * the run have executed anything that its charges do not cover, all of it is charged.
   */
  BudgetContents settle(String id, PrivacyEvent executed) {
    Entry known = find(id);
    Entry next = known.with(executed, State.EXECUTED, settled(known, executed));
    return with(replacing(known, next));
  }

  private List<Charge> settled(Entry run, PrivacyEvent executed) {
    if (!(filter instanceof GdpFilter gdp)
        || costsNothing(GdpFilter.uncovered(executed, run.charged()))) {
      return run.charges;
    }
    long own =
        run.charges.stream()
            .mapToLong(Charge::index)
            .filter(i -> i > 0)
            .findFirst()
            .orElse(nextIndex());
    long index = GdpFilter.needsShare(executed) ? own : 0;
    Charge whole = Charge.of(gdp, executed, index);
    return whole.mu > run.mu() ? List.of(whole) : run.charges;
  }

  /**
   * Adds a release of another tool.
   *
   * @throws BudgetRefusedException if the budget does not cover it
   */
  BudgetContents add(Release release) {
    if (!(filter instanceof GdpFilter gdp)) {
      throw new InvalidInputException(
          "a budget must use the GDP filter to include releases of other tools, got a budget of"
              + " version 0.1; create a new budget for new data");
    }
    List<Release> more = new ArrayList<>(releases);
    more.add(release);
    BudgetContents next = new BudgetContents(filter, data, runs, more);
    ForeignRelease cost = release.cost();
    if (cost.mu() > 0 && !gdp.admits(next.mu())) {
      throw new BudgetRefusedException(
          "the release needs epsilon %s, but the budget has %s left (delta %s). Add more noise."
              .formatted(
                  Decimals.up(gdp.epsilon(cost.mu()), 3),
                  Decimals.down(gdp.epsilonLeft(mu()), 3),
                  Decimals.plain(limit().delta())));
    }
    if (!gdp.admitsForeign(next.foreignUsed())) {
      throw new BudgetRefusedException(
          ("the release needs epsilon %s and delta %s, but the budget has epsilon %s and delta %s left"
                  + " for releases of other tools. Reserve more with --foreign-epsilon and"
                  + " --foreign-delta when you create a budget.")
              .formatted(
                  Decimals.up(cost.epsilon(), 3),
                  Decimals.up(cost.delta(), 3),
                  Decimals.down(gdp.foreign().epsilon() - foreignUsed().epsilon(), 3),
                  Decimals.down(gdp.foreign().delta() - foreignUsed().delta(), 3)));
    }
    return next;
  }

  /** Returns what releases of other tools have used of the part reserved for them. */
  public PrivacyBudget foreignUsed() {
    return new PrivacyBudget(
        releases.stream().mapToDouble(release -> release.cost().epsilon()).sum(),
        releases.stream().mapToDouble(release -> release.cost().delta()).sum());
  }

  /** Returns the mu that a GDP filter counts, of all runs and releases together, rounded up. */
  private double mu() {
    return GdpFilter.total(
        Stream.concat(
                charges().map(Charge::mu), releases.stream().map(release -> release.cost().mu()))
            .toList());
  }

  /**
   * Returns the composition of everything that was executed or is reserved, except for releases of
   * other tools that are not Gaussian.
   */
  public PrivacyEvent event() {
    double factor = neighboring() == Neighboring.REPLACE_ONE ? 2 : 1;
    Stream<PrivacyEvent> gaussians =
        releases.stream()
            .filter(release -> release.cost().mu() > 0)
            .map(release -> new PrivacyEvent.Gaussian(factor / release.cost().mu()));
    return new PrivacyEvent.Composition(
        Stream.concat(runs.stream().map(Entry::event), gaussians).toList());
  }

  /**
   * Returns the spent epsilon by the filter of this budget, rounded up; 0 before the first run.
   * This is the number that determines whether another run fits. The guarantee of a sequence of
   * runs that were chosen adaptively is the {@link #limit}, not this number.
   */
  public double spent() {
    return filter instanceof RenyiFilter renyi ? renyi.spent(event()) : gdp();
  }

  /**
   * Returns the epsilon that a GDP filter counts, rounded up. For a budget with another filter,
   * this is the epsilon that a new budget would count if the runs had been planned as they were
   * executed.
   */
  public double gdp() {
    return filter instanceof GdpFilter gdp
        ? (gdp.epsilon(mu()) + foreignUsed().epsilon()) * (releases.isEmpty() ? 1 : 1 + 1e-13)
        : recharged().gdp();
  }

  /** Returns these runs in a new budget with a GDP filter, whether they fit or not. */
  private BudgetContents recharged() {
    BudgetContents fresh =
        new BudgetContents(GdpFilter.of(limit(), neighboring()), data, List.of(), List.of());
    for (Entry run : runs) {
      List<Entry> more = new ArrayList<>(fresh.runs);
      more.add(run.with(run.event, run.state, fresh.charges(List.of(), run.event)));
      fresh = fresh.with(more);
    }
    return fresh;
  }

  /**
   * Returns the epsilon that a Renyi filter counts; empty if this budget is too small for one or
   * contains releases of other tools that are not Gaussian.
   */
  public OptionalDouble renyi() {
    if (filter instanceof RenyiFilter renyi) {
      return OptionalDouble.of(renyi.spent(event()));
    }
    if (foreignUsed().epsilon() > 0 || foreignUsed().delta() > 0) {
      return OptionalDouble.empty();
    }
    return RenyiFilter.fits(limit())
        ? OptionalDouble.of(RenyiFilter.of(limit(), neighboring()).spent(event()))
        : OptionalDouble.empty();
  }

  /**
   * Returns the share of the budget for runs that is left, in [0, 1]. Shares are proportional to
   * the squares of mu, or to Renyi divergence, so the shares of several runs add up; epsilons do
   * not.
   */
  public double left() {
    return filter instanceof GdpFilter gdp
        ? gdp.shareLeft(mu())
        : ((RenyiFilter) filter).shareLeft(event());
  }

  /**
   * Returns the epsilon, by a GDP filter, of the largest run that still fits, rounded down; empty
   * with a Renyi filter.
   */
  public OptionalDouble epsilonLeft() {
    return filter instanceof GdpFilter gdp
        ? OptionalDouble.of(gdp.epsilonLeft(mu()))
        : OptionalDouble.empty();
  }

  /**
   * Returns the exact epsilon of the same runs if all of them had been fixed in advance. The
   * epsilons and deltas of releases of other tools are added.
   */
  public Bracket tight() {
    PrivacyBudget used = foreignUsed();
    double delta = limit().delta() - used.delta();
    Bracket runs = TightAccountant.of(neighboring()).epsilonBracket(event(), delta);
    return used.epsilon() == 0
        ? runs
        : new Bracket(
            runs.lower() + used.epsilon(),
            (runs.upper() + used.epsilon()) * (1 + 1e-13),
            runs.method());
  }

  /** Returns the JSON form, which is the content of the file. */
  public Map<String, @Nullable Object> json() {
    return BudgetJson.of(this);
  }

  String toJson() {
    return Json.writePretty(json());
  }

  /**
   * Parses the output of {@link #toJson}.
   *
   * @throws IllegalArgumentException if the text is not a valid budget
   */
  static BudgetContents fromJson(String text) {
    return BudgetJson.read(text);
  }
}
