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

/** {@code sordino budget}: creates and shows a privacy budget shared by several runs. */
@Command(
    name = "budget",
    description = "Create or show a privacy budget shared by all runs on the same data",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    usageHelpWidth = 100,
    footer = {
      "",
      "Examples:",
      "  sordino budget people.budget --create --epsilon 3 --delta 1e-5 --data people.csv",
      "  sordino budget people.budget",
      "",
      "'sordino train --budget-file people.budget' charges a run to the budget, and refuses to",
      "start it if too little is left. Because later runs may depend on results of earlier ones,",
      "a Renyi filter of one fixed order enforces the budget. Its epsilon is above the tight epsilon,",
      "which is shown for comparison; the difference is largest while most of the budget is unused.",
      "The share left is a share of the Renyi divergence, because epsilons of runs do not add up."
    })
final class BudgetCommand implements Callable<Integer> {

  @Spec private CommandSpec spec;

  @Parameters(paramLabel = "FILE", description = "Budget file")
  private Path file = Path.of("");

  @Option(names = "--create", description = "Create a budget; needs --epsilon and --delta")
  private boolean create;

  @Option(
      names = "--epsilon",
      paramLabel = "EPSILON",
      description = "Total epsilon of all runs together")
  private @Nullable String epsilon;

  @Option(
      names = "--delta",
      paramLabel = "DELTA",
      description = "Probability that the epsilon bound fails")
  private @Nullable String delta;

  @Option(
      names = "--data",
      paramLabel = "TEXT",
      description = "Description of the records, for information only")
  private @Nullable String data;

  @Option(
      names = "--replace-one",
      description = "Protect against replacing a record instead of adding or removing one")
  private boolean replaceOne;

  @Option(names = "--json", description = "Print the result as JSON with all digits")
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
          "--epsilon, --delta, --data and --replace-one need --create, because an existing budget"
              + " cannot be changed; leave them out");
    }
    return BudgetFile.open(file);
  }

  private BudgetFile created() {
    if (epsilon == null || delta == null) {
      throw new InvalidInputException(
          "--create needs --epsilon and --delta; try --epsilon 3 --delta 1e-5");
    }
    double limit =
        OptionValues.real(
            "--epsilon", epsilon, x -> x > 0, "finite and above 0", "try a value from 0.1 to 10");
    return BudgetFile.create(
        file,
        new PrivacyBudget(limit, OptionValues.delta(delta)),
        replaceOne ? Neighboring.REPLACE_ONE : Neighboring.ADD_OR_REMOVE_ONE,
        data == null ? "" : data);
  }

  private static void print(PrintWriter out, BudgetContents budget) {
    out.printf(
        "budget of epsilon %s at delta %s%s; neighboring data sets: %s%n%n",
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
        "  spent  %9s  Renyi filter of order %s, which enforces the budget%n",
        Decimals.up(budget.spent(), 5), Decimals.plain(budget.order()));
    out.printf("  tight  %9s  exact cost if all runs had been fixed in advance%n", tight(budget));
    out.printf(
        "  left   %9s  share of the budget, in Renyi divergence%n",
        Decimals.down(100 * budget.left(), 4) + "%");
    if (budget.spent() > budget.limit().epsilon()) {
      out.println("The budget is exceeded, because runs had to count steps again.");
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
