package org.sordino.cli;

import java.io.PrintWriter;
import java.util.Locale;
import org.sordino.accounting.Accountant;
import picocli.CommandLine.Help.Ansi;

/** The answer of {@code sordino account} for people. Rounds bounds up and lower ends down. */
final class AccountText {

  private static final int DIGITS = 5;
  private static final int BRACKET_DIGITS = 12;

  private final Answer answer;
  private final Ansi ansi;

  AccountText(Answer answer, Ansi ansi) {
    this.answer = answer;
    this.ansi = ansi;
  }

  void print(PrintWriter out) {
    Question question = answer.question();
    Spending spending = answer.spending();
    out.println(spending.describe());
    out.printf(
        "%s at %s %s; neighbouring data sets: %s%n%n",
        question.soughtName(),
        question.givenName(),
        Numbers.plain(question.given()),
        spending.relation());
    for (Answer.Entry entry : answer.entries()) {
      printEntry(out, entry);
    }
    out.println();
    String flaw = answer.spending().flaw();
    if (flaw != null) {
      out.println("There is no guarantee: " + flaw + ".");
      return;
    }
    printGuarantee(out);
    printAttacks(out);
  }

  private void printEntry(PrintWriter out, Answer.Entry entry) {
    Panel.Member member = entry.member();
    String line =
        String.format(
            Locale.ROOT,
            "  %-12s %12s   %-13s  %s",
            member.name(),
            value(entry),
            entry.kind(answer.spending()),
            member.method());
    boolean guarantee = member.look() == Figure.Look.GUARANTEE && answer.spending().flaw() == null;
    out.println(guarantee ? ansi.string("@|bold,green " + line + "|@") : line);
  }

  private static String value(Answer.Entry entry) {
    Double value = entry.value();
    if (value == null) {
      return "none";
    }
    return entry.member().accountant().evidence() == Accountant.Evidence.BOUND
        ? Numbers.up(value, DIGITS)
        : Numbers.nearest(value, DIGITS);
  }

  private void printGuarantee(PrintWriter out) {
    Question question = answer.question();
    String sought = Numbers.up(answer.guarantee(), DIGITS);
    String given = Numbers.plain(question.given());
    boolean epsilon = question.asked() == Question.Asked.EPSILON;
    out.println(
        answer.guarantee() >= (epsilon ? Double.POSITIVE_INFINITY : 1)
            ? "This run is not private: there is no guarantee at all."
            : ansi.string(
                "The run is @|bold ("
                    + (epsilon ? sought + ", " + given : given + ", " + sought)
                    + ")|@-differentially private."));
    out.printf(
        "The exact %s lies in [%s, %s] (%s).%n%n",
        question.soughtName(),
        Numbers.down(answer.tight().lower(), BRACKET_DIGITS),
        Numbers.up(answer.tight().upper(), BRACKET_DIGITS),
        answer.methodName());
  }

  private void printAttacks(PrintWriter out) {
    out.println(
        answer.spending().records() == 1
            ? "Anybody who tries to tell whether a record was used"
            : "Anybody who tries to tell whether a person's records were used");
    for (Answer.Attack attack : answer.attacks()) {
      out.printf(
          Locale.ROOT,
          "  and is wrong about %5s of the unused is right about at most %6s of the used%n",
          Numbers.plain(100 * attack.falsePositiveRate()) + " %",
          percent(attack.truePositiveRate()));
    }
  }

  private static String percent(double share) {
    return (share >= 1 ? "100" : Numbers.up(100 * share, 3)) + " %";
  }
}
