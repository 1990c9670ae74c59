package org.sordino.cli;

import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.sordino.json.Json;
import org.sordino.report.AccountantComparison;
import org.sordino.report.AccountantPanel;
import org.sordino.report.AccountedRun;
import org.sordino.report.CostCurves;
import org.sordino.report.Decimals;
import org.sordino.report.ExecutedRun;
import org.sordino.report.Figure;
import org.sordino.report.HtmlPage;
import org.sordino.report.SolveFor;
import org.sordino.run.InvalidInputException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code sordino account}: computes the privacy cost of a run with every accountant. */
@Command(
    name = "account",
    description = "Compute the privacy cost of a run of private steps with all accountants",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    usageHelpWidth = 100,
    footer = {
      "",
      "Examples:",
      "  sordino account --sampling-rate 0.01 --noise-multiplier 4 --steps 10000 --delta 1e-5",
      "  sordino account --population 60000 --batch 256 --epochs 50 --noise-multiplier 1.3 \\",
      "      --delta 1e-5 --curve cost.html",
      "  sordino account --sampling-rate 256/60000 --noise-multiplier 1.3 --steps 1e4 --epsilon 2",
      "  sordino account --ledger runs/x/ledger.jsonl",
      "",
      "The guarantee is the upper end of 'tight'. It holds only for Poisson sampling, where each",
      "step includes each record independently with the sampling rate. Shuffled batches can cost more."
    })
final class AccountCommand implements Callable<Integer> {

  @Spec private CommandSpec spec;

  @Mixin private AccountingOptions run;

  @Option(
      names = "--ledger",
      paramLabel = "LEDGER.jsonl",
      description =
          "Ledger of an executed run, in place of the options that describe a run; in a run"
              + " directory, --delta defaults to the delta of the run")
  private @Nullable Path ledger;

  @Option(
      names = "--delta",
      paramLabel = "DELTA",
      description = "Probability that the epsilon bound fails; computes epsilon")
  private @Nullable String delta;

  @Option(
      names = "--epsilon",
      paramLabel = "EPSILON",
      description = "Bound on the privacy loss; computes delta")
  private @Nullable String epsilon;

  @Option(
      names = "--curve",
      paramLabel = "FILE.html",
      description = "Write a chart of the cost over the steps, by all accountants, to this file")
  private @Nullable Path curve;

  @Option(names = "--json", description = "Print the result as JSON with all digits")
  private boolean json;

  @Override
  public Integer call() {
    SolveFor solveFor = solveFor();
    AccountedRun accounted = accounted();
    if (curve != null) {
      OutputFiles.check("--curve", curve);
    }
    AccountantComparison answer = AccountantComparison.of(solveFor, accounted);
    PrintWriter out = spec.commandLine().getOut();
    if (json) {
      out.println(Json.writePretty(answer.json()));
    } else {
      new AccountText(answer, spec.commandLine().getColorScheme().ansi()).print(out);
    }
    if (curve != null) {
      OutputFiles.write("--curve", curve, page(solveFor, accounted).html());
      spec.commandLine().getErr().println("wrote " + curve);
    }
    return Main.OK;
  }

  private SolveFor solveFor() {
    if (ledger != null && epsilon == null && delta == null) {
      SolveFor ofRun = new LedgerOption(ledger).solveFor();
      if (ofRun != null) {
        return ofRun;
      }
    }
    return OptionValues.solveFor(epsilon, delta);
  }

  private AccountedRun accounted() {
    if (ledger == null) {
      return run.setting();
    }
    String given = run.given();
    if (given != null) {
      throw new InvalidInputException(
          "--ledger and %s cannot be combined, because the ledger records the run; leave out %s"
              .formatted(given, given));
    }
    return ExecutedRun.of(new LedgerOption(ledger).read(), run.records());
  }

  private static HtmlPage page(SolveFor solveFor, AccountedRun accounted) {
    String given = solveFor.givenName() + " " + Decimals.plain(solveFor.given());
    Figure figure =
        new Figure(
            "The " + solveFor.targetName() + " of the run over its steps, at " + given,
            "The thick line is the guarantee. Solid lines are proven upper bounds. Dashed lines are"
                + " approximations or printed formulas that are not bounds.",
            new Figure.Axis("steps", false),
            new Figure.Axis(solveFor.targetName(), true),
            CostCurves.lines(solveFor, accounted));
    HtmlPage page =
        new HtmlPage("Privacy cost of the run")
            .paragraph(accounted.describe() + ".")
            .paragraph("Neighboring data sets: " + accounted.relation() + ".")
            .figure(figure);
    List<String> silent = AccountantPanel.silent(accounted);
    return silent.isEmpty()
        ? page
        : page.paragraph(
            "Not shown, because they do not support this run: " + String.join(", ", silent) + ".");
  }
}
