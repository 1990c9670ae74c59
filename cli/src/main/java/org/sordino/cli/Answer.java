package org.sordino.cli;

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
 * @param question what was asked
 * @param spending about which run
 * @param entries one per accountant, the one that counts first
 * @param tight the certified bracket
 * @param attacks what an attacker can achieve
 */
record Answer(
    Question question,
    Spending spending,
    List<Entry> entries,
    Bracket tight,
    List<Attack> attacks) {

  private static final double[] FALSE_POSITIVE_RATES = {0.001, 0.01, 0.1};

  /**
   * One accountant's number.
   *
   * @param value null if it has none for this run
   */
  record Entry(Panel.Member member, @Nullable Double value) {

    /** What kind of statement the number is; nothing is a guarantee of a run with a flaw. */
    String kind(Spending spending) {
      return spending.flaw() == null ? member.kind() : "no guarantee";
    }
  }

  /**
   * The most that anybody who sees the result can do to find out whether a record was used.
   *
   * @param falsePositiveRate how often he may be wrong about a record that was not used
   * @param truePositiveRate how often he is right, at best, about one that was
   */
  record Attack(double falsePositiveRate, double truePositiveRate) {

    private Map<String, Object> json() {
      Map<String, Object> json = new LinkedHashMap<>();
      json.put("falsePositiveRate", falsePositiveRate);
      json.put("truePositiveRate", truePositiveRate);
      return json;
    }
  }

  Answer {
    entries = List.copyOf(entries);
    attacks = List.copyOf(attacks);
  }

  static Answer of(Question question, Spending spending) {
    Bracket tight = bracket(question, spending);
    List<Entry> entries = new ArrayList<>();
    for (Panel.Member member : Panel.all(spending)) {
      entries.add(new Entry(member, value(question, spending, member, tight)));
    }
    return new Answer(question, spending, entries, tight, attacks(question, spending, tight));
  }

  /** A group costs at least what one record does, and at most what group privacy allows. */
  private static Bracket bracket(Question question, Spending spending) {
    TightAccountant accountant = TightAccountant.of(spending.neighbouring());
    Bracket one = question.bracket(accountant, spending.event());
    if (spending.records() == 1) {
      return one;
    }
    Accountant group = GroupPrivacy.of(accountant, spending.records());
    return new Bracket(one.lower(), question.answer(group, spending.event()), one.method());
  }

  private static List<Attack> attacks(Question question, Spending spending, Bracket tight) {
    boolean fast = spending.records() == 1 && tight.method().compareTo(Bracket.Method.LATTICE) < 0;
    Accountant accountant =
        fast
            ? TightAccountant.of(spending.neighbouring())
            : GroupPrivacy.of(RdpAccountant.of(spending.neighbouring()), spending.records());
    TradeOffCurve curve = TradeOffCurve.of(accountant, spending.event());
    double epsilon = question.asked() == Question.Asked.EPSILON ? tight.upper() : question.given();
    double delta = question.asked() == Question.Asked.EPSILON ? question.given() : tight.upper();
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
      Question question, Spending spending, Panel.Member member, Bracket tight) {
    if (member.look() == Figure.Look.GUARANTEE) {
      return tight.upper();
    }
    return member.answers(spending)
        ? (Double) question.answer(member.accountant(), spending.event())
        : null;
  }

  /** The certified upper end. */
  double guarantee() {
    return tight.upper();
  }

  /** Machine-readable, with all digits. */
  Map<String, @Nullable Object> json() {
    Map<String, @Nullable Object> json = new LinkedHashMap<>(spending.json());
    json.put(question.givenName(), question.given());
    json.put("answer", question.soughtName());
    Map<String, Object> evidence = new LinkedHashMap<>();
    for (Entry entry : entries) {
      json.put(entry.member.name(), entry.value);
      evidence.put(entry.member.name(), entry.kind(spending));
    }
    json.put("tight", bracket());
    json.put("evidence", evidence);
    if (spending.flaw() != null) {
      json.put("noGuarantee", spending.flaw());
    }
    json.put("attacker", attacks.stream().map(Attack::json).toList());
    return json;
  }

  private Map<String, Object> bracket() {
    Map<String, Object> json = ends(tight);
    json.put("method", methodName());
    if (spending.records() == 1) {
      TightAccountant accountant = TightAccountant.of(spending.neighbouring());
      for (Direction direction : Direction.of(spending.neighbouring())) {
        json.put(
            direction.name().toLowerCase(Locale.ROOT),
            ends(question.bracket(accountant, spending.event(), direction)));
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

  String methodName() {
    return tight.method().name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
