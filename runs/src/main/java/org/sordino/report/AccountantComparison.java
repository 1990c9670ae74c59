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
 * The results of all accountants for a run.
 *
 * @param solveFor the number to compute: epsilon or delta
 * @param accounted the run
 * @param entries results of the accountants, starting with the guarantee
 * @param tight certified bracket of the tight accountant
 * @param attacks bounds on membership inference
 */
public record AccountantComparison(
    SolveFor solveFor,
    AccountedRun accounted,
    List<Entry> entries,
    Bracket tight,
    List<Attack> attacks) {

  private static final int DIGITS = 5;
  private static final double[] FALSE_POSITIVE_RATES = {0.001, 0.01, 0.1};

  /**
   * The result of one accountant.
   *
   * @param member the accountant
   * @param value epsilon or delta; null if the accountant does not support this run
   */
  public record Entry(AccountantPanel.Member member, @Nullable Double value) {

    /**
     * Returns the number as text, rounded up if it is a bound.
     *
     * @param absent text if the accountant has no number for this run
     */
    public String text(String absent) {
      if (value == null) {
        return absent;
      }
      return member.accountant().evidence() == Accountant.Evidence.BOUND
          ? Decimals.up(value, DIGITS)
          : Decimals.nearest(value, DIGITS);
    }

    /**
     * Returns the kind of the result, such as {@code upper bound}, or {@code no guarantee} if the
     * run has a flaw.
     */
    public String kind(AccountedRun accounted) {
      return accounted.flaw() == null ? member.kind() : "no guarantee";
    }
  }

  /**
   * A bound on membership inference: at a given false positive rate, an attacker who sees the
   * result has at most this true positive rate.
   *
   * @param falsePositiveRate share of non-members that the attacker takes for members
   * @param truePositiveRate largest share of members that the attacker can identify
   */
  public record Attack(double falsePositiveRate, double truePositiveRate) {

    /** Returns the false positive rate in percent. */
    public String falsePositives() {
      return Decimals.plain(100 * falsePositiveRate) + "%";
    }

    /** Returns the true positive rate in percent, rounded up. */
    public String truePositives() {
      return Decimals.up(100 * truePositiveRate, 3) + "%";
    }

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

  /** Computes the results of all accountants for a run. */
  public static AccountantComparison of(SolveFor solveFor, AccountedRun accounted) {
    Bracket tight = bracket(solveFor, accounted);
    List<Entry> entries = new ArrayList<>();
    for (AccountantPanel.Member member : AccountantPanel.all(accounted)) {
      entries.add(new Entry(member, value(solveFor, accounted, member, tight)));
    }
    return new AccountantComparison(
        solveFor, accounted, entries, tight, attacks(solveFor, accounted, tight));
  }

  /**
   * Returns the bracket for a run. The cost for a group of records is at least the cost for one
   * record and at most the bound of group privacy.
   */
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
    double epsilon =
        solveFor.target() == SolveFor.Target.EPSILON ? tight.upper() : solveFor.given();
    double delta = solveFor.target() == SolveFor.Target.EPSILON ? solveFor.given() : tight.upper();
    List<Attack> attacks = new ArrayList<>();
    for (double rate : FALSE_POSITIVE_RATES) {
      // Every valid (epsilon, delta) also bounds the attacker. If only the looser RDP accountant is
      // fast enough for a whole curve, the tight result often gives a better bound.
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

  /** Returns the certified upper end of the bracket. */
  public double guarantee() {
    return tight.upper();
  }

  /** Returns the number of every accountant, with its status, as a table. */
  public TextTable table() {
    List<List<String>> rows = new ArrayList<>();
    for (Entry entry : entries) {
      rows.add(
          List.of(
              entry.member.name(), entry.text(""), entry.kind(accounted), entry.member.method()));
    }
    return new TextTable(List.of("accountant", solveFor.targetName(), "status", "method"), rows);
  }

  /** Returns the limits on membership inference as a table. */
  public TextTable attackTable() {
    return new TextTable(
        List.of("false positive rate", "true positive rate, at most"),
        attacks.stream()
            .map(attack -> List.of(attack.falsePositives(), attack.truePositives()))
            .toList());
  }

  /** Returns the JSON form, with all digits. */
  public Map<String, @Nullable Object> json() {
    Map<String, @Nullable Object> json = new LinkedHashMap<>(accounted.json());
    json.put(solveFor.givenName(), solveFor.given());
    json.put("answer", solveFor.targetName());
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

  /** Returns the name of the method that computed the bracket, such as {@code lattice}. */
  public String methodName() {
    return tight.method().name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
