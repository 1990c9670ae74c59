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
 * @param setting about which run
 * @param entries one per accountant, the one that counts first
 * @param tight the certified bracket
 * @param attacks what an attacker can achieve
 */
record Answer(
    Question question, Setting setting, List<Entry> entries, Bracket tight, List<Attack> attacks) {

  private static final double[] FALSE_POSITIVE_RATES = {0.001, 0.01, 0.1};

  /**
   * One accountant's number.
   *
   * @param value null if it has none for this run
   */
  record Entry(Panel.Member member, @Nullable Double value) {}

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

  static Answer of(Question question, Setting setting) {
    Bracket tight = bracket(question, setting);
    List<Entry> entries = new ArrayList<>();
    for (Panel.Member member : Panel.all(setting)) {
      entries.add(new Entry(member, value(question, setting, member, tight)));
    }
    return new Answer(question, setting, entries, tight, attacks(question, setting, tight));
  }

  /** A group costs at least what one record does, and at most what group privacy allows. */
  private static Bracket bracket(Question question, Setting setting) {
    TightAccountant accountant = TightAccountant.of(setting.neighbouring());
    Bracket one = question.bracket(accountant, setting.event());
    if (setting.records() == 1) {
      return one;
    }
    Accountant group = GroupPrivacy.of(accountant, setting.records());
    return new Bracket(one.lower(), question.answer(group, setting.event()), one.method());
  }

  private static List<Attack> attacks(Question question, Setting setting, Bracket tight) {
    boolean fast = setting.records() == 1 && tight.method() != Bracket.Method.LATTICE;
    Accountant accountant =
        fast
            ? TightAccountant.of(setting.neighbouring())
            : GroupPrivacy.of(RdpAccountant.of(setting.neighbouring()), setting.records());
    TradeOffCurve curve = TradeOffCurve.of(accountant, setting.event());
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
      Question question, Setting setting, Panel.Member member, Bracket tight) {
    if (member.look() == Figure.Look.GUARANTEE) {
      return tight.upper();
    }
    return member.answers(setting)
        ? (Double) question.answer(member.accountant(), setting.event())
        : null;
  }

  /** The certified upper end. */
  double guarantee() {
    return tight.upper();
  }

  /** Machine-readable, with all digits. */
  Map<String, @Nullable Object> json() {
    Map<String, @Nullable Object> json = new LinkedHashMap<>(setting.json());
    json.put(question.givenName(), question.given());
    json.put("answer", question.soughtName());
    Map<String, Object> evidence = new LinkedHashMap<>();
    for (Entry entry : entries) {
      json.put(entry.member.name(), entry.value);
      evidence.put(entry.member.name(), entry.member.kind());
    }
    json.put("tight", bracket());
    json.put("evidence", evidence);
    json.put("attacker", attacks.stream().map(Attack::json).toList());
    return json;
  }

  private Map<String, Object> bracket() {
    Map<String, Object> json = ends(tight);
    json.put("method", methodName());
    if (setting.records() == 1) {
      TightAccountant accountant = TightAccountant.of(setting.neighbouring());
      for (Direction direction : Direction.of(setting.neighbouring())) {
        json.put(
            direction.name().toLowerCase(Locale.ROOT),
            ends(question.bracket(accountant, setting.event(), direction)));
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
