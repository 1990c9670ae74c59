package org.sordino.report;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.sordino.accounting.Accountant;
import org.sordino.accounting.Bracket;
import org.sordino.accounting.Direction;
import org.sordino.accounting.GroupPrivacy;
import org.sordino.accounting.RdpAccountant;
import org.sordino.accounting.TightAccountant;
import org.sordino.accounting.TradeOffCurve;

/**
 * What all accountants say about a run.
 *
 * @param solveFor what was asked
 * @param accounted about which run
 * @param entries one per accountant, the one that counts first
 * @param tight the certified bracket
 * @param attacks what an attacker can achieve
 */
public record AccountantComparison(
    SolveFor solveFor,
    AccountedRun accounted,
    List<Entry> entries,
    Bracket tight,
    List<Attack> attacks) {

  private static final double[] FALSE_POSITIVE_RATES = {0.001, 0.01, 0.1};

  /**
   * One accountant's number.
   *
   * @param value null if it has none for this run
   */
  public record Entry(AccountantPanel.Member member, @Nullable Double value) {

    /** What kind of statement the number is; nothing is a guarantee of a run with a flaw. */
    public String kind(AccountedRun accounted) {
      return accounted.flaw() == null ? member.kind() : "no guarantee";
    }
  }

  /**
   * The most that anybody who sees the result can do to find out whether a record was used.
   *
   * @param falsePositiveRate how often he may be wrong about a record that was not used
   * @param truePositiveRate how often he is right, at best, about one that was
   */
  public record Attack(double falsePositiveRate, double truePositiveRate) {

    private Map<String, Object> json() {
      Map<String, Object> json = new LinkedHashMap<>();
      json.put("falsePositiveRate", falsePositiveRate);
      json.put("truePositiveRate", truePositiveRate);
      return json;
    }
  }

  public AccountantComparison {
    entries = List.copyOf(entries);
    attacks = List.copyOf(attacks);
  }

  public static AccountantComparison of(SolveFor solveFor, AccountedRun accounted) {
    Bracket tight = bracket(solveFor, accounted);
    List<Entry> entries = new ArrayList<>();
    for (AccountantPanel.Member member : AccountantPanel.all(accounted)) {
      entries.add(new Entry(member, value(solveFor, accounted, member, tight)));
    }
    return new AccountantComparison(
        solveFor, accounted, entries, tight, attacks(solveFor, accounted, tight));
  }

  /** A group costs at least what one record does, and at most what group privacy allows. */
  private static Bracket bracket(SolveFor solveFor, AccountedRun accounted) {
    TightAccountant accountant = TightAccountant.of(accounted.neighboring());
    Bracket one = solveFor.bracket(accountant, accounted.event());
    if (accounted.records() == 1) {
      return one;
    }
    Accountant group = GroupPrivacy.of(accountant, accounted.records());
    return new Bracket(one.lower(), solveFor.answer(group, accounted.event()), one.method());
  }

  private static List<Attack> attacks(SolveFor solveFor, AccountedRun accounted, Bracket tight) {
    boolean fast = accounted.records() == 1 && tight.method().compareTo(Bracket.Method.LATTICE) < 0;
    Accountant accountant =
        fast
            ? TightAccountant.of(accounted.neighboring())
            : GroupPrivacy.of(RdpAccountant.of(accounted.neighboring()), accounted.records());
    TradeOffCurve curve = TradeOffCurve.of(accountant, accounted.event());
    double epsilon = solveFor.asked() == SolveFor.Asked.EPSILON ? tight.upper() : solveFor.given();
    double delta = solveFor.asked() == SolveFor.Asked.EPSILON ? solveFor.given() : tight.upper();
    List<Attack> attacks = new ArrayList<>();
    for (double rate : FALSE_POSITIVE_RATES) {
      // Any valid (epsilon, delta) bounds the attacker too. Where only the looser RDP is quick
      // enough for a whole curve, the tight answer at hand often bounds him better.
      double bound = Math.min(curve.truePositiveRate(rate), Math.exp(epsilon) * rate + delta);
      attacks.add(new Attack(rate, Math.min(1, bound)));
    }
    return attacks;
  }

  private static @Nullable Double value(
      SolveFor solveFor, AccountedRun accounted, AccountantPanel.Member member, Bracket tight) {
    if (member.look() == Figure.Look.GUARANTEE) {
      return tight.upper();
    }
    return member.answers(accounted)
        ? (Double) solveFor.answer(member.accountant(), accounted.event())
        : null;
  }

  /** The certified upper end. */
  public double guarantee() {
    return tight.upper();
  }

  /** Machine-readable, with all digits. */
  public Map<String, @Nullable Object> json() {
    Map<String, @Nullable Object> json = new LinkedHashMap<>(accounted.json());
    json.put(solveFor.givenName(), solveFor.given());
    json.put("answer", solveFor.soughtName());
    Map<String, Object> evidence = new LinkedHashMap<>();
    for (Entry entry : entries) {
      json.put(entry.member.name(), entry.value);
      evidence.put(entry.member.name(), entry.kind(accounted));
    }
    json.put("tight", bracket());
    json.put("evidence", evidence);
    if (accounted.flaw() != null) {
      json.put("noGuarantee", accounted.flaw());
    }
    json.put("attacker", attacks.stream().map(Attack::json).toList());
    return json;
  }

  private Map<String, Object> bracket() {
    Map<String, Object> json = ends(tight);
    json.put("method", methodName());
    if (accounted.records() == 1) {
      TightAccountant accountant = TightAccountant.of(accounted.neighboring());
      for (Direction direction : Direction.of(accounted.neighboring())) {
        json.put(
            direction.name().toLowerCase(Locale.ROOT),
            ends(solveFor.bracket(accountant, accounted.event(), direction)));
      }
    }
    return json;
  }

  private static Map<String, Object> ends(Bracket bracket) {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("lower", bracket.lower());
    json.put("upper", bracket.upper());
    return json;
  }

  public String methodName() {
    return tight.method().name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
