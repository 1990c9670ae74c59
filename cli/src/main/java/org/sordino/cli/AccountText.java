package org.sordino.cli;

import java.io.PrintWriter;
import java.util.Locale;
import org.sordino.report.AccountantComparison;
import org.sordino.report.AccountantPanel;
import org.sordino.report.AccountedRun;
import org.sordino.report.Decimals;
import org.sordino.report.ExecutedRun;
import org.sordino.report.Figure;
import org.sordino.report.SolveFor;
import picocli.CommandLine.Help.Ansi;

/** The text output of {@code sordino account}. Rounds upper bounds up and lower ends down. */
final class AccountText {

  private static final int DIGITS = 5;
  private static final int BRACKET_DIGITS = 12;

  private final AccountantComparison comparison;
  private final Ansi ansi;

  AccountText(AccountantComparison comparison, Ansi ansi) {
    this.comparison = comparison;
    this.ansi = ansi;
  }

  void print(PrintWriter out) {
    SolveFor solveFor = comparison.solveFor();
    AccountedRun accounted = comparison.accounted();
    out.println(accounted.describe());
    out.printf(
        "%s at %s %s; neighboring data sets: %s%n",
        solveFor.targetName(),
        solveFor.givenName(),
        Decimals.plain(solveFor.given()),
        accounted.relation());
    if (accounted instanceof ExecutedRun executed) {
      out.println("ledger: " + executed.ledger().head().describe());
    }
    out.println();
    for (AccountantComparison.Entry entry : comparison.entries()) {
      printEntry(out, entry);
    }
    out.println();
    String flaw = comparison.accounted().flaw();
    if (flaw != null) {
      out.println("No privacy guarantee: " + flaw + ".");
      return;
    }
    printGuarantee(out);
    printAttacks(out);
  }

  private void printEntry(PrintWriter out, AccountantComparison.Entry entry) {
    AccountantPanel.Member member = entry.member();
    String line =
        String.format(
            Locale.ROOT,
            "  %-12s %12s   %-13s  %s",
            member.name(),
            entry.text("none"),
            entry.kind(comparison.accounted()),
            member.method());
    boolean guarantee =
        member.look() == Figure.Look.GUARANTEE && comparison.accounted().flaw() == null;
    out.println(guarantee ? ansi.string("@|bold,green " + line + "|@") : line);
  }

  private void printGuarantee(PrintWriter out) {
    SolveFor solveFor = comparison.solveFor();
    String sought = Decimals.up(comparison.guarantee(), DIGITS);
    String given = Decimals.plain(solveFor.given());
    boolean epsilon = solveFor.target() == SolveFor.Target.EPSILON;
    out.println(
        comparison.guarantee() >= (epsilon ? Double.POSITIVE_INFINITY : 1)
            ? "The run is not private: it has no guarantee."
            : ansi.string(
                "The run is @|bold ("
                    + (epsilon ? sought + ", " + given : given + ", " + sought)
                    + ")|@-differentially private."));
    out.printf(
        "The exact %s lies in [%s, %s] (%s).%n%n",
        solveFor.targetName(),
        Decimals.down(comparison.tight().lower(), BRACKET_DIGITS),
        Decimals.up(comparison.tight().upper(), BRACKET_DIGITS),
        comparison.methodName());
  }

  private void printAttacks(PrintWriter out) {
    out.println(
        comparison.accounted().records() == 1
            ? "Membership inference by an attacker who knows every other record:"
            : "Membership inference on a person's records by an attacker who knows every other"
                + " record:");
    for (AccountantComparison.Attack attack : comparison.attacks()) {
      out.printf(
          Locale.ROOT,
          "  at a false positive rate of %4s, the true positive rate is at most %6s%n",
          attack.falsePositives(),
          attack.truePositives());
    }
  }
}
