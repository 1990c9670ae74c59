package org.sordino.cli;

import java.io.PrintWriter;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalDouble;
import java.util.concurrent.Callable;
import java.util.function.DoublePredicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.sordino.Neighboring;
import org.sordino.PrivacyBudget;
import org.sordino.accounting.ForeignRelease;
import org.sordino.accounting.RenyiFilter;
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
    description = "Create, show or add to a privacy budget shared by all runs on the same data",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    usageHelpWidth = 100,
    footer = {
      "",
      "Examples:",
      "  sordino budget people.budget --create --epsilon 3 --delta 1e-5 --data people.csv",
      "  sordino budget people.budget",
      "  sordino budget shared.budget --create --epsilon 3 --delta 1e-5 --foreign-epsilon 1",
      "  sordino budget shared.budget --add --epsilon-delta 0.5,1e-7 --data counts",
      "  sordino budget shared.budget --add --gaussian 20",
      "",
      "'sordino train --budget-file people.budget' charges a run to the budget, and refuses to",
      "start it if too little is left. Later runs may depend on results of earlier ones, so a privacy",
      "filter enforces the budget. New budgets use a GDP filter: each run is charged as planned, as",
      "much as the weakest Gaussian mechanism that covers it. Budgets of version 0.1 keep their Renyi",
      "filter. For comparison, the epsilon of the other filter and the tight epsilon are shown too.",
      "",
      "Add a release of another tool before it is made. A Gaussian release is charged like a run.",
      "Other releases use up the part of the budget that --foreign-epsilon reserves for them."
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
      description = "Total epsilon of all runs and releases together")
  private @Nullable String epsilon;

  @Option(
      names = "--delta",
      paramLabel = "DELTA",
      description = "Probability that the epsilon bound fails")
  private @Nullable String delta;

  @Option(
      names = "--foreign-epsilon",
      paramLabel = "E0",
      description = "Part of epsilon that is reserved for releases of other tools (default: 0)")
  private @Nullable String foreignEpsilon;

  @Option(
      names = "--foreign-delta",
      paramLabel = "D0",
      description =
          "Part of delta that is reserved for releases of other tools (default: a tenth of --delta"
              + " with --foreign-epsilon, else 0)")
  private @Nullable String foreignDelta;

  @Option(
      names = "--replace-one",
      description = "Protect against replacing a record instead of adding or removing one")
  private boolean replaceOne;

  @Option(
      names = "--add",
      description =
          "Add a release of another tool; needs --epsilon-delta, --zcdp or --gaussian, each for the"
              + " neighboring data sets of the budget")
  private boolean add;

  @Option(
      names = "--epsilon-delta",
      paramLabel = "E,D",
      description = "The release is (E,D)-differentially private; D may be left out if it is 0")
  private @Nullable String epsilonDelta;

  @Option(
      names = "--zcdp",
      paramLabel = "RHO[,D]",
      description =
          "The release is RHO-zCDP; converted to epsilon at delta D (default: a tenth of the delta"
              + " reserved for releases)")
  private @Nullable String zcdp;

  @Option(
      names = "--gaussian",
      paramLabel = "Z",
      description =
          "The release is a Gaussian mechanism; Z is the standard deviation of its noise divided by"
              + " its L2 sensitivity")
  private @Nullable String gaussian;

  @Option(
      names = "--data",
      paramLabel = "TEXT",
      description = "Description of the records or of the release, for information only")
  private @Nullable String data;

  @Option(names = "--json", description = "Print the result as JSON with all digits")
  private boolean json;

  @Override
  public Integer call() {
    requireOneAction();
    BudgetFile budget = create ? created() : BudgetFile.open(file);
    if (add) {
      add(budget);
    }
    if (json) {
      spec.commandLine().getOut().println(Json.writePretty(json(budget.read())));
    } else {
      print(spec.commandLine().getOut(), budget.read());
    }
    return Main.OK;
  }

  private void requireOneAction() {
    if (create && add) {
      throw new InvalidInputException("--create and --add cannot be combined; use one of them");
    }
    if (!create && (replaceOne || isAnyGiven(epsilon, delta, foreignEpsilon, foreignDelta))) {
      throw new InvalidInputException(
          "--epsilon, --delta, --foreign-epsilon, --foreign-delta and --replace-one need --create,"
              + " because an existing budget cannot be changed; leave them out");
    }
    long kinds = Stream.of(epsilonDelta, zcdp, gaussian).filter(Objects::nonNull).count();
    if (kinds != (add ? 1 : 0)) {
      throw new InvalidInputException(
          add
              ? "--add needs exactly one of --epsilon-delta, --zcdp and --gaussian; try"
                  + " --epsilon-delta 0.5,1e-7"
              : "--epsilon-delta, --zcdp and --gaussian need --add");
    }
    if (data != null && !create && !add) {
      throw new InvalidInputException("--data needs --create or --add; leave it out");
    }
  }

  private static boolean isAnyGiven(@Nullable String... options) {
    return Stream.of(options).anyMatch(Objects::nonNull);
  }

  private BudgetFile created() {
    if (epsilon == null || delta == null) {
      throw new InvalidInputException(
          "--create needs --epsilon and --delta; try --epsilon 3 --delta 1e-5");
    }
    double limit =
        OptionValues.real(
            "--epsilon", epsilon, x -> x > 0, "finite and above 0", "try a value from 0.1 to 10");
    PrivacyBudget budget = new PrivacyBudget(limit, OptionValues.delta(delta));
    return BudgetFile.create(
        file,
        budget,
        foreign(budget),
        replaceOne ? Neighboring.REPLACE_ONE : Neighboring.ADD_OR_REMOVE_ONE,
        data == null ? "" : data);
  }

  /** Returns the part that is reserved for releases of other tools. */
  private PrivacyBudget foreign(PrivacyBudget budget) {
    double reserved =
        foreignEpsilon == null
            ? 0
            : OptionValues.real(
                "--foreign-epsilon",
                foreignEpsilon,
                x -> x >= 0 && x < budget.epsilon(),
                "at least 0 and below --epsilon",
                "try a third of --epsilon");
    double failures =
        foreignDelta == null
            ? (reserved > 0 ? tenth(budget.delta()) : 0)
            : OptionValues.real(
                "--foreign-delta",
                foreignDelta,
                x -> x >= 0 && x <= budget.delta() / 2,
                "at least 0 and at most half of --delta",
                "try a tenth of --delta");
    return new PrivacyBudget(reserved, failures);
  }

  /** Returns a tenth, which is a short decimal if the number is. */
  private static double tenth(double value) {
    return BigDecimal.valueOf(value).movePointLeft(1).doubleValue();
  }

  private void add(BudgetFile budget) {
    if (gaussian != null) {
      double z = positive("--gaussian", gaussian, "try 20");
      budget.add(described("Gaussian mechanism, noise " + gaussian), ForeignRelease.gaussian(z));
    } else if (zcdp != null) {
      budget.add(described(zcdp.split(",", 2)[0] + "-zCDP"), zcdp(budget, zcdp.split(",", -1)));
    } else {
      String given = Objects.requireNonNull(epsilonDelta);
      budget.add(described("(" + given + ")-DP"), epsilonDelta(given.split(",", -1)));
    }
  }

  private String described(String cost) {
    return data == null ? cost : data;
  }

  private static ForeignRelease epsilonDelta(String[] parts) {
    requireParts("--epsilon-delta", parts, "try --epsilon-delta 0.5,1e-7");
    double cost =
        OptionValues.real(
            "epsilon in --epsilon-delta",
            parts[0],
            x -> x >= 0,
            "finite and at least 0",
            "use the epsilon of the release");
    double failures = parts.length == 1 ? 0 : delta("--epsilon-delta", parts[1], x -> x >= 0);
    return new ForeignRelease(cost, failures, 0);
  }

  private static ForeignRelease zcdp(BudgetFile budget, String[] parts) {
    requireParts("--zcdp", parts, "try --zcdp 0.01,1e-7");
    double rho = positive("rho in --zcdp", parts[0], "use the rho of the release");
    double reserved = budget.read().foreign().delta();
    if (parts.length == 1 && reserved == 0) {
      throw new InvalidInputException(
          "--zcdp needs a budget with a delta for releases of other tools, got none; create the"
              + " budget with --foreign-epsilon");
    }
    double at = parts.length == 1 ? tenth(reserved) : delta("--zcdp", parts[1], x -> x > 0);
    return ForeignRelease.zcdp(rho, at);
  }

  private static double delta(String option, String text, DoublePredicate from) {
    return OptionValues.real(
        "delta in " + option,
        text,
        x -> from.test(x) && x < 1,
        option.equals("--zcdp") ? "above 0 and below 1" : "at least 0 and below 1",
        "try 1e-7");
  }

  private static double positive(String option, String text, String fix) {
    return OptionValues.real(option, text, x -> x > 0, "finite and above 0", fix);
  }

  private static void requireParts(String option, String[] parts, String fix) {
    if (parts.length > 2) {
      throw InvalidInputException.of(option, "at most two numbers", String.join(",", parts), fix);
    }
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
    for (BudgetContents.Release release : budget.releases()) {
      out.printf("  %-16s  %-8s  %s%n", "-", "release", text(release));
    }
    if (budget.runs().isEmpty() && budget.releases().isEmpty()) {
      out.println("  no runs yet");
    }
    out.println();
    if (budget.filter() instanceof RenyiFilter renyi) {
      printRenyi(out, budget, renyi);
    } else {
      printGdp(out, budget);
    }
    if (budget.spent() > budget.limit().epsilon()) {
      out.println("The budget is exceeded, because runs executed more than they had reserved.");
    }
  }

  private static String text(BudgetContents.Release release) {
    ForeignRelease cost = release.cost();
    String charged =
        cost.mu() > 0
            ? "mu " + Decimals.up(cost.mu(), 4)
            : "epsilon %s, delta %s"
                .formatted(Decimals.up(cost.epsilon(), 4), Decimals.up(cost.delta(), 3));
    return charged + "  " + release.description();
  }

  private static void printGdp(PrintWriter out, BudgetContents budget) {
    line(out, "spent", up(budget.spent()), "GDP filter, which enforces the budget");
    line(out, "tight", tight(budget), "exact cost if all runs had been fixed in advance");
    OptionalDouble renyi = budget.renyi();
    if (renyi.isPresent()) {
      line(out, "renyi", up(renyi.getAsDouble()), "Renyi filter of version 0.1, for comparison");
    }
    line(
        out,
        "left",
        Decimals.down(budget.epsilonLeft().orElse(0), 4),
        "epsilon of one more run; " + share(budget) + " of the budget for runs");
    if (budget.foreign().epsilon() > 0 || budget.foreign().delta() > 0) {
      PrivacyBudget used = budget.foreignUsed();
      line(
          out,
          "other",
          up(used.epsilon()),
          "of epsilon %s for releases of other tools, and delta %s of %s"
              .formatted(
                  Decimals.plain(budget.foreign().epsilon()),
                  Decimals.up(used.delta(), 3),
                  Decimals.up(budget.foreign().delta(), 3)));
    }
  }

  private static void printRenyi(PrintWriter out, BudgetContents budget, RenyiFilter renyi) {
    line(
        out,
        "spent",
        up(budget.spent()),
        "Renyi filter of order " + Decimals.plain(renyi.order()) + ", which enforces the budget");
    line(out, "tight", tight(budget), "exact cost if all runs had been fixed in advance");
    line(out, "gdp", up(budget.gdp()), "GDP filter of new budgets, for comparison");
    line(out, "left", share(budget), "share of the budget, in Renyi divergence");
  }

  private static void line(PrintWriter out, String name, String value, String meaning) {
    out.printf("  %-5s  %9s  %s%n", name, value, meaning);
  }

  private static String share(BudgetContents budget) {
    return Decimals.down(100 * budget.left(), 4) + "%";
  }

  private static String up(double value) {
    return Decimals.up(value, 5);
  }

  private static String tight(BudgetContents budget) {
    return up(budget.tight().upper());
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
    budget.epsilonLeft().ifPresent(left -> json.put("leftEpsilon", left));
    json.put("gdp", budget.gdp());
    OptionalDouble renyi = budget.renyi();
    json.put("renyi", renyi.isPresent() ? renyi.getAsDouble() : null);
    return json;
  }
}
