package org.sordino.cli;

import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.sordino.Neighboring;
import org.sordino.PrivacyBudget;
import org.sordino.accounting.TightAccountant;
import org.sordino.json.Json;
import org.sordino.report.AccountedRun;
import org.sordino.report.Decimals;
import org.sordino.run.BudgetContents;
import org.sordino.run.BudgetFile;
import org.sordino.run.InvalidInputException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code sordino budget}: what all runs on the same data have cost together. */
@Command(
    name = "budget",
    description = "What all runs on the same data may cost together, and what is left.",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    usageHelpWidth = 100,
    footer = {
      "",
      "Examples:",
      "  sordino budget people.budget --create --epsilon 3 --delta 1e-5 --data people.csv",
      "  sordino budget people.budget",
      "",
      "'sordino train --budget-file people.budget' takes from it, and does not start if too little",
      "is left. Runs are chosen after a look at earlier ones; so the sum that decides is that of a",
      "Renyi filter of one fixed order, a little above the tight sum that stands beside it."
    })
final class BudgetCommand implements Callable<Integer> {

  @Spec private CommandSpec spec;

  @Parameters(paramLabel = "FILE", description = "The budget file.")
  private Path file = Path.of("");

  @Option(names = "--create", description = "Begin a budget, which needs --epsilon and --delta.")
  private boolean create;

  @Option(names = "--epsilon", paramLabel = "EPSILON", description = "All runs together.")
  private @Nullable String epsilon;

  @Option(
      names = "--delta",
      paramLabel = "DELTA",
      description = "Probability with which the bound may fail.")
  private @Nullable String delta;

  @Option(names = "--data", paramLabel = "TEXT", description = "What the records are, for people.")
  private @Nullable String data;

  @Option(
      names = "--replace-one",
      description = "Protect against replacing a record, not only adding or removing one.")
  private boolean replaceOne;

  @Option(names = "--json", description = "Answer in JSON, with all digits.")
  private boolean json;

  @Override
  public Integer call() {
    BudgetFile budget = create ? created() : existing();
    if (json) {
      spec.commandLine().getOut().println(Json.writePretty(json(budget.read())));
    } else {
      print(spec.commandLine().getOut(), budget.read());
    }
    return Main.OK;
  }

  private BudgetFile existing() {
    if (epsilon != null || delta != null || data != null || replaceOne) {
      throw new InvalidInputException(
          "--epsilon, --delta, --data and --replace-one need --create: a budget that exists is"
              + " never changed by hand");
    }
    return BudgetFile.open(file);
  }

  private BudgetFile created() {
    if (epsilon == null || delta == null) {
      throw new InvalidInputException(
          "--create needs --epsilon and --delta; give for instance 3 and 1e-5");
    }
    double limit =
        OptionValues.real(
            "--epsilon", epsilon, x -> x > 0, "finite and above 0", "typical values are 0.1 to 10");
    return BudgetFile.create(
        file,
        new PrivacyBudget(limit, OptionValues.delta(delta)),
        replaceOne ? Neighboring.REPLACE_ONE : Neighboring.ADD_OR_REMOVE_ONE,
        data == null ? "" : data);
  }

  private static void print(PrintWriter out, BudgetContents budget) {
    out.printf(
        "budget of epsilon %s at delta %s%s; neighbouring data sets: %s%n%n",
        Decimals.plain(budget.limit().epsilon()),
        Decimals.plain(budget.limit().delta()),
        budget.data().isEmpty() ? "" : " for " + budget.data(),
        AccountedRun.relation("one " + budget.unit(), budget.neighboring()));
    for (BudgetContents.Entry run : budget.runs()) {
      out.printf(
          "  %-16s  %-8s  epsilon %9s alone  %s%n",
          run.id(), run.state().spelling(), Decimals.up(alone(budget, run), 5), run.directory());
    }
    if (budget.runs().isEmpty()) {
      out.println("  no runs yet");
    }
    out.println();
    out.printf(
        "  spent  %9s  by the Renyi filter of order %s, which decides%n",
        Decimals.up(budget.spent(), 5), Decimals.plain(budget.order()));
    out.printf("  tight  %9s  had all runs been fixed beforehand%n", tight(budget));
    out.printf(
        "  left   %9s  of what the filter allows%n", Decimals.down(100 * budget.left(), 4) + " %");
    if (budget.spent() > budget.limit().epsilon()) {
      out.println("The budget is exceeded: runs had to count steps again.");
    }
  }

  private static String tight(BudgetContents budget) {
    return Decimals.up(budget.tight().upper(), 5);
  }

  private static double alone(BudgetContents budget, BudgetContents.Entry run) {
    return TightAccountant.of(budget.neighboring())
        .epsilonBracket(run.event(), budget.limit().delta())
        .upper();
  }

  private static Map<String, @Nullable Object> json(BudgetContents budget) {
    Map<String, @Nullable Object> json = new LinkedHashMap<>(budget.json());
    json.put("spent", budget.spent());
    json.put("tight", budget.tight().upper());
    json.put("leftShare", budget.left());
    return json;
  }
}
