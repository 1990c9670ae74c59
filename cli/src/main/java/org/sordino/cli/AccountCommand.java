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
      "",
      "The guarantee is the upper end of 'tight'. It holds for Poisson sampling, where a coin of its",
      "own decides about each record in each step; shuffled batches cost more."
    })
final class AccountCommand implements Callable<Integer> {

  @Spec private CommandSpec spec;

  @Mixin private RunOptions run;

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
    Question question = Question.of(epsilon, delta);
    Setting setting = run.setting();
    if (curve != null) {
      Output.check("--curve", curve);
    }
    Answer answer = Answer.of(question, setting);
    PrintWriter out = spec.commandLine().getOut();
    if (json) {
      out.println(Json.writePretty(answer.json()));
    } else {
      new AccountText(answer, spec.commandLine().getColorScheme().ansi()).print(out);
    }
    if (curve != null) {
      Output.write("--curve", curve, page(question, setting).html());
      spec.commandLine().getErr().println("wrote " + curve);
    }
    return Main.OK;
  }

  private static HtmlPage page(Question question, Setting setting) {
    String given = question.givenName() + " " + Numbers.plain(question.given());
    Figure figure =
        new Figure(
            "The " + question.soughtName() + " of a run over its steps, at " + given,
            "The thick line is the guarantee. Solid lines are proven upper bounds, dashed ones are"
                + " not: they reproduce printed formulas or are approximations.",
            new Figure.Axis("steps", false),
            new Figure.Axis(question.soughtName(), true),
            Curve.lines(question, setting));
    HtmlPage page =
        new HtmlPage("What the run costs")
            .paragraph(setting.describe() + ".")
            .paragraph("Neighbouring data sets: " + setting.relation() + ".")
            .figure(figure);
    List<String> silent = Panel.silent(setting);
    return silent.isEmpty()
        ? page
        : page.paragraph("Not shown, for lack of an answer: " + String.join(", ", silent) + ".");
  }
}
