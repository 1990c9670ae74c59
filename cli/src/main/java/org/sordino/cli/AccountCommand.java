package org.sordino.cli;

import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.sordino.json.Json;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code sordino account}: what a run costs, by every accountant. */
@Command(
    name = "account",
    description = "What a run of private steps costs, by all accountants side by side.",
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
      "The guarantee is the upper end of 'tight'. It holds for Poisson sampling, where a coin of its",
      "own decides about each record in each step; shuffled batches cost more."
    })
final class AccountCommand implements Callable<Integer> {

  @Spec private CommandSpec spec;

  @Mixin private RunOptions run;

  @Option(
      names = "--ledger",
      paramLabel = "LEDGER.jsonl",
      description =
          "Price what a ledger says was executed, instead of a run described by options. Within a"
              + " run directory, delta is the run's if none is given.")
  private @Nullable Path ledger;

  @Option(
      names = "--delta",
      paramLabel = "DELTA",
      description = "Probability with which the bound may fail; epsilon is computed.")
  private @Nullable String delta;

  @Option(
      names = "--epsilon",
      paramLabel = "EPSILON",
      description = "Bound on the privacy loss; delta is computed.")
  private @Nullable String epsilon;

  @Option(
      names = "--curve",
      paramLabel = "FILE.html",
      description = "Draw the cost over the steps, by all accountants, into this file.")
  private @Nullable Path curve;

  @Option(names = "--json", description = "Answer in JSON, with all digits.")
  private boolean json;

  @Override
  public Integer call() {
    Question question = question();
    Spending spending = spending();
    if (curve != null) {
      Output.check("--curve", curve);
    }
    Answer answer = Answer.of(question, spending);
    PrintWriter out = spec.commandLine().getOut();
    if (json) {
      out.println(Json.writePretty(answer.json()));
    } else {
      new AccountText(answer, spec.commandLine().getColorScheme().ansi()).print(out);
    }
    if (curve != null) {
      Output.write("--curve", curve, page(question, spending).html());
      spec.commandLine().getErr().println("wrote " + curve);
    }
    return Main.OK;
  }

  private Question question() {
    if (ledger != null && epsilon == null && delta == null) {
      Question ofRun = new LedgerOption(ledger).question();
      if (ofRun != null) {
        return ofRun;
      }
    }
    return Question.of(epsilon, delta);
  }

  private Spending spending() {
    if (ledger == null) {
      return run.setting();
    }
    String given = run.given();
    if (given != null) {
      throw new BadInput(
          "--ledger and "
              + given
              + " contradict each other; the ledger says what was done, leave "
              + given
              + " out");
    }
    return Executed.of(new LedgerOption(ledger).read(), run.records());
  }

  private static HtmlPage page(Question question, Spending spending) {
    String given = question.givenName() + " " + Numbers.plain(question.given());
    Figure figure =
        new Figure(
            "The " + question.soughtName() + " of a run over its steps, at " + given,
            "The thick line is the guarantee. Solid lines are proven upper bounds, dashed ones are"
                + " not: they reproduce printed formulas or are approximations.",
            new Figure.Axis("steps", false),
            new Figure.Axis(question.soughtName(), true),
            Curve.lines(question, spending));
    HtmlPage page =
        new HtmlPage("What the run costs")
            .paragraph(spending.describe() + ".")
            .paragraph("Neighbouring data sets: " + spending.relation() + ".")
            .figure(figure);
    List<String> silent = Panel.silent(spending);
    return silent.isEmpty()
        ? page
        : page.paragraph("Not shown, for lack of an answer: " + String.join(", ", silent) + ".");
  }
}
